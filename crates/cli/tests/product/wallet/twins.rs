//! Calls that wait for a generation which another call began, and what becomes of them when it ends
//! without a document; and calls that another one's claim was faster than (D03, D09).

use uuid::Uuid;

use crate::callers::{AGAINST_THE_RULES, refusal, service_runs};
use crate::database::product_database;
use crate::wallet_calls::{
    LESSON_PLAN, assert_books_balance, balance, cancel, claim, claim_for, claim_numbered, claim_numbered_for,
    complete, deduct, deductions, fail, let_pass, start_generation, take_back, teacher,
};

/// The tool that charges by itself.
const MESSAGE: &str = "generate-communication";

// rows: app/D09
#[tokio::test]
async fn a_call_that_waits_for_what_is_cancelled_ends_with_it_and_charges_nothing() {
    let pool = product_database().await;
    for tool in [MESSAGE, LESSON_PLAN] {
        let id = teacher(&pool).await;
        if tool == LESSON_PLAN {
            deduct(&pool, id).await;
        }
        let (lost, again) = (Uuid::new_v4(), Uuid::new_v4());
        assert_eq!(claim_numbered_for(&pool, id, tool, "slow", lost).await.outcome, "claimed", "{tool}");
        let waits = claim_numbered_for(&pool, id, tool, "slow", again).await;
        assert_eq!((waits.outcome.as_str(), balance(&pool, id).await), ("running", 80), "{tool}");
        assert!(cancel(&pool, id, "slow").await, "{tool}");
        for _ in 0..2 {
            let ended = claim_numbered_for(&pool, id, tool, "slow", again).await;
            assert_eq!((ended.outcome.as_str(), ended.id()), ("ended", waits.id()), "{tool}");
        }
        assert_eq!((balance(&pool, id).await, deductions(&pool, id, "claimed").await), (100, 0), "{tool}");
    }
    assert_books_balance(&pool).await;
}

// rows: app/D09
#[tokio::test]
async fn what_was_deducted_for_a_call_that_ends_with_a_cancelled_one_goes_back_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    start_generation(&pool, id, "slow").await;
    deduct(&pool, id).await;
    let call = Uuid::new_v4();
    assert_eq!(claim_numbered(&pool, id, "slow", call).await.outcome, "running");
    assert!(cancel(&pool, id, "slow").await);
    assert_eq!(claim_numbered(&pool, id, "slow", call).await.outcome, "ended");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "open").await), (100, 0));
    deduct(&pool, id).await;
    assert_eq!(claim_numbered(&pool, id, "slow", call).await.outcome, "ended", "asked again");
    assert_eq!(deductions(&pool, id, "open").await, 1, "what another call has opened stays open");
    assert_eq!(claim_numbered(&pool, id, "slow", Uuid::new_v4()).await.outcome, "claimed", "a new press");
    assert_eq!(claim_numbered(&pool, id, "slow", call).await.outcome, "ended", "also while that one runs");
    assert_books_balance(&pool).await;
}

// rows: app/D09
#[tokio::test]
async fn a_call_that_waits_for_what_fails_is_told_so_or_pays_for_another() {
    let pool = product_database().await;
    let (id, stranger) = (teacher(&pool).await, teacher(&pool).await);
    let call = Uuid::new_v4();
    let failing = start_generation(&pool, id, "failing").await;
    assert_eq!(claim_numbered(&pool, id, "failing", call).await.outcome, "running");
    assert!(fail(&pool, failing).await);
    let told = claim_numbered(&pool, id, "failing", call).await;
    assert_eq!((told.outcome.as_str(), told.id()), ("failed", failing));
    assert_eq!(claim_numbered(&pool, stranger, "failing", call).await.outcome, "insufficient");
    assert_eq!(claim(&pool, id, "failing").await.outcome, "insufficient", "which had not waited");
    let silent = start_generation(&pool, id, "silent").await;
    assert_eq!(claim_numbered(&pool, id, "silent", call).await.outcome, "running");
    let_pass(&pool, "26 seconds").await;
    let told = claim_numbered(&pool, id, "silent", call).await;
    assert_eq!((told.outcome.as_str(), told.id()), ("failed", silent));
    deduct(&pool, id).await;
    let paid = claim_numbered(&pool, id, "silent", call).await;
    assert_eq!((paid.outcome.as_str(), paid.attempt), ("claimed", Some(2)), "it has a deduction of its own");
    let message = Uuid::new_v4();
    let letter = claim_for(&pool, stranger, MESSAGE, "letter", false).await.expect("it is answered");
    assert_eq!(claim_numbered_for(&pool, stranger, MESSAGE, "letter", message).await.outcome, "running");
    assert!(fail(&pool, letter.id()).await);
    let another = claim_numbered_for(&pool, stranger, MESSAGE, "letter", message).await;
    assert_eq!((another.outcome.as_str(), balance(&pool, stranger).await), ("claimed", 80));
    assert_books_balance(&pool).await;
}

// rows: app/D03
#[tokio::test]
async fn a_deduction_that_a_message_was_faster_to_claim_is_opened_again_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let letter = claim_for(&pool, id, MESSAGE, "letter", false).await.expect("it is answered");
    assert_eq!((letter.outcome.as_str(), balance(&pool, id).await), ("claimed", 80));
    assert_eq!(
        refusal(take_back(&pool, id).await),
        AGAINST_THE_RULES,
        "what a message has is not taken back"
    );
    let plan = claim(&pool, id, "plan").await;
    assert_eq!(
        (plan.outcome.as_str(), balance(&pool, id).await),
        ("claimed", 60),
        "by the tab that had deducted"
    );
    assert_eq!(claim(&pool, id, "unpaid").await.outcome, "insufficient", "once");
    assert!(complete(&pool, letter.id()).await && complete(&pool, plan.id()).await);
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "spent").await), (60, 2));
    assert_books_balance(&pool).await;
}

// rows: app/D03
#[tokio::test]
async fn a_message_that_charged_by_itself_stands_for_no_other_call() {
    let pool = product_database().await;
    let (id, late, poor) = (teacher(&pool).await, teacher(&pool).await, teacher(&pool).await);
    claim_for(&pool, id, MESSAGE, "letter", false).await.expect("it is answered");
    assert_eq!(claim(&pool, id, "unpaid").await.outcome, "insufficient");
    assert_eq!(balance(&pool, id).await, 80);
    for id in [late, poor] {
        deduct(&pool, id).await;
        let letter = claim_for(&pool, id, MESSAGE, "letter", false).await.expect("it is answered");
        assert!(complete(&pool, letter.id()).await);
    }
    let spent = "update public.profiles set coins = 19 where user_id = $1";
    service_runs(&pool, poor, spent).await.expect("free");
    assert_eq!(claim(&pool, poor, "plan").await.outcome, "insufficient", "19 pay for nothing");
    let_pass(&pool, "61 seconds").await;
    assert_eq!(claim(&pool, late, "plan").await.outcome, "insufficient", "much later");
    assert_eq!((balance(&pool, late).await, balance(&pool, poor).await), (80, 19));
    assert_books_balance(&pool).await;
}
