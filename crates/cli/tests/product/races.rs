//! Fifty callers at once: whatever the order, nothing is made, claimed, spent or returned twice.

use std::future::Future;

use serde_json::json;
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

use crate::callers::{service_runs, sign_up, user_runs};
use crate::database::{ProductDatabase, product_database_for};
use crate::wallet_calls::{
    LESSON_PLAN, assert_books_balance, balance, cancel, change_coins, claim, claim_numbered, complete,
    complete_with, deduct, deductions, fail, fail_claim, let_pass, note_refusal, start_generation,
    start_profile, sweep, take_back, teacher, try_to_claim,
};

const CALLERS: usize = 50;

/// One race at a time, so that all of them together stay below the server's connection limit.
static ONE_RACE: Mutex<()> = Mutex::const_new(());

async fn race_track() -> (MutexGuard<'static, ()>, ProductDatabase) {
    let turn = ONE_RACE.lock().await;
    (turn, product_database_for(u32::try_from(CALLERS).expect("fifty fits")).await)
}

/// Runs that call for all callers at once and collects what they were told.
async fn at_once<F, Fut>(call: F) -> Vec<Fut::Output>
where
    F: Fn(usize) -> Fut,
    Fut: Future<Output: Send + 'static> + Send + 'static,
{
    let running: Vec<_> = (0..CALLERS).map(|number| tokio::spawn(call(number))).collect();
    let mut answers = Vec::with_capacity(CALLERS);
    for call in running {
        answers.push(call.await.expect("a call ends"));
    }
    answers
}

fn count(answers: &[bool]) -> usize {
    answers.iter().filter(|&&answer| answer).count()
}

// rows: app/S-401
#[tokio::test(flavor = "multi_thread")]
async fn fifty_inserts_make_one_profile() {
    let (_turn, pool) = race_track().await;
    let id = sign_up(&pool).await;
    let made = at_once(|number| {
        let pool = pool.clone();
        async move { start_profile(&pool, id, if number % 2 == 0 { 20 } else { 100 }).await.is_ok() }
    })
    .await;
    assert_eq!(count(&made), 1);
    assert_books_balance(&pool).await;
}

// rows: app/S-402
#[tokio::test(flavor = "multi_thread")]
async fn fifty_deductions_never_go_below_zero() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    let lowered = at_once(|_| {
        let pool = pool.clone();
        async move { user_runs(&pool, id, "update public.profiles set coins = coins - 20").await.is_ok() }
    })
    .await;
    assert_eq!(count(&lowered), 5, "100 credits pay for five");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (0, 5));
    assert_books_balance(&pool).await;
}

// rows: app/D05
#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_writes_with_the_same_condition_one_passes() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    let written = at_once(|_| {
        let pool = pool.clone();
        async move { change_coins(&pool, id, 100, 80).await.expect("stale writes touch no row") }
    })
    .await;
    assert_eq!(count(&written), 1);
    assert_books_balance(&pool).await;
}

// rows: app/D01
#[tokio::test(flavor = "multi_thread")]
async fn one_deduction_is_claimed_once_by_fifty_requests() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let claimed = at_once(|number| {
        let pool = pool.clone();
        async move { claim(&pool, id, &format!("request {number}")).await.outcome == "claimed" }
    })
    .await;
    assert_eq!(count(&claimed), 1);
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_runs_once_for_fifty_calls() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    for _ in 0..5 {
        deduct(&pool, id).await;
    }
    let outcomes = at_once(|_| {
        let pool = pool.clone();
        async move { claim(&pool, id, "same").await.outcome }
    })
    .await;
    assert_eq!(outcomes.iter().filter(|outcome| *outcome == "claimed").count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| *outcome == "running").count(), CALLERS - 1);
    assert_eq!(deductions(&pool, id, "open").await, 4);
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test(flavor = "multi_thread")]
async fn fifty_replays_return_no_more_than_is_open() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "same").await;
    assert!(complete(&pool, generation).await);
    for _ in 0..4 {
        deduct(&pool, id).await;
    }
    let replayed = at_once(|_| {
        let pool = pool.clone();
        async move { claim(&pool, id, "same").await.outcome == "replayed" }
    })
    .await;
    assert_eq!(count(&replayed), CALLERS);
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (80, 0));
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test(flavor = "multi_thread")]
async fn an_open_deduction_is_taken_back_once_by_fifty_writes() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let raised = at_once(|_| {
        let pool = pool.clone();
        async move { user_runs(&pool, id, "update public.profiles set coins = coins + 20").await.is_ok() }
    })
    .await;
    assert_eq!(count(&raised), 1);
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test(flavor = "multi_thread")]
async fn a_deduction_is_either_refunded_or_claimed() {
    let (_turn, pool) = race_track().await;
    for round in 0..4 {
        let id = teacher(&pool).await;
        deduct(&pool, id).await;
        let got = at_once(|number| {
            let pool = pool.clone();
            async move {
                match number % 2 {
                    0 => take_back(&pool, id).await.unwrap_or(false),
                    _ => claim(&pool, id, &format!("round {round}, {number}")).await.outcome == "claimed",
                }
            }
        })
        .await;
        assert_eq!(count(&got), 1, "one of them had it");
    }
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test(flavor = "multi_thread")]
async fn a_generation_ends_in_one_way_only() {
    let (_turn, pool) = race_track().await;
    for round in 0..4 {
        let id = teacher(&pool).await;
        let key = format!("round {round}");
        let generation = start_generation(&pool, id, &key).await;
        let ended = at_once(|number| {
            let (pool, key) = (pool.clone(), key.clone());
            async move {
                match number % 4 {
                    0 => complete_with(&pool, generation, json!({ "number": number })).await,
                    1 => fail(&pool, generation).await,
                    2 => cancel(&pool, id, &key).await,
                    _ => user_runs(&pool, id, "update public.profiles set coins = coins + 20").await.is_ok(),
                }
            }
        })
        .await;
        assert_eq!(count(&ended), 1, "delivered or given back, once");
        let spent = deductions(&pool, id, "spent").await;
        assert_eq!(i64::from(balance(&pool, id).await), 100 - 20 * spent);
    }
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test(flavor = "multi_thread")]
async fn fifty_sweeps_and_refunds_return_each_deduction_once() {
    let (_turn, pool) = race_track().await;
    let (first, second) = (teacher(&pool).await, teacher(&pool).await);
    for id in [first, second] {
        deduct(&pool, id).await;
        start_generation(&pool, id, "stuck").await;
    }
    let_pass(&pool, "11 minutes").await;
    at_once(|number| {
        let pool = pool.clone();
        async move {
            match number % 5 {
                0 => drop(take_back(&pool, if number % 2 == 0 { first } else { second }).await),
                1 => drop(claim(&pool, first, "later").await),
                _ => drop(sweep(&pool).await),
            }
        }
    })
    .await;
    sweep(&pool).await;
    for id in [first, second] {
        assert_eq!((balance(&pool, id).await, deductions(&pool, id, "returned").await), (100, 2));
    }
    assert_books_balance(&pool).await;
}

// rows: app/D07
#[tokio::test(flavor = "multi_thread")]
async fn deleting_and_making_again_gains_nothing() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    let spent = at_once(|number| {
        let pool = pool.clone();
        async move {
            match number % 3 {
                0 => drop(user_runs(&pool, id, "delete from public.profiles").await),
                1 => drop(start_profile(&pool, id, 100).await),
                _ => {
                    return i32::from(
                        user_runs(&pool, id, "update public.profiles set coins = coins - 19")
                            .await
                            .is_ok_and(|rows| rows == 1),
                    );
                }
            }
            0
        }
    })
    .await;
    drop(start_profile(&pool, id, 100).await);
    assert_eq!(balance(&pool, id).await, 100 - 19 * spent.iter().sum::<i32>());
    assert_books_balance(&pool).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn races_many_owners_do_not_stand_in_each_others_way() {
    let (_turn, pool) = race_track().await;
    let mut owners: Vec<Uuid> = Vec::new();
    for _ in 0..CALLERS {
        owners.push(teacher(&pool).await);
    }
    let made = at_once(|number| {
        let (pool, id) = (pool.clone(), owners[number]);
        async move {
            let generation = start_generation(&pool, id, "mine").await;
            complete(&pool, generation).await
        }
    })
    .await;
    assert_eq!(count(&made), CALLERS);
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_paid_calls_for_one_generation_four_wait_and_all_but_one_20_come_back() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    service_runs(&pool, id, "update public.profiles set coins = 2000 where user_id = $1")
        .await
        .expect("free");
    let made = start_generation(&pool, id, "slow").await;
    let calls: Vec<Uuid> = (0..CALLERS).map(|_| Uuid::new_v4()).collect();
    for _ in &calls {
        deduct(&pool, id).await;
    }
    assert_eq!(balance(&pool, id).await, 2_000 - 20 * 51);
    let ask = async |of: usize| {
        at_once(|number| {
            let (pool, call) = (pool.clone(), calls[number % of]);
            async move { claim_numbered(&pool, id, "slow", call).await.outcome }
        })
        .await
    };
    ask(CALLERS).await;
    let told = ask(CALLERS).await;
    assert_eq!(told.iter().filter(|outcome| *outcome == "running").count(), 4, "{told:?}");
    assert!(complete(&pool, made).await);
    // Half of them come back for the document, some twice; what the others had opened comes back by
    // the clock.
    let told = ask(CALLERS / 2).await;
    assert!(told.iter().all(|outcome| outcome == "replayed"), "{told:?}");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (1_480, 25));
    let_pass(&pool, "11 minutes").await;
    assert_eq!(sweep(&pool).await, 25);
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "spent").await), (1_980, 1));
    assert_books_balance(&pool).await;
}

// rows: app/D10
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_is_given_up_while_it_is_made_holds_nothing() {
    let (_turn, pool) = race_track().await;
    for gives_up in [0, 1, 10, 49] {
        let (id, call) = (teacher(&pool).await, Uuid::new_v4());
        deduct(&pool, id).await;
        let given_back = at_once(|number| {
            let pool = pool.clone();
            async move {
                if number == gives_up {
                    return fail_claim(&pool, id, call).await;
                }
                drop(try_to_claim(&pool, id, LESSON_PLAN, "lost", call).await);
                false
            }
        })
        .await;
        assert_eq!(deductions(&pool, id, "claimed").await, 0, "nothing waits for its deadline");
        let open = deductions(&pool, id, "open").await;
        assert_eq!(count(&given_back), usize::from(open == 0), "what was not claimed stays its client's");
    }
    assert_books_balance(&pool).await;
}

// rows: app/D01
#[tokio::test(flavor = "multi_thread")]
async fn one_claim_told_to_fifty_asks_under_one_number_is_paid_once() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    for _ in 0..3 {
        deduct(&pool, id).await;
    }
    let call = Uuid::new_v4();
    let told = at_once(|_| {
        let pool = pool.clone();
        async move { claim_numbered(&pool, id, "plan", call).await.id() }
    })
    .await;
    assert!(told.iter().all(|generation| *generation == told[0]), "{told:?}");
    assert_eq!((deductions(&pool, id, "claimed").await, deductions(&pool, id, "open").await), (1, 2));
    assert_books_balance(&pool).await;
}

// rows: functions/GEN-8.2
#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_unsafe_requests_five_are_let_pass_without_a_wait() {
    let (_turn, pool) = race_track().await;
    let id = teacher(&pool).await;
    let waits = at_once(|_| {
        let pool = pool.clone();
        async move { note_refusal(&pool, id).await > 0 }
    })
    .await;
    assert_eq!(CALLERS - count(&waits), 5);
}
