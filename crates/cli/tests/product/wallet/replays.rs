//! The same request again, and the keys and bodies that make it the same (D08).

use serde_json::json;

use crate::callers::service_runs;
use crate::database::product_database;
use crate::wallet_calls::{
    assert_books_balance, balance, cancel, claim, claim_body, claim_for, complete, deduct, deductions, fail,
    let_pass, start_generation, take_back, teacher,
};

// rows: app/D08
#[tokio::test]
async fn the_same_request_is_replayed_and_the_fresh_deduction_returned() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "same").await;
    assert!(complete(&pool, generation).await);
    deduct(&pool, id).await;
    let replayed = claim(&pool, id, "same").await;
    assert_eq!((replayed.outcome.as_str(), replayed.id()), ("replayed", generation));
    assert_eq!(replayed.result.expect("the stored result").0, json!({ "filename": "lesson-plan-1.rtf" }));
    assert_eq!(balance(&pool, id).await, 80, "charged once");
    assert_eq!(claim(&pool, id, "same").await.outcome, "replayed", "also without a deduction");
    assert_eq!(balance(&pool, id).await, 80);
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_replay_returns_one_deduction_of_several() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "same").await;
    assert!(complete(&pool, generation).await);
    deduct(&pool, id).await;
    deduct(&pool, id).await;
    assert_eq!(claim(&pool, id, "same").await.outcome, "replayed");
    assert_eq!(deductions(&pool, id, "open").await, 1, "the other belongs to another call");
    assert_eq!(claim(&pool, id, "other").await.outcome, "claimed");
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_running_request_is_named_and_not_charged_again() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "same").await;
    deduct(&pool, id).await;
    let running = claim(&pool, id, "same").await;
    assert_eq!((running.outcome.as_str(), running.id()), ("running", generation));
    assert!(complete(&pool, generation).await);
    assert_eq!(claim(&pool, id, "same").await.outcome, "replayed");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (80, 0));
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn two_tabs_that_both_deducted_before_either_was_claimed_pay_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    deduct(&pool, id).await;
    let first = claim(&pool, id, "same").await;
    assert_eq!(
        (first.outcome.as_str(), claim(&pool, id, "same").await.outcome.as_str()),
        ("claimed", "running")
    );
    assert!(complete(&pool, first.id()).await);
    assert_eq!(claim(&pool, id, "same").await.outcome, "replayed");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (80, 0));
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn after_the_window_a_new_attempt_is_counted_and_charged() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for attempt in 1..=3 {
        deduct(&pool, id).await;
        let claimed = claim(&pool, id, "again").await;
        assert_eq!((claimed.outcome.as_str(), claimed.attempt), ("claimed", Some(attempt)));
        assert!(complete(&pool, claimed.id()).await);
        let_pass(&pool, "11 minutes").await;
    }
    assert_eq!(balance(&pool, id).await, 40);
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_key_stays_with_its_body_as_long_as_it_is_replayed() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let first = claim_body(&pool, id, "key", '1').await;
    deduct(&pool, id).await;
    let refused = claim_body(&pool, id, "key", '2').await;
    assert_eq!((refused.outcome.as_str(), refused.generation_id), ("other_body", None), "while it runs");
    assert_eq!(claim_body(&pool, id, "key", '1').await.outcome, "running");
    assert!(complete(&pool, first.id()).await);
    let refused = claim_body(&pool, id, "key", '2').await;
    assert_eq!((refused.outcome.as_str(), refused.result), ("other_body", None), "once it is delivered");
    let_pass(&pool, "9 minutes").await;
    assert_eq!(claim_body(&pool, id, "key", '2').await.outcome, "other_body");
    assert_eq!(deductions(&pool, id, "open").await, 1, "the refused call may take its 20 back");
    assert!(take_back(&pool, id).await.expect("the open deduction"));
    let_pass(&pool, "2 minutes").await;
    assert_eq!(claim_body(&pool, id, "key", '2').await.outcome, "insufficient", "the key is free again");
    let other = teacher(&pool).await;
    deduct(&pool, other).await;
    assert_eq!(claim_body(&pool, other, "key", '2').await.outcome, "claimed", "another's key is another key");
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_key_of_one_tool_is_free_for_any_body_of_another_tool() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    assert_eq!(claim_body(&pool, id, "key", '1').await.outcome, "claimed");
    deduct(&pool, id).await;
    let paper = "select from public.claim_generation($1, 'generate-question-paper', 'key', body_hash => repeat('2', 64))
        where outcome = 'claimed'";
    assert_eq!(service_runs(&pool, id, paper).await.expect("it is answered"), 1);
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_key_that_has_no_document_is_free_for_another_body() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let failed = claim_body(&pool, id, "failed", '1').await;
    assert!(fail(&pool, failed.id()).await);
    deduct(&pool, id).await;
    let corrected = claim_body(&pool, id, "failed", '2').await;
    assert_eq!((corrected.outcome.as_str(), corrected.attempt), ("claimed", Some(2)));
    assert!(cancel(&pool, id, "failed").await);
    deduct(&pool, id).await;
    assert_eq!(claim_body(&pool, id, "failed", '3').await.outcome, "claimed", "nor a cancelled one");
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_replay_of_a_letter_returns_no_deduction_of_another_call() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let tool = "generate-communication";
    let letter = claim_for(&pool, id, tool, "letter", false).await.expect("it is answered");
    assert!(complete(&pool, letter.id()).await);
    deduct(&pool, id).await;
    let replayed = claim_for(&pool, id, tool, "letter", false).await.expect("it is answered");
    assert_eq!(replayed.outcome, "replayed");
    assert_eq!(
        (balance(&pool, id).await, deductions(&pool, id, "open").await),
        (60, 1),
        "its client deducts nothing"
    );
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_deduction_that_anothers_replay_took_is_opened_again_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let plan = start_generation(&pool, id, "plan").await;
    assert!(complete(&pool, plan).await);
    deduct(&pool, id).await;
    assert_eq!(claim(&pool, id, "plan").await.outcome, "replayed", "fetched again without a charge");
    assert_eq!(balance(&pool, id).await, 80);
    assert_eq!(claim(&pool, id, "paper").await.outcome, "claimed", "by the tab that had deducted");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "claimed").await), (60, 1));
    assert_eq!(claim(&pool, id, "unpaid").await.outcome, "insufficient", "once for each");
    deduct(&pool, id).await;
    assert_eq!(claim(&pool, id, "plan").await.outcome, "replayed");
    let_pass(&pool, "61 seconds").await;
    assert_eq!(claim(&pool, id, "much later").await.outcome, "insufficient");
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn attempts_are_counted_by_body_whatever_the_keys() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for (key, attempt) in [("one", 1), ("two", 2), ("three", 3)] {
        deduct(&pool, id).await;
        let claimed = claim_body(&pool, id, key, 'a').await;
        assert_eq!((claimed.outcome.as_str(), claimed.attempt), ("claimed", Some(attempt)), "{key}");
        assert!(complete(&pool, claimed.id()).await);
    }
    let other = teacher(&pool).await;
    deduct(&pool, other).await;
    assert_eq!(claim_body(&pool, other, "three", 'a').await.attempt, Some(1), "another's are another's");
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_key_whose_body_another_key_had_before_goes_on_with_the_next_body() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for (key, body, attempt) in
        [("one", 'a', 1), ("two", 'a', 2), ("two", 'b', 3), ("one", 'b', 4), ("two", 'b', 5)]
    {
        deduct(&pool, id).await;
        let claimed = claim_body(&pool, id, key, body).await;
        assert_eq!((claimed.outcome.as_str(), claimed.attempt), ("claimed", Some(attempt)), "{key} {body}");
        assert!(complete(&pool, claimed.id()).await);
        let_pass(&pool, "11 minutes").await;
    }
    assert_books_balance(&pool).await;
}

// rows: app/D08
#[tokio::test]
async fn a_stored_result_is_not_replayed_to_another_user_or_tool() {
    let pool = product_database().await;
    let (owner, other) = (teacher(&pool).await, teacher(&pool).await);
    let generation = start_generation(&pool, owner, "same").await;
    assert!(complete(&pool, generation).await);
    assert_eq!(claim(&pool, other, "same").await.outcome, "insufficient");
    let paper = claim_for(&pool, owner, "generate-question-paper", "same", false).await;
    assert_eq!(paper.expect("it is answered").outcome, "insufficient");
}
