//! The SQL schema `realtime`, without the service.

/// Tables, publications and who may do what.
mod tables;

/// What SQL sends.
mod sending;

/// Partitions that come and go.
mod partitions;

/// Data of today, and dumps of a hosted project.
mod restore;

/// What the database tells of the end of a session.
mod ended_sessions;

use banyan_db::{Database, Login};
use banyan_testkit::TestDatabase;
use serde_json::json;
use uuid::Uuid;

/// A user.
const ASHA: Uuid = Uuid::from_u128(0xA);
/// Another user.
const RAVI: Uuid = Uuid::from_u128(0xB);

/// The rows of one text column, as superuser.
async fn texts(database: &Database, sql: &str) -> Vec<String> {
    let rows: Vec<Option<String>> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned()))
        .fetch_all(database.pool(Login::Admin))
        .await
        .expect(sql);
    rows.into_iter().map(|text| text.unwrap_or_else(|| "null".to_owned())).collect()
}

/// Runs SQL as a login.
async fn run(database: &Database, login: Login, sql: &str) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(database.pool(login)).await.map(drop)
}

/// Runs SQL as a role of the API and commits it; the SQLSTATE of a refusal.
async fn run_as(database: &Database, role: &str, sub: Uuid, sql: &str) -> Result<(), String> {
    let mut transaction = database.pool(Login::Postgres).begin().await.expect("begun");
    let claims = json!({"role": role, "sub": sub}).to_string();
    sqlx::query("select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)")
        .bind(role)
        .bind(claims)
        .execute(&mut *transaction)
        .await
        .expect("set");
    let outcome = sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut *transaction).await;
    outcome.map_err(|error| sqlstate(&error))?;
    transaction.commit().await.map_err(|error| sqlstate(&error))
}

fn sqlstate(error: &sqlx::Error) -> String {
    let refusal = error.as_database_error().unwrap_or_else(|| panic!("{error}"));
    refusal.code().expect("a code").into_owned()
}

/// A database with the tables of realtime.
async fn database() -> TestDatabase {
    Box::pin(banyan_testkit::platform_database()).await
}
