//! A hook that is a function of the database (auth.md HK2).

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection, Row};

use super::reach::callee;
use crate::{error::HookError, state::Inner};

/// Longest a function may take.
const LONGEST: &str = "2s";

/// Calls the function with the input as its one argument, in the caller's transaction where there is one.
pub(super) async fn ask(
    inner: &Inner,
    db: Option<&mut PgConnection>,
    schema: &str,
    function: &str,
    input: &Value,
) -> Result<Value, HookError> {
    match db {
        Some(db) => call(db, schema, function, input).await.map_err(HookError::Database),
        None => {
            let mut transaction = inner.pool.begin().await.map_err(HookError::Database)?;
            let answer =
                call(&mut transaction, schema, function, input).await.map_err(HookError::Database)?;
            transaction.commit().await.map_err(HookError::Database)?;
            Ok(answer)
        }
    }
}

/// The names come from the configuration, which lets letters, digits and `_` through.
async fn call(
    db: &mut PgConnection,
    schema: &str,
    function: &str,
    input: &Value,
) -> Result<Value, sqlx::Error> {
    let before = sqlx::query_scalar!(r#"select current_setting('statement_timeout') as "before!""#)
        .fetch_one(&mut *db)
        .await?;
    sqlx::query!("select set_config('statement_timeout', $1, true)", LONGEST).fetch_one(&mut *db).await?;
    // Where there is none, PostgreSQL says so.
    let found = callee(&mut *db, schema, function).await?;
    let argument = found.map_or("jsonb".to_owned(), |callee| callee.argument);
    let statement = format!(r#"select ("{schema}"."{function}"($1::text::{argument}))::text"#);
    let row = sqlx::query(AssertSqlSafe(statement)).bind(input.to_string()).fetch_one(&mut *db).await?;
    let answer: Option<String> = row.try_get(0)?;
    sqlx::query!("select set_config('statement_timeout', $1, true)", before).fetch_one(&mut *db).await?;
    let answer = answer.filter(|text| !text.is_empty());
    answer.map_or(Ok(Value::Null), |text| {
        serde_json::from_str(&text).map_err(|error| sqlx::Error::Decode(Box::new(error)))
    })
}
