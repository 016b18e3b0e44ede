//! Which of several deductions is meant, and how long the wallet remembers what it said.

use sqlx::PgPool;
use uuid::Uuid;

use crate::callers::{AGAINST_THE_RULES, refusal, user_runs};
use crate::database::product_database;
use crate::wallet_calls::{
    assert_books_balance, balance, cancel, change_coins, claim, claim_numbered, complete, deduct, deductions,
    fail, let_pass, refuse_call, start_generation, start_profile, sweep, take_back, teacher,
};

/// Opens one deduction, and a minute later another; answers the older one.
async fn two_deductions(pool: &PgPool, id: Uuid) -> Uuid {
    deduct(pool, id).await;
    let_pass(pool, "1 minute").await;
    let older = only_open(pool, id).await;
    deduct(pool, id).await;
    older
}

/// The one open deduction of that user.
async fn only_open(pool: &PgPool, id: Uuid) -> Uuid {
    sqlx::query_scalar("select id from private.deductions where user_id = $1 and state = 'open'")
        .bind(id)
        .fetch_one(pool)
        .await
        .expect("one is open")
}

// rows: app/D02
#[tokio::test]
async fn the_oldest_is_claimed_first_so_that_none_runs_out_behind_others() {
    let pool = product_database().await;
    let (id, again) = (teacher(&pool).await, teacher(&pool).await);
    let older = two_deductions(&pool, id).await;
    assert_eq!(claim(&pool, id, "plan").await.outcome, "claimed");
    assert_ne!(only_open(&pool, id).await, older, "a claim takes the oldest");
    let made = start_generation(&pool, again, "same").await;
    assert!(complete(&pool, made).await);
    let older = two_deductions(&pool, again).await;
    assert_eq!(claim(&pool, again, "same").await.outcome, "replayed");
    assert_ne!(only_open(&pool, again).await, older, "and so does a replay");
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn the_newest_goes_back_to_a_call_that_gave_up_at_once() {
    let pool = product_database().await;
    let (refused, gave_up) = (teacher(&pool).await, teacher(&pool).await);
    let older = two_deductions(&pool, refused).await;
    assert!(refuse_call(&pool, refused, "generate-question-paper").await);
    assert_eq!(only_open(&pool, refused).await, older, "a refused call has just opened its own");
    let older = two_deductions(&pool, gave_up).await;
    assert!(take_back(&pool, gave_up).await.expect("an open deduction is taken back"));
    assert_eq!(only_open(&pool, gave_up).await, older, "and so has an owner whose call never arrived");
    assert_books_balance(&pool).await;
}

/// Clients take the price themselves: with another one here, what they took was lost.
// rows: app/S-004
#[tokio::test]
async fn the_price_of_a_generation_is_twenty_and_no_setting() {
    let pool = product_database().await;
    let settings: Vec<String> = sqlx::query_scalar(
        "select attname::text from pg_attribute where attrelid = 'private.settings'::regclass and attnum > 0",
    )
    .fetch_all(&*pool)
    .await
    .expect("the settings have columns");
    assert!(!settings.iter().any(|name| name.contains("price")), "{settings:?}");
    let id = teacher(&pool).await;
    assert!(change_coins(&pool, id, 100, 80).await.expect("the price may be taken"));
    assert_eq!(deductions(&pool, id, "open").await, 1, "and is a deduction");
    assert_eq!(claim(&pool, id, "plan").await.outcome, "claimed");
    assert_eq!(
        refusal(change_coins(&pool, id, 80, 50).await),
        AGAINST_THE_RULES,
        "more is not taken at once"
    );
    assert_books_balance(&pool).await;
}

// rows: app/D02
#[tokio::test]
async fn an_owner_who_took_it_back_long_after_a_failure_has_taken_the_own_back() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let failing = start_generation(&pool, id, "failing").await;
    assert!(fail(&pool, failing).await);
    let_pass(&pool, "2 minutes").await;
    deduct(&pool, id).await;
    assert!(take_back(&pool, id).await.expect("the call never arrived"));
    assert_eq!(claim(&pool, id, "unpaid").await.outcome, "insufficient", "no late refund of the failed one");
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D01
#[tokio::test]
async fn what_a_call_was_told_is_remembered_for_an_hour_and_then_forgotten() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let call = Uuid::new_v4();
    deduct(&pool, id).await;
    let first = claim_numbered(&pool, id, "plan", call).await;
    assert!(cancel(&pool, id, "plan").await);
    let_pass(&pool, "59 minutes").await;
    assert_eq!(claim_numbered(&pool, id, "other", Uuid::new_v4()).await.outcome, "insufficient");
    deduct(&pool, id).await;
    assert_eq!(claim_numbered(&pool, id, "another", Uuid::new_v4()).await.outcome, "claimed");
    let late = claim_numbered(&pool, id, "plan", call).await;
    assert_eq!((late.outcome.as_str(), late.id()), ("ended", first.id()), "it takes nothing a second time");
    let_pass(&pool, "2 minutes").await;
    deduct(&pool, id).await;
    assert_eq!(claim_numbered(&pool, id, "one more", Uuid::new_v4()).await.outcome, "claimed");
    let kept: i64 = sqlx::query_scalar("select count(*) from private.claims where user_id = $1")
        .bind(id)
        .fetch_one(&*pool)
        .await
        .expect("claims can be counted");
    assert_eq!(kept, 2, "those of the last hour");
}

// rows: app/D09
#[tokio::test]
async fn the_owner_takes_back_what_a_cancelled_generation_holds() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    start_generation(&pool, id, "slow").await;
    user_runs(&pool, id, "delete from public.profiles").await.expect("it may go");
    assert!(!cancel(&pool, id, "slow").await, "nowhere to give it back to");
    start_profile(&pool, id, 20).await.expect("it may be made again");
    assert!(take_back(&pool, id).await.expect("claimed by a cancelled generation"));
    assert_eq!(
        (balance(&pool, id).await, deductions(&pool, id, "returned").await, sweep(&pool).await),
        (100, 1, 0)
    );
    assert_books_balance(&pool).await;
}
