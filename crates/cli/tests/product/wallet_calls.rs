use serde_json::Value;
use sqlx::PgPool;
use sqlx::types::Json;
use uuid::Uuid;

use crate::callers::{as_service, as_user, sign_up};

/// The tool whose client deducts before it calls.
pub(crate) const LESSON_PLAN: &str = "generate-lesson-plan";

/// What `claim_generation` answers.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct Claim {
    pub(crate) outcome: String,
    pub(crate) generation_id: Option<Uuid>,
    pub(crate) attempt: Option<i32>,
    pub(crate) result: Option<Json<Value>>,
    pub(crate) retry_after: Option<i32>,
}

impl Claim {
    /// The generation that was claimed or found.
    ///
    /// # Panics
    /// When the outcome names none.
    pub(crate) fn id(&self) -> Uuid {
        self.generation_id.expect("this outcome names a generation")
    }
}

/// An account with a profile that starts at 100 credits.
pub(crate) async fn teacher(pool: &PgPool) -> Uuid {
    let id = sign_up(pool).await;
    start_profile(pool, id, 100).await.expect("100 is a starting balance");
    id
}

/// The insert of S-369.
pub(crate) async fn start_profile(pool: &PgPool, id: Uuid, coins: i32) -> Result<i32, sqlx::Error> {
    let mut caller = as_user(pool, id).await;
    let started =
        sqlx::query_scalar("insert into public.profiles (user_id, coins) values ($1, $2) returning coins")
            .bind(id)
            .bind(coins)
            .fetch_one(&mut *caller)
            .await?;
    caller.commit().await?;
    Ok(started)
}

/// The update of D05: writes `to` if the balance is still `from`; answers whether it was.
pub(crate) async fn change_coins(pool: &PgPool, id: Uuid, from: i32, to: i32) -> Result<bool, sqlx::Error> {
    let mut caller = as_user(pool, id).await;
    let changed = sqlx::query(
        "update public.profiles set coins = $3, updated_at = now() where user_id = $1 and coins = $2",
    )
    .bind(id)
    .bind(from)
    .bind(to)
    .execute(&mut *caller)
    .await?;
    caller.commit().await?;
    Ok(changed.rows_affected() == 1)
}

/// Opens a deduction as the client does.
pub(crate) async fn deduct(pool: &PgPool, id: Uuid) {
    let coins = balance(pool, id).await;
    assert!(change_coins(pool, id, coins, coins - 20).await.expect("20 may be deducted"));
}

/// Takes 20 back as the client does.
pub(crate) async fn take_back(pool: &PgPool, id: Uuid) -> Result<bool, sqlx::Error> {
    let coins = balance(pool, id).await;
    change_coins(pool, id, coins, coins + 20).await
}

/// Claims for the lesson plan.
pub(crate) async fn claim(pool: &PgPool, id: Uuid, key: &str) -> Claim {
    claim_for(pool, id, LESSON_PLAN, key, false).await.expect("a claim is answered")
}

/// Claims for the lesson plan under a number of the call's own.
pub(crate) async fn claim_numbered(pool: &PgPool, id: Uuid, key: &str, number: Uuid) -> Claim {
    claim_numbered_for(pool, id, LESSON_PLAN, key, number).await
}

/// The same for any tool.
pub(crate) async fn claim_numbered_for(
    pool: &PgPool,
    id: Uuid,
    tool: &str,
    key: &str,
    number: Uuid,
) -> Claim {
    try_to_claim(pool, id, tool, key, number).await.expect("a claim is answered")
}

/// The same where it may be refused.
pub(crate) async fn try_to_claim(
    pool: &PgPool,
    id: Uuid,
    tool: &str,
    key: &str,
    number: Uuid,
) -> Result<Claim, sqlx::Error> {
    let mut caller = as_service(pool).await;
    let claim = sqlx::query_as("select * from public.claim_generation($1, $2, $3, claim_id => $4)")
        .bind(id)
        .bind(tool)
        .bind(key)
        .bind(number)
        .fetch_one(&mut *caller)
        .await?;
    caller.commit().await?;
    Ok(claim)
}

/// Gives up the claim of that number; answers whether credits went back now.
pub(crate) async fn fail_claim(pool: &PgPool, id: Uuid, number: Uuid) -> bool {
    let mut caller = as_service(pool).await;
    let returned = sqlx::query_scalar("select public.fail_claim($1, $2, 'claim_not_answered')")
        .bind(id)
        .bind(number)
        .fetch_one(&mut *caller)
        .await
        .expect("giving up is answered");
    caller.commit().await.expect("giving up commits");
    returned
}

/// Counts a request that was refused as unsafe, one of its own each time; answers the seconds to
/// wait.
pub(crate) async fn note_refusal(pool: &PgPool, id: Uuid) -> i32 {
    note_refusal_of(pool, id, &Uuid::new_v4().simple().to_string().repeat(2)).await
}

/// Counts the request with that hash.
pub(crate) async fn note_refusal_of(pool: &PgPool, id: Uuid, body_hash: &str) -> i32 {
    let mut caller = as_service(pool).await;
    let seconds = sqlx::query_scalar("select public.note_refusal($1, $2, $3)")
        .bind(id)
        .bind(LESSON_PLAN)
        .bind(body_hash)
        .fetch_one(&mut *caller)
        .await
        .expect("a refusal is counted");
    caller.commit().await.expect("it commits");
    seconds
}

/// Claims for the lesson plan that a body asks for, named here by one digit.
pub(crate) async fn claim_body(pool: &PgPool, id: Uuid, key: &str, body: char) -> Claim {
    let mut caller = as_service(pool).await;
    let claim = sqlx::query_as("select * from public.claim_generation($1, $2, $3, body_hash => $4)")
        .bind(id)
        .bind(LESSON_PLAN)
        .bind(key)
        .bind(body.to_string().repeat(64))
        .fetch_one(&mut *caller)
        .await
        .expect("a claim is answered");
    caller.commit().await.expect("a claim commits");
    claim
}

/// Claims for a tool, with or without a language model.
pub(crate) async fn claim_for(
    pool: &PgPool,
    id: Uuid,
    tool: &str,
    key: &str,
    model_backed: bool,
) -> Result<Claim, sqlx::Error> {
    let mut caller = as_service(pool).await;
    let claim = sqlx::query_as("select * from public.claim_generation($1, $2, $3, $4)")
        .bind(id)
        .bind(tool)
        .bind(key)
        .bind(model_backed)
        .fetch_one(&mut *caller)
        .await?;
    caller.commit().await?;
    Ok(claim)
}

/// Deducts and claims: a paid generation is running.
pub(crate) async fn start_generation(pool: &PgPool, id: Uuid, key: &str) -> Uuid {
    deduct(pool, id).await;
    let claimed = claim(pool, id, key).await;
    assert_eq!(claimed.outcome, "claimed");
    claimed.id()
}

/// Completes a generation with a small document.
pub(crate) async fn complete(pool: &PgPool, generation: Uuid) -> bool {
    complete_with(pool, generation, serde_json::json!({ "filename": "lesson-plan-1.rtf" })).await
}

/// Completes a generation with a document of one's own.
pub(crate) async fn complete_with(pool: &PgPool, generation: Uuid, result: serde_json::Value) -> bool {
    let mut caller = as_service(pool).await;
    let completed = sqlx::query_scalar("select public.complete_generation($1, $2)")
        .bind(generation)
        .bind(Json(result))
        .fetch_one(&mut *caller)
        .await
        .expect("a completion is answered");
    caller.commit().await.expect("a completion commits");
    completed
}

/// Fails a generation.
pub(crate) async fn fail(pool: &PgPool, generation: Uuid) -> bool {
    let mut caller = as_service(pool).await;
    let returned = sqlx::query_scalar("select public.fail_generation($1, 'the model did not answer')")
        .bind(generation)
        .fetch_one(&mut *caller)
        .await
        .expect("a failure is answered");
    caller.commit().await.expect("a failure commits");
    returned
}

/// Says that a call was refused before its claim; answers whether credits went back now.
pub(crate) async fn refuse_call(pool: &PgPool, id: Uuid, tool: &str) -> bool {
    let mut caller = as_service(pool).await;
    let returned = sqlx::query_scalar("select public.refuse_call($1, $2)")
        .bind(id)
        .bind(tool)
        .fetch_one(&mut *caller)
        .await
        .expect("a refusal is answered");
    caller.commit().await.expect("a refusal commits");
    returned
}

/// Says that a generation goes on; answers whether it does.
pub(crate) async fn prolong(pool: &PgPool, generation: Uuid) -> bool {
    let mut caller = as_service(pool).await;
    let goes_on = sqlx::query_scalar("select public.prolong_generation($1)")
        .bind(generation)
        .fetch_one(&mut *caller)
        .await
        .expect("it is answered");
    caller.commit().await.expect("it commits");
    goes_on
}

/// Cancels as the signed-in user.
pub(crate) async fn cancel(pool: &PgPool, id: Uuid, key: &str) -> bool {
    let mut caller = as_user(pool, id).await;
    let cancelled = sqlx::query_scalar("select public.cancel_generation($1)")
        .bind(key)
        .fetch_one(&mut *caller)
        .await
        .expect("a cancellation is answered");
    caller.commit().await.expect("a cancellation commits");
    cancelled
}

/// Sweeps with the service key.
pub(crate) async fn sweep(pool: &PgPool) -> i32 {
    let mut caller = as_service(pool).await;
    let returned = sqlx::query_scalar("select public.sweep_deductions()")
        .fetch_one(&mut *caller)
        .await
        .expect("a sweep is answered");
    caller.commit().await.expect("a sweep commits");
    returned
}

/// The balance, read past all policies.
pub(crate) async fn balance(pool: &PgPool, id: Uuid) -> i32 {
    sqlx::query_scalar("select coins from public.profiles where user_id = $1")
        .bind(id)
        .fetch_one(pool)
        .await
        .expect("the profile exists")
}

/// How many deductions of that user are in that state.
pub(crate) async fn deductions(pool: &PgPool, id: Uuid, state: &str) -> i64 {
    sqlx::query_scalar("select count(*) from private.deductions where user_id = $1 and state = $2")
        .bind(id)
        .bind(state)
        .fetch_one(pool)
        .await
        .expect("deductions can be counted")
}

/// The reasons in the ledger of a user, oldest first.
pub(crate) async fn ledger_reasons(pool: &PgPool, id: Uuid) -> Vec<String> {
    sqlx::query_scalar("select reason from public.credit_ledger where user_id = $1 order by entry")
        .bind(id)
        .fetch_all(pool)
        .await
        .expect("the ledger can be read")
}

/// Lets time pass for everything in the wallets: moves all recorded moments into the past.
pub(crate) async fn let_pass(pool: &PgPool, interval: &str) {
    let mut owner = pool.begin().await.expect("a transaction begins");
    for statement in [
        "alter table private.deductions disable trigger keep_deduction_order",
        "update private.deductions set opened_at = opened_at - $1::interval, settled_at = settled_at - $1::interval",
        "alter table private.deductions enable trigger keep_deduction_order",
        "update private.refused_requests set refused_at = refused_at - $1::interval",
        "update private.claims set asked_at = asked_at - $1::interval",
        "update public.generations set started_at = started_at - $1::interval,
            deadline_at = deadline_at - $1::interval, finished_at = finished_at - $1::interval",
    ] {
        let query = sqlx::query(statement);
        let query = if statement.contains("$1") { query.bind(interval) } else { query };
        query.execute(&mut *owner).await.expect("the owner can rewrite the past");
    }
    owner.commit().await.expect("the past is rewritten");
}

/// Checks what must hold for every wallet at every moment.
///
/// The ledger adds up to the balance entry by entry, every open or claimed deduction is one taken
/// and not yet given back, and what left the balance by deductions is exactly what is open, claimed
/// or spent.
pub(crate) async fn assert_books_balance(pool: &PgPool) {
    let wrong: Vec<String> = sqlx::query_scalar(
        "with
            sums as (
              select user_id, sum(delta) as total, count(*) as entries, max(entry) as last_entry
              from public.credit_ledger
              group by user_id
            ),
            steps as (
              select
                user_id, entry, delta, balance,
                coalesce(lag(balance) over (partition by user_id order by entry), 0) as previous
              from public.credit_ledger
            )
          select format('%s: ledger %s, balance %s', user_id, total, coins)
          from sums
          full join public.profiles using (user_id)
          where coalesce(total, 0) <> coalesce(coins, 0)
            or entries <> last_entry
          union all
          select format('%s: entry %s does not follow', user_id, entry)
          from steps
          where previous + delta <> balance
          union all
          select format('%s: deductions and ledger disagree', user_id)
          from (
            select user_id, - sum(delta) as taken
            from public.credit_ledger
            where reason in ('deduction', 'return')
            group by user_id
          ) as ledger
          full join (
            select user_id, sum(amount) as held
            from private.deductions
            where state <> 'returned'
            group by user_id
          ) as deductions using (user_id)
          where coalesce(taken, 0) <> coalesce(held, 0)
          union all
          select format('%s: deduction %s does not fit generation %s', deductions.user_id, state, status)
          from private.deductions
          join public.generations on generations.id = generation_id
          where (state = 'spent') <> (status = 'finished')
            or (state = 'returned' and status in ('running', 'finished'))",
    )
    .fetch_all(pool)
    .await
    .expect("the books can be read");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
