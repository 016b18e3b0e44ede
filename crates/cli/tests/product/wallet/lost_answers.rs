//! Calls that ask again because an answer was lost: told the same, paid once.

use serde_json::json;
use sqlx::PgPool;

use crate::callers::refusal;
use crate::database::product_database;
use crate::wallet_calls::{
    LESSON_PLAN, assert_books_balance, balance, cancel, claim_numbered, claim_numbered_for, complete,
    complete_with, deduct, deductions, fail, fail_claim, let_pass, start_generation, take_back, teacher,
    try_to_claim,
};

// rows: app/D01
#[tokio::test]
async fn a_completion_is_told_again_for_its_own_result_only() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "told twice").await;
    assert!(complete(&pool, generation).await);
    assert!(complete(&pool, generation).await, "its answer was lost");
    assert!(!complete_with(&pool, generation, json!({ "another": 1 })).await, "nothing else is taken for it");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "spent").await), (80, 1));
    assert_books_balance(&pool).await;
}

// rows: app/D01
#[tokio::test]
async fn a_claim_whose_answer_was_lost_is_told_again_to_the_same_call_alone() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let (call, other) = (uuid::Uuid::new_v4(), uuid::Uuid::new_v4());
    deduct(&pool, id).await;
    deduct(&pool, id).await;
    let first = claim_numbered(&pool, id, "plan", call).await;
    let again = claim_numbered(&pool, id, "plan", call).await;
    assert_eq!((first.outcome.as_str(), again.outcome.as_str()), ("claimed", "claimed"));
    assert_eq!((first.id(), first.attempt), (again.id(), again.attempt));
    assert_eq!((deductions(&pool, id, "claimed").await, deductions(&pool, id, "open").await), (1, 1));
    assert_eq!(claim_numbered(&pool, id, "plan", other).await.outcome, "running");
    let stranger = teacher(&pool).await;
    assert_eq!(claim_numbered(&pool, stranger, "plan", call).await.outcome, "insufficient");

    assert!(fail(&pool, first.id()).await);
    let next = claim_numbered(&pool, id, "plan", uuid::Uuid::new_v4()).await;
    assert_eq!(
        (next.outcome.as_str(), next.attempt),
        ("claimed", Some(2)),
        "what failed is claimed anew by another call"
    );
    assert_ne!(next.id(), first.id());
    assert_books_balance(&pool).await;
}

// rows: app/D09
#[tokio::test]
async fn a_claim_whose_answer_was_lost_takes_nothing_after_it_was_cancelled() {
    let pool = product_database().await;
    for tool in [LESSON_PLAN, "generate-communication"] {
        let id = teacher(&pool).await;
        let call = uuid::Uuid::new_v4();
        deduct(&pool, id).await;
        let first = claim_numbered_for(&pool, id, tool, "lost", call).await;
        assert_eq!(first.outcome, "claimed", "{tool}");
        assert!(cancel(&pool, id, "lost").await, "{tool}");
        deduct(&pool, id).await;
        let again = claim_numbered_for(&pool, id, tool, "lost", call).await;
        assert_eq!((again.outcome.as_str(), again.generation_id), ("ended", first.generation_id), "{tool}");
        assert_eq!(deductions(&pool, id, "open").await, 1, "{tool}: what another tab has opened is its own");
        assert!(take_back(&pool, id).await.expect("an open deduction is taken back"));
        let last = claim_numbered_for(&pool, id, tool, "lost", call).await;
        assert_eq!((last.outcome.as_str(), balance(&pool, id).await), ("ended", 100), "{tool}");
    }
    assert_books_balance(&pool).await;
}

// rows: app/D01
#[tokio::test]
async fn a_claim_that_failed_or_ran_out_of_time_takes_nothing_for_its_late_twin() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let (failed, late) = (uuid::Uuid::new_v4(), uuid::Uuid::new_v4());
    deduct(&pool, id).await;
    let first = claim_numbered(&pool, id, "failed", failed).await;
    assert!(fail(&pool, first.id()).await);
    deduct(&pool, id).await;
    assert_eq!(claim_numbered(&pool, id, "failed", failed).await.outcome, "ended");
    assert_eq!(claim_numbered(&pool, id, "late", late).await.outcome, "claimed");
    let_pass(&pool, "151 seconds").await;
    assert_eq!(claim_numbered(&pool, id, "late", late).await.outcome, "ended");
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_claim_whose_document_is_there_already_is_replayed_and_gives_nothing_back() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let call = uuid::Uuid::new_v4();
    deduct(&pool, id).await;
    let first = claim_numbered(&pool, id, "done", call).await;
    assert!(complete(&pool, first.id()).await);
    deduct(&pool, id).await;
    let again = claim_numbered(&pool, id, "done", call).await;
    assert_eq!((again.outcome.as_str(), again.generation_id), ("replayed", first.generation_id));
    assert!(again.result.is_some(), "with its document");
    assert_eq!(deductions(&pool, id, "open").await, 1, "what another call has opened stays open");
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_replay_whose_answer_was_lost_takes_no_second_deduction() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let made = start_generation(&pool, id, "same").await;
    assert!(complete(&pool, made).await);
    deduct(&pool, id).await;
    let call = uuid::Uuid::new_v4();
    assert_eq!(claim_numbered(&pool, id, "same", call).await.outcome, "replayed");
    deduct(&pool, id).await;
    assert_eq!(claim_numbered(&pool, id, "same", call).await.outcome, "replayed", "asked again");
    assert_eq!(deductions(&pool, id, "open").await, 1, "what another call has opened stays open");
    assert_eq!(claim_numbered(&pool, id, "same", uuid::Uuid::new_v4()).await.outcome, "replayed");
    assert_eq!(deductions(&pool, id, "open").await, 0, "another call gives back its own");
    assert_books_balance(&pool).await;
}

/// Who calls a tool, with what the app deducts before, and the number of the call.
async fn caller_of(pool: &PgPool, tool: &str) -> (uuid::Uuid, uuid::Uuid) {
    let id = teacher(pool).await;
    if tool == LESSON_PLAN {
        deduct(pool, id).await;
    }
    (id, uuid::Uuid::new_v4())
}

// rows: app/D10
#[tokio::test]
async fn a_claim_that_is_given_up_is_back_at_once_and_once() {
    let pool = product_database().await;
    for tool in [LESSON_PLAN, "generate-communication"] {
        let (id, call) = caller_of(&pool, tool).await;
        let heard = claim_numbered_for(&pool, id, tool, "heard", call).await;
        assert_eq!((heard.outcome.as_str(), balance(&pool, id).await), ("claimed", 80), "{tool}");
        let stranger = teacher(&pool).await;
        assert!(!fail_claim(&pool, stranger, uuid::Uuid::new_v4()).await, "{tool}: another number");
        assert!(fail_claim(&pool, id, call).await, "{tool}");
        assert!(!fail_claim(&pool, id, call).await, "{tool}: once");
        assert_eq!(balance(&pool, id).await, 100, "{tool}");
        assert!(!complete(&pool, heard.id()).await, "{tool}: nothing is delivered for it");
        let late = claim_numbered_for(&pool, id, tool, "heard", call).await;
        assert_eq!(late.outcome, "ended", "{tool}");
    }
    assert_books_balance(&pool).await;
}

// rows: app/D10
#[tokio::test]
async fn a_claim_that_comes_after_it_was_given_up_takes_nothing() {
    let pool = product_database().await;
    for tool in [LESSON_PLAN, "generate-communication"] {
        let (id, call) = caller_of(&pool, tool).await;
        let before = balance(&pool, id).await;
        for _ in 0..2 {
            assert!(!fail_claim(&pool, id, call).await, "{tool}: there is nothing to give back");
        }
        assert_eq!(refusal(try_to_claim(&pool, id, tool, "late", call).await), "22023", "{tool}");
        assert_eq!((balance(&pool, id).await, deductions(&pool, id, "claimed").await), (before, 0), "{tool}");
        let other = claim_numbered_for(&pool, id, tool, "late", uuid::Uuid::new_v4()).await;
        assert_eq!(other.outcome, "claimed", "{tool}: another call has a number of its own");
    }
    assert_books_balance(&pool).await;
}

// rows: app/D10
#[tokio::test]
async fn a_call_that_waited_and_is_given_up_takes_nothing_when_its_twin_fails() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let twin = start_generation(&pool, id, "slow").await;
    let call = uuid::Uuid::new_v4();
    deduct(&pool, id).await;
    assert_eq!(claim_numbered(&pool, id, "slow", call).await.outcome, "running");
    assert!(!fail_claim(&pool, id, call).await);
    assert!(fail(&pool, twin).await, "the twin goes on, and ends by itself");
    assert_eq!(refusal(try_to_claim(&pool, id, LESSON_PLAN, "slow", call).await), "22023");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (80, 1));
    assert_books_balance(&pool).await;
}

// rows: app/D01
#[tokio::test]
async fn a_number_that_is_another_users_claims_nothing() {
    let pool = product_database().await;
    let (id, other) = (teacher(&pool).await, teacher(&pool).await);
    let call = uuid::Uuid::new_v4();
    deduct(&pool, id).await;
    let first = claim_numbered(&pool, id, "mine", call).await;
    deduct(&pool, other).await;
    assert_eq!(refusal(try_to_claim(&pool, other, LESSON_PLAN, "theirs", call).await), "22023");
    assert_eq!((deductions(&pool, other, "open").await, deductions(&pool, other, "claimed").await), (1, 0));
    let again = claim_numbered(&pool, id, "mine", call).await;
    assert_eq!((again.outcome.as_str(), again.id()), ("claimed", first.id()), "its story is kept");
    assert_books_balance(&pool).await;
}
