//! The SQL schema `storage`, and what the stack keeps beside it, without the service.

/// Tables, indexes, constraints and who may do what.
mod tables;

/// Functions that policies call.
mod policy_helpers;

/// Lists of one level.
mod lists;

/// What a change leaves behind: garbage, notices, usage, events.
mod changes;

/// Policies as projects write them.
mod policies;

/// Data of today, and dumps of a hosted project.
mod restore;

use banyan_db::{Database, Login};
use serde_json::json;
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::support::{ASHA, RAVI};

/// Roles of the API.
const API_ROLES: [&str; 3] = ["anon", "authenticated", "service_role"];

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

/// A transaction as a role of the API, as a request begins it.
async fn begin<'d>(database: &'d Database, role: &str, sub: Uuid) -> Transaction<'d, Postgres> {
    let mut transaction = database.pool(Login::Postgres).begin().await.expect("begun");
    let claims = json!({"role": role, "sub": sub}).to_string();
    sqlx::query(
        "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
           set_config('storage.allow_delete_query', 'true', true)",
    )
    .bind(role)
    .bind(claims)
    .execute(&mut *transaction)
    .await
    .expect("set");
    transaction
}

/// Rows of one text column that a caller gets, or the SQLSTATE of the refusal. It is committed.
async fn as_role(database: &Database, role: &str, sub: Uuid, sql: &str) -> Result<Vec<String>, String> {
    let mut transaction = begin(database, role, sub).await;
    let rows: Result<Vec<String>, _> =
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned())).fetch_all(&mut *transaction).await;
    match rows {
        Ok(rows) => {
            transaction.commit().await.expect("committed");
            Ok(rows)
        }
        Err(error) => Err(sqlstate(&error)),
    }
}

async fn as_asha(database: &Database, sql: &str) -> Result<Vec<String>, String> {
    as_role(database, "authenticated", ASHA, sql).await
}

async fn as_ravi(database: &Database, sql: &str) -> Result<Vec<String>, String> {
    as_role(database, "authenticated", RAVI, sql).await
}

async fn as_anon(database: &Database, sql: &str) -> Result<Vec<String>, String> {
    as_role(database, "anon", Uuid::nil(), sql).await
}

async fn as_service(database: &Database, sql: &str) -> Result<Vec<String>, String> {
    as_role(database, "service_role", Uuid::nil(), sql).await
}

fn sqlstate(error: &sqlx::Error) -> String {
    let refusal = error.as_database_error().unwrap_or_else(|| panic!("{error}"));
    refusal.code().expect("a code").into_owned()
}
