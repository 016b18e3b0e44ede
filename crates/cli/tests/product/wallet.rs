use serde_json::json;

use crate::callers::{
    AGAINST_THE_RULES, FORBIDDEN, as_service, refusal, service_runs, user_runs, user_runs_on, visitor_runs,
};
use crate::database::product_database;
use crate::wallet_calls::{
    LESSON_PLAN, assert_books_balance, balance, cancel, change_coins, claim, claim_body, claim_for, complete,
    complete_with, deduct, deductions, fail, ledger_reasons, let_pass, start_generation, start_profile,
    sweep, take_back, teacher,
};

#[tokio::test]
async fn wallet_d01_a_deduction_is_claimed_and_spent() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "photosynthesis").await;
    assert_eq!(deductions(&pool, id, "claimed").await, 1);
    assert!(complete(&pool, generation).await);
    assert_eq!(deductions(&pool, id, "spent").await, 1);
    assert_eq!(balance(&pool, id).await, 80);
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d01_a_completion_is_told_again_for_its_own_result_only() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "told twice").await;
    assert!(complete(&pool, generation).await);
    assert!(complete(&pool, generation).await, "its answer was lost");
    assert!(!complete_with(&pool, generation, json!({ "another": 1 })).await, "nothing else is taken for it");
    assert_eq!((balance(&pool, id).await, deductions(&pool, id, "spent").await), (80, 1));
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d01_without_an_open_deduction_nothing_is_made() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    assert_eq!(claim(&pool, id, "unpaid").await.outcome, "insufficient");
    assert!(change_coins(&pool, id, 100, 81).await.expect("19 may go"));
    assert_eq!(claim(&pool, id, "underpaid").await.outcome, "insufficient");
    let first = start_generation(&pool, id, "first").await;
    assert_eq!(claim(&pool, id, "second on the same deduction").await.outcome, "insufficient");
    assert!(complete(&pool, first).await);
    assert_eq!(claim(&pool, id, "third on the spent deduction").await.outcome, "insufficient");
    let nobody = uuid::Uuid::new_v4();
    assert_eq!(claim(&pool, nobody, "no profile").await.outcome, "insufficient");
}

#[tokio::test]
async fn wallet_d01_anothers_deduction_is_not_claimed() {
    let pool = product_database().await;
    let (owner, intruder) = (teacher(&pool).await, teacher(&pool).await);
    deduct(&pool, owner).await;
    assert_eq!(claim(&pool, intruder, "stolen").await.outcome, "insufficient");
    assert_eq!(deductions(&pool, owner, "open").await, 1);
    assert_eq!(refusal(take_back(&pool, intruder).await), AGAINST_THE_RULES);
    assert_eq!(claim(&pool, owner, "stolen").await.outcome, "claimed");
}

#[tokio::test]
async fn wallet_d01_the_procedures_are_for_the_service_key_alone() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    for statement in [
        "select * from public.claim_generation($1, 'generate-lesson-plan', 'k')",
        "select public.complete_generation($1, '{}')",
        "select public.fail_generation($1, 'give it back')",
        "select public.sweep_deductions()",
        "select private.give_back($1)",
        "select private.give_back_due($1)",
        "select private.change_coins($1, 1000, 'admin')",
        "select private.write_entry($1, 0, 80, 'admin')",
        "select from private.deductions where user_id = $1",
        "update private.settings set generation_price = 1 where $1::uuid is not null",
    ] {
        assert_eq!(refusal(user_runs(&pool, id, statement).await), FORBIDDEN, "{statement}");
    }
    for statement in [
        "select private.give_back_due($1)",
        "select private.change_coins($1, 1000, 'admin')",
        "update private.deductions set state = 'open' where user_id = $1",
        "update public.generations set status = 'failed' where user_id = $1",
        "delete from public.generations where user_id = $1",
    ] {
        assert_eq!(refusal(service_runs(&pool, id, statement).await), FORBIDDEN, "{statement}");
    }
    for statement in [
        "select public.claim_generation(gen_random_uuid(), 'generate-lesson-plan', 'k')",
        "select public.sweep_deductions()",
        "select public.cancel_generation('k')",
    ] {
        assert_eq!(refusal(visitor_runs(&pool, statement).await), FORBIDDEN, "{statement}");
    }
    let cancel_by_service = "select public.cancel_generation('k')";
    assert_eq!(refusal(service_runs(&pool, id, cancel_by_service).await), FORBIDDEN);
}

#[tokio::test]
async fn wallet_d02_an_open_deduction_is_taken_back_once() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    assert!(take_back(&pool, id).await.expect("the call never arrived"));
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES);
    assert_eq!(claim(&pool, id, "after the refund").await.outcome, "insufficient");
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d02_two_deductions_are_taken_back_one_by_one() {
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

#[tokio::test]
async fn wallet_d02_a_delivered_or_running_document_is_not_refunded() {
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

#[tokio::test]
async fn wallet_d02_a_failure_gives_back_once_and_the_clients_refund_is_harmless() {
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

#[tokio::test]
async fn wallet_d02_the_sweep_returns_what_nobody_claimed() {
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

#[tokio::test]
async fn wallet_d02_the_sweep_returns_what_passed_its_deadline() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "stuck").await;
    assert_eq!(sweep(&pool).await, 0, "still in time");
    let_pass(&pool, "151 seconds").await;
    assert_eq!(sweep(&pool).await, 1);
    assert_eq!(sweep(&pool).await, 0);
    assert!(!complete(&pool, generation).await, "too late to be paid");
    assert!(!fail(&pool, generation).await, "already back");
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d02_a_wallet_that_cannot_be_swept_keeps_nothing_from_the_others() {
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

#[tokio::test]
async fn wallet_d02_a_claim_returns_what_is_due_before_it_looks() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    start_generation(&pool, id, "forgotten").await;
    let_pass(&pool, "11 minutes").await;
    assert_eq!(claim(&pool, id, "late").await.outcome, "insufficient");
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d07_a_failure_without_a_profile_waits_for_one() {
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

#[tokio::test]
async fn wallet_d02_the_owner_takes_back_what_a_failed_generation_holds() {
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

#[tokio::test]
async fn wallet_d03_communication_takes_the_price_itself() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let tool = "generate-communication";
    let claimed = claim_for(&pool, id, tool, "notice", false).await.expect("it is answered");
    assert_eq!((claimed.outcome.as_str(), balance(&pool, id).await), ("claimed", 80));
    assert!(fail(&pool, claimed.id()).await);
    assert_eq!(balance(&pool, id).await, 100);
    deduct(&pool, id).await;
    let claimed = claim_for(&pool, id, tool, "notice", false).await.expect("it is answered");
    assert_eq!((claimed.outcome.as_str(), balance(&pool, id).await), ("claimed", 80), "the open one is used");
    service_runs(&pool, id, "update public.profiles set coins = 19 where user_id = $1").await.expect("free");
    let poor = claim_for(&pool, id, tool, "another", false).await.expect("it is answered");
    assert_eq!((poor.outcome.as_str(), balance(&pool, id).await), ("insufficient", 19));
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d08_the_same_request_is_replayed_and_the_fresh_deduction_returned() {
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

#[tokio::test]
async fn wallet_d08_a_replay_returns_one_deduction_of_several() {
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

#[tokio::test]
async fn wallet_d08_a_running_request_is_named_and_not_charged_again() {
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

#[tokio::test]
async fn wallet_d08_after_the_window_a_new_attempt_is_counted_and_charged() {
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

#[tokio::test]
async fn wallet_d08_a_key_stays_with_its_body_as_long_as_it_is_replayed() {
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

#[tokio::test]
async fn wallet_d08_a_key_that_has_no_document_is_free_for_another_body() {
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

#[tokio::test]
async fn wallet_d08_a_replay_of_a_letter_returns_no_deduction_of_another_call() {
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

#[tokio::test]
async fn wallet_d08_a_deduction_that_anothers_replay_took_is_opened_again_once() {
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

#[tokio::test]
async fn wallet_d02_a_deduction_that_anothers_late_refund_took_is_opened_again_once() {
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

#[tokio::test]
async fn wallet_d08_attempts_are_counted_by_body_whatever_the_keys() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for (key, attempt) in [("one", 1), ("two", 2), ("three", 3)] {
        deduct(&pool, id).await;
        let claimed = claim_body(&pool, id, key, 'a').await;
        assert_eq!((claimed.outcome.as_str(), claimed.attempt), ("claimed", Some(attempt)), "{key}");
        assert!(complete(&pool, claimed.id()).await);
    }
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d08_a_key_whose_body_another_key_had_before_goes_on_with_the_next_body() {
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

#[tokio::test]
async fn wallet_d09_a_generation_with_a_body_is_cancelled_by_its_key() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let claimed = claim_body(&pool, id, "slow", 'b').await;
    assert!(cancel(&pool, id, "slow").await);
    assert!(!complete(&pool, claimed.id()).await);
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d08_a_stored_result_is_not_replayed_to_another_user_or_tool() {
    let pool = product_database().await;
    let (owner, other) = (teacher(&pool).await, teacher(&pool).await);
    let generation = start_generation(&pool, owner, "same").await;
    assert!(complete(&pool, generation).await);
    assert_eq!(claim(&pool, other, "same").await.outcome, "insufficient");
    let paper = claim_for(&pool, owner, "generate-question-paper", "same", false).await;
    assert_eq!(paper.expect("it is answered").outcome, "insufficient");
}

#[tokio::test]
async fn wallet_d09_a_cancelled_generation_is_returned_once_and_not_delivered() {
    let pool = product_database().await;
    let (id, other) = (teacher(&pool).await, teacher(&pool).await);
    let generation = start_generation(&pool, id, "slow").await;
    assert!(!cancel(&pool, other, "slow").await, "only the own");
    assert!(!cancel(&pool, id, "unknown").await);
    assert!(cancel(&pool, id, "slow").await);
    assert!(!cancel(&pool, id, "slow").await, "once");
    assert!(!complete(&pool, generation).await);
    assert!(!fail(&pool, generation).await);
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES);
    assert_eq!(balance(&pool, id).await, 100);
    let again = start_generation(&pool, id, "slow").await;
    assert!(complete(&pool, again).await, "a new try is a new generation");
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d10_the_limits_hold_and_leave_the_deduction_open() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    service_runs(&pool, id, "update public.profiles set coins = 100000 where user_id = $1")
        .await
        .expect("free");
    for number in 0..6 {
        deduct(&pool, id).await;
        let claimed = claim_for(&pool, id, LESSON_PLAN, &number.to_string(), true).await.expect("answered");
        assert_eq!(claimed.outcome, "claimed");
        assert!(fail(&pool, claimed.id()).await);
    }
    deduct(&pool, id).await;
    let limited = claim_for(&pool, id, LESSON_PLAN, "seventh", true).await.expect("answered");
    assert_eq!(limited.outcome, "rate_limited");
    assert!((1..=60).contains(&limited.retry_after.expect("seconds to wait")));
    assert_eq!(deductions(&pool, id, "open").await, 1);
    let built_in = claim_for(&pool, id, LESSON_PLAN, "seventh", false).await.expect("answered");
    assert_eq!(built_in.outcome, "claimed", "the built-in generator has limits of its own");
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn wallet_d10_the_daily_and_the_built_in_limit_hold() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    sqlx::query(
        "insert into public.generations (user_id, tool, request_key, attempt, model_backed, status, started_at, deadline_at, finished_at)
         select $1, 'generate-lesson-plan', number::text, 1, true, 'finished', now() - interval '2 hours', now(), now()
         from generate_series(1, 60) as number",
    )
    .bind(id)
    .execute(&*pool)
    .await
    .expect("the owner writes history");
    deduct(&pool, id).await;
    let daily = claim_for(&pool, id, LESSON_PLAN, "one more", true).await.expect("answered");
    assert_eq!(daily.outcome, "rate_limited");
    assert!((21 * 3600..=22 * 3600).contains(&daily.retry_after.expect("seconds to wait")));
    sqlx::query(
        "insert into public.generations (user_id, tool, request_key, attempt, status, deadline_at, finished_at)
         select $1, 'generate-lesson-plan', 'b' || number, 1, 'failed', now(), now()
         from generate_series(1, 120) as number",
    )
    .bind(id)
    .execute(&*pool)
    .await
    .expect("the owner writes history");
    assert_eq!(claim(&pool, id, "one more").await.outcome, "rate_limited");
    let other = teacher(&pool).await;
    deduct(&pool, other).await;
    assert_eq!(claim(&pool, other, "of another user").await.outcome, "claimed");
}

#[tokio::test]
async fn wallet_d01_nonsense_is_refused() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    for (tool, key) in
        [("generate-money", "k"), ("", "k"), (LESSON_PLAN, ""), (LESSON_PLAN, &"k".repeat(201))]
    {
        assert_eq!(refusal(claim_for(&pool, id, tool, key, false).await), "22023", "{tool} {key}");
    }
    let generation = claim(&pool, id, "k").await.id();
    let mut caller = as_service(&pool).await;
    let empty =
        sqlx::query("select public.complete_generation($1, null)").bind(generation).execute(&mut *caller);
    assert_eq!(refusal(empty.await), "22023");
    drop(caller);
    assert!(!complete(&pool, uuid::Uuid::new_v4()).await);
    assert!(!fail(&pool, uuid::Uuid::new_v4()).await);
}

#[tokio::test]
async fn wallet_d01_the_table_itself_lets_no_deduction_go_back() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "done").await;
    assert!(complete(&pool, generation).await);
    for statement in [
        "update private.deductions set state = 'open', settled_at = null",
        "update private.deductions set state = 'returned'",
        "update private.deductions set amount = 1",
        "update private.deductions set user_id = gen_random_uuid()",
    ] {
        assert_eq!(refusal(sqlx::query(statement).execute(&*pool).await), AGAINST_THE_RULES, "{statement}");
    }
    let remove = sqlx::query("delete from private.deductions").execute(&*pool);
    assert_eq!(refusal(remove.await), FORBIDDEN);
    let intruder = teacher(&pool).await;
    let look = "select from public.generations where user_id = $1";
    assert_eq!(user_runs_on(&pool, intruder, id, look).await.expect("it runs"), 0);
}
