//! What is claimed, by whom, and what is spent for it (D01, D03).

use crate::callers::{
    AGAINST_THE_RULES, FORBIDDEN, as_service, refusal, service_runs, user_runs, user_runs_on, visitor_runs,
};
use crate::database::product_database;
use crate::wallet_calls::{
    LESSON_PLAN, assert_books_balance, balance, change_coins, claim, claim_for, complete, deduct, deductions,
    fail, start_generation, take_back, teacher,
};

// rows: app/D01
#[tokio::test]
async fn a_deduction_is_claimed_and_spent() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "photosynthesis").await;
    assert_eq!(deductions(&pool, id, "claimed").await, 1);
    assert!(complete(&pool, generation).await);
    assert_eq!(deductions(&pool, id, "spent").await, 1);
    assert_eq!(balance(&pool, id).await, 80);
    assert_books_balance(&pool).await;
}

// rows: app/D01
#[tokio::test]
async fn without_an_open_deduction_nothing_is_made() {
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

// rows: app/D01
#[tokio::test]
async fn anothers_deduction_is_not_claimed() {
    let pool = product_database().await;
    let (owner, intruder) = (teacher(&pool).await, teacher(&pool).await);
    deduct(&pool, owner).await;
    assert_eq!(claim(&pool, intruder, "stolen").await.outcome, "insufficient");
    assert_eq!(deductions(&pool, owner, "open").await, 1);
    assert_eq!(refusal(take_back(&pool, intruder).await), AGAINST_THE_RULES);
    assert_eq!(claim(&pool, owner, "stolen").await.outcome, "claimed");
}

// rows: app/D01
#[tokio::test]
async fn the_procedures_are_for_the_service_key_alone() {
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
        "update private.settings set payment_ceiling = 1 where $1::uuid is not null",
        "select private.generation_price() where $1::uuid is not null",
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

// rows: app/D03
#[tokio::test]
async fn communication_takes_the_price_itself() {
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

// rows: app/D01
#[tokio::test]
async fn nonsense_is_refused() {
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

// rows: app/D01
#[tokio::test]
async fn the_table_itself_lets_no_deduction_go_back() {
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
