//! What comes back: taken back by the owner, failed, cancelled, swept (D02, D07, D09).

use crate::callers::{AGAINST_THE_RULES, refusal, service_runs, user_runs};
use crate::database::product_database;
use crate::wallet_calls::{
    LESSON_PLAN, assert_books_balance, balance, cancel, change_coins, claim, claim_body, claim_for, complete,
    deduct, deductions, fail, ledger_reasons, let_pass, prolong, refuse_call, start_generation,
    start_profile, sweep, take_back, teacher,
};

// rows: app/D02
#[tokio::test]
async fn an_open_deduction_is_taken_back_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    assert!(take_back(&pool, id).await.expect("the call never arrived"));
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES);
    assert_eq!(claim(&pool, id, "after the refund").await.outcome, "insufficient");
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn two_deductions_are_taken_back_one_by_one() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    deduct(&pool, id).await;
    assert_eq!(refusal(change_coins(&pool, id, 60, 100).await), AGAINST_THE_RULES, "not both at once");
    assert!(take_back(&pool, id).await.expect("the second"));
    assert!(take_back(&pool, id).await.expect("the first"));
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES);
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn a_delivered_or_running_document_is_not_refunded() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "running").await;
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES, "while it runs");
    assert!(complete(&pool, generation).await);
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES, "once delivered");
    assert!(!fail(&pool, generation).await);
    assert!(!cancel(&pool, id, "running").await);
    assert_eq!(balance(&pool, id).await, 80);
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn a_failure_gives_back_once_and_the_clients_refund_is_harmless() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "failing").await;
    assert!(fail(&pool, generation).await);
    assert!(!fail(&pool, generation).await, "at most once");
    assert!(!complete(&pool, generation).await, "not delivered as paid");
    assert_eq!(balance(&pool, id).await, 100);
    // The client writes the balance it remembers, with and without its condition.
    assert!(!change_coins(&pool, id, 80, 100).await.expect("a stale condition"));
    user_runs(&pool, id, "update public.profiles set coins = 100").await.expect("the same number");
    assert_eq!(balance(&pool, id).await, 100);
    assert_eq!(ledger_reasons(&pool, id).await, ["opening", "deduction", "return"]);
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn the_sweep_returns_what_nobody_claimed() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let_pass(&pool, "11 minutes").await;
    deduct(&pool, id).await;
    assert_eq!(sweep(&pool).await, 1, "the fresh one stays");
    assert_eq!(sweep(&pool).await, 0);
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (80, 1));
    assert_books_balance(&pool).await;
}

// rows: app/D10
#[tokio::test]
async fn what_says_nothing_for_half_a_minute_has_failed_whoever_writes() {
    let pool = product_database().await;
    for model_backed in [false, true] {
        let id = teacher(&pool).await;
        deduct(&pool, id).await;
        let claimed = claim_for(&pool, id, LESSON_PLAN, "key", model_backed).await.expect("it is answered");
        let_pass(&pool, "20 seconds").await;
        assert_eq!(sweep(&pool).await, 0, "in time");
        let_pass(&pool, "6 seconds").await;
        assert!(!prolong(&pool, claimed.id()).await, "too late to go on");
        assert_eq!((sweep(&pool).await, balance(&pool, id).await), (1, 100), "with a model: {model_backed}");
        assert!(!prolong(&pool, claimed.id()).await && !complete(&pool, claimed.id()).await);
    }
    assert_books_balance(&pool).await;
}

// rows: app/D10
#[tokio::test]
async fn what_says_that_it_goes_on_has_its_whole_time_and_no_more() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "long").await;
    for _ in 0..7 {
        let_pass(&pool, "20 seconds").await;
        assert!(prolong(&pool, generation).await);
        assert_eq!(sweep(&pool).await, 0);
    }
    let_pass(&pool, "11 seconds").await;
    assert!(!prolong(&pool, generation).await, "151 seconds are more than the host gives");
    assert_eq!((sweep(&pool).await, balance(&pool, id).await), (1, 100));
    assert_books_balance(&pool).await;
}

// rows: app/D10
#[tokio::test]
async fn a_refused_call_has_its_deduction_back_at_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let paper = "generate-question-paper";
    assert!(!refuse_call(&pool, id, paper).await, "nothing is open");
    let running = start_generation(&pool, id, "another call").await;
    assert!(!refuse_call(&pool, id, paper).await, "what is claimed is another call's");
    deduct(&pool, id).await;
    assert!(!refuse_call(&pool, id, "generate-communication").await, "its client deducts nothing");
    assert!(refuse_call(&pool, id, paper).await);
    assert!(!refuse_call(&pool, id, paper).await, "once");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (80, 0));
    assert!(complete(&pool, running).await);
    assert_books_balance(&pool).await;
}

// rows: app/D10
#[tokio::test]
async fn what_a_refusal_took_from_another_call_is_opened_again_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    assert!(refuse_call(&pool, id, "generate-question-paper").await, "of a call that had deducted nothing");
    assert_eq!(claim(&pool, id, "by the tab that had deducted").await.outcome, "claimed");
    assert_eq!(balance(&pool, id).await, 80);
    assert_eq!(claim(&pool, id, "unpaid").await.outcome, "insufficient", "once");
    deduct(&pool, id).await;
    assert!(refuse_call(&pool, id, "generate-question-paper").await);
    let_pass(&pool, "61 seconds").await;
    assert_eq!(claim(&pool, id, "much later").await.outcome, "insufficient");
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn the_sweep_returns_what_passed_its_deadline() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "stuck").await;
    assert_eq!(sweep(&pool).await, 0, "still in time");
    let_pass(&pool, "26 seconds").await;
    assert_eq!(sweep(&pool).await, 1);
    assert_eq!(sweep(&pool).await, 0);
    assert!(!complete(&pool, generation).await, "too late to be paid");
    assert!(!fail(&pool, generation).await, "already back");
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn a_wallet_that_cannot_be_swept_keeps_nothing_from_the_others() {
    let pool = product_database().await;
    let (full, other) = (teacher(&pool).await, teacher(&pool).await);
    for id in [full, other] {
        deduct(&pool, id).await;
    }
    // At the ceiling of a balance there is no room for what comes back.
    let filled = "update public.profiles set coins = 100000000 where user_id = $1";
    service_runs(&pool, full, filled).await.expect("free");
    let old = start_generation(&pool, other, "old").await;
    assert!(complete(&pool, old).await);
    let_pass(&pool, "25 hours").await;
    assert_eq!(sweep(&pool).await, 1);
    assert_eq!((deductions(&pool, full, "open").await, deductions(&pool, other, "returned").await), (1, 1));
    let stored: i64 = sqlx::query_scalar("select count(*) from public.generations where result is not null")
        .fetch_one(&*pool)
        .await
        .expect("documents can be counted");
    assert_eq!(stored, 0, "old documents are erased all the same");
    let spent = "update public.profiles set coins = 100 where user_id = $1";
    service_runs(&pool, full, spent).await.expect("free");
    assert_eq!(sweep(&pool).await, 1, "it is tried again");
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn a_wallet_in_use_is_left_to_the_next_sweep_and_waited_for_by_none() {
    let pool = product_database().await;
    let (used, other) = (teacher(&pool).await, teacher(&pool).await);
    for id in [used, other] {
        deduct(&pool, id).await;
    }
    let_pass(&pool, "11 minutes").await;
    let mut user = pool.begin().await.expect("a transaction");
    sqlx::query("select private.lock_profile($1)").bind(used).execute(&mut *user).await.expect("it is free");
    let swept = tokio::time::timeout(std::time::Duration::from_secs(30), sweep(&pool)).await;
    assert_eq!(swept.expect("it waits for nobody"), 1);
    user.commit().await.expect("it ends");
    assert_eq!((sweep(&pool).await, balance(&pool, used).await), (1, 100));
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn a_claim_returns_what_is_due_before_it_looks() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    start_generation(&pool, id, "forgotten").await;
    let_pass(&pool, "11 minutes").await;
    assert_eq!(claim(&pool, id, "late").await.outcome, "insufficient");
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D07
#[tokio::test]
async fn a_failure_without_a_profile_waits_for_one() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "while deleted").await;
    user_runs(&pool, id, "delete from public.profiles").await.expect("it may go");
    assert!(!fail(&pool, generation).await, "nowhere to give it back to");
    assert_eq!(sweep(&pool).await, 0);
    assert_eq!(start_profile(&pool, id, 20).await.expect("it may be made again"), 80);
    assert_eq!(sweep(&pool).await, 1);
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES);
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn the_owner_takes_back_what_a_failed_generation_holds() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "while deleted").await;
    user_runs(&pool, id, "delete from public.profiles").await.expect("it may go");
    assert!(!fail(&pool, generation).await);
    start_profile(&pool, id, 20).await.expect("it may be made again");
    assert!(take_back(&pool, id).await.expect("claimed by a failed generation"));
    assert_eq!(sweep(&pool).await, 0);
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn a_deduction_that_anothers_late_refund_took_is_opened_again_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let failing = start_generation(&pool, id, "failing").await;
    assert!(fail(&pool, failing).await);
    deduct(&pool, id).await;
    assert!(change_coins(&pool, id, 80, 100).await.expect("the refund of the call that failed"));
    assert_eq!(claim(&pool, id, "another tab").await.outcome, "claimed");
    assert_eq!(balance(&pool, id).await, 80);
    assert_eq!(claim(&pool, id, "unpaid").await.outcome, "insufficient", "once for each");
    assert_books_balance(&pool).await;
}

// rows: app/D09
#[tokio::test]
async fn a_generation_with_a_body_is_cancelled_by_its_key() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let claimed = claim_body(&pool, id, "slow", 'b').await;
    assert!(cancel(&pool, id, "slow").await);
    assert!(!complete(&pool, claimed.id()).await);
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D09
#[tokio::test]
async fn a_cancelled_generation_is_returned_once_and_not_delivered() {
    let pool = product_database().await;
    let (id, other) = (teacher(&pool).await, teacher(&pool).await);
    let generation = start_generation(&pool, id, "slow").await;
    assert!(!cancel(&pool, other, "slow").await, "only the own");
    assert!(!cancel(&pool, id, "unknown").await);
    assert!(prolong(&pool, generation).await);
    assert!(cancel(&pool, id, "slow").await);
    assert!(!cancel(&pool, id, "slow").await, "once");
    assert!(!prolong(&pool, generation).await, "who still writes it hears of the end");
    assert!(!complete(&pool, generation).await);
    assert!(!fail(&pool, generation).await);
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES);
    assert_eq!(balance(&pool, id).await, 100);
    let again = start_generation(&pool, id, "slow").await;
    assert!(complete(&pool, again).await, "a new try is a new generation");
    assert_books_balance(&pool).await;
}
