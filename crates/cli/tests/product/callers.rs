use serde_json::json;
use sqlx::{PgPool, Postgres, Transaction};
use uuid::Uuid;

/// Makes an account, as the auth service does at sign-up.
pub(crate) async fn sign_up(pool: &PgPool) -> Uuid {
    let id = Uuid::new_v4();
    sqlx::query("insert into auth.users (id, email) values ($1, $2)")
        .bind(id)
        .bind(format!("{id}@example.com"))
        .execute(pool)
        .await
        .expect("an account can be made");
    id
}

/// Makes an account whose owner is an administrator.
pub(crate) async fn sign_up_admin(pool: &PgPool) -> Uuid {
    let id = sign_up(pool).await;
    sqlx::query("insert into public.user_roles (user_id, role) values ($1, 'admin')")
        .bind(id)
        .execute(pool)
        .await
        .expect("the owner of the database can assign roles");
    id
}

/// Begins a transaction as that signed-in user, with role and claims as the REST service sets them.
pub(crate) async fn as_user(pool: &PgPool, id: Uuid) -> Transaction<'static, Postgres> {
    begin_as(pool, "authenticated", &json!({ "sub": id, "role": "authenticated" }).to_string()).await
}

/// Begins a transaction as a visitor who is not signed in.
pub(crate) async fn as_visitor(pool: &PgPool) -> Transaction<'static, Postgres> {
    begin_as(pool, "anon", &json!({ "role": "anon" }).to_string()).await
}

/// Begins a transaction with the service key, as an edge function has it.
pub(crate) async fn as_service(pool: &PgPool) -> Transaction<'static, Postgres> {
    begin_as(pool, "service_role", &json!({ "role": "service_role" }).to_string()).await
}

async fn begin_as(pool: &PgPool, role: &str, claims: &str) -> Transaction<'static, Postgres> {
    let mut transaction = pool.begin().await.expect("a transaction begins");
    sqlx::query("select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)")
        .bind(role)
        .bind(claims)
        .execute(&mut *transaction)
        .await
        .expect("the role can be taken");
    transaction
}

/// Runs one statement of that user and commits; answers how many rows it touched.
pub(crate) async fn user_runs(pool: &PgPool, id: Uuid, statement: &'static str) -> Result<u64, sqlx::Error> {
    run(as_user(pool, id).await, statement, Some(id)).await
}

/// Runs one statement of that user about somebody else, who is its `$1`, and commits.
pub(crate) async fn user_runs_on(
    pool: &PgPool,
    id: Uuid,
    other: Uuid,
    statement: &'static str,
) -> Result<u64, sqlx::Error> {
    run(as_user(pool, id).await, statement, Some(other)).await
}

/// Runs one statement with the service key about a user, who is its `$1`, and commits.
pub(crate) async fn service_runs(
    pool: &PgPool,
    id: Uuid,
    statement: &'static str,
) -> Result<u64, sqlx::Error> {
    run(as_service(pool).await, statement, Some(id)).await
}

/// Runs one statement of a visitor and commits.
pub(crate) async fn visitor_runs(pool: &PgPool, statement: &'static str) -> Result<u64, sqlx::Error> {
    run(as_visitor(pool).await, statement, None).await
}

async fn run(
    mut transaction: Transaction<'static, Postgres>,
    statement: &'static str,
    about: Option<Uuid>,
) -> Result<u64, sqlx::Error> {
    let query = sqlx::query(statement);
    let query = match about {
        Some(id) if statement.contains("$1") => query.bind(id),
        _ => query,
    };
    let done = query.execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(done.rows_affected())
}

/// The SQLSTATE a statement was refused with.
///
/// # Panics
/// When the statement succeeded, or failed on the way to the database.
#[track_caller]
pub(crate) fn refusal<T: std::fmt::Debug>(outcome: Result<T, sqlx::Error>) -> String {
    match outcome {
        Err(sqlx::Error::Database(error)) => error.code().expect("PostgreSQL sends a SQLSTATE").into_owned(),
        other => panic!("expected a refusal by the database, got {other:?}"),
    }
}

/// The role may not do this at all.
pub(crate) const FORBIDDEN: &str = "42501";
/// A rule about the values is broken.
pub(crate) const AGAINST_THE_RULES: &str = "23514";
/// A required value is missing.
pub(crate) const MISSING: &str = "23502";
