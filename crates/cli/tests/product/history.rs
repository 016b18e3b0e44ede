use crate::callers::{FORBIDDEN, refusal, service_runs, user_runs, user_runs_on, visitor_runs};
use crate::database::product_database;
use crate::wallet_calls::{claim_body, complete, deduct, fail, let_pass, start_generation, sweep, teacher};

const LOOK: &str = "select from public.generations where result is not null";

// rows: app/D08
#[tokio::test]
async fn the_owner_reads_delivered_documents_for_24_hours() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "kept").await;
    assert_eq!(user_runs(&pool, id, "select from public.generations").await.expect("it runs"), 0, "running");
    assert!(complete(&pool, generation).await);
    let failed = start_generation(&pool, id, "failed").await;
    assert!(fail(&pool, failed).await);
    assert_eq!(user_runs(&pool, id, LOOK).await.expect("it runs"), 1);
    let_pass(&pool, "23 hours 59 minutes").await;
    assert_eq!(sweep(&pool).await, 0);
    assert_eq!(user_runs(&pool, id, LOOK).await.expect("it runs"), 1);
    let_pass(&pool, "2 minutes").await;
    assert_eq!(user_runs(&pool, id, LOOK).await.expect("it runs"), 0, "over");
}

// rows: app/D08
#[tokio::test]
async fn nobody_reads_or_writes_the_documents_of_another() {
    let pool = product_database().await;
    let (id, intruder) = (teacher(&pool).await, teacher(&pool).await);
    let generation = start_generation(&pool, id, "kept").await;
    assert!(complete(&pool, generation).await);
    assert_eq!(user_runs(&pool, intruder, LOOK).await.expect("it runs"), 0);
    assert_eq!(refusal(visitor_runs(&pool, LOOK).await), FORBIDDEN);
    for statement in [
        "update public.generations set user_id = user_id",
        "delete from public.generations",
        "insert into public.generations (user_id, tool, request_key, attempt, deadline_at)
            values ($1, 'generate-lesson-plan', 'forged', 1, now())",
    ] {
        assert_eq!(refusal(user_runs_on(&pool, intruder, id, statement).await), FORBIDDEN, "{statement}");
        assert_eq!(refusal(service_runs(&pool, id, statement).await), FORBIDDEN, "{statement}");
    }
}

// rows: app/D08
#[tokio::test]
async fn old_documents_are_erased_and_their_rows_stay() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let generation = start_generation(&pool, id, "old").await;
    assert!(complete(&pool, generation).await);
    let_pass(&pool, "25 hours").await;
    sweep(&pool).await;
    let rows: (i64, i64) = sqlx::query_as("select count(*), count(result) from public.generations")
        .fetch_one(&*pool)
        .await
        .expect("the owner reads");
    assert_eq!(rows, (1, 0));
}

// rows: app/D07
#[tokio::test]
async fn a_deleted_account_leaves_nothing_personal() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let delivered = claim_body(&pool, id, "delivered", 'd').await.id();
    assert!(complete(&pool, delivered).await);
    let failed = start_generation(&pool, id, "failed").await;
    assert!(fail(&pool, failed).await);
    let running = start_generation(&pool, id, "running").await;
    sqlx::query("delete from auth.users where id = $1")
        .bind(id)
        .execute(&*pool)
        .await
        .expect("an account may go");
    assert!(!complete(&pool, running).await, "nothing is stored for an account that is gone");
    let rows: (i64, i64, i64, i64, i64) = sqlx::query_as(
        "select count(*), count(result), count(body_hash), count(failure_reason),
           count(*) filter (where request_key in ('delivered', 'failed', 'running'))
         from public.generations",
    )
    .fetch_one(&*pool)
    .await
    .expect("the owner reads");
    assert_eq!(rows, (3, 0, 0, 0, 0));
}
