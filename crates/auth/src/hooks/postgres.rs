//! A hook that is a function of the database (CONTRACT.md HK2).

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection, PgExecutor, Row};

use crate::{context::ServiceContext, wire::error::HookError};

/// Longest a function may take.
const LONGEST: &str = "2s";

/// The name of a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionName<'a> {
    pub(super) schema: &'a str,
    pub(super) function: &'a str,
}

/// Calls the function with the input as its one argument, in the caller's transaction where there
/// is one.
pub(super) async fn ask(
    service: &ServiceContext,
    db: Option<&mut PgConnection>,
    function: FunctionName<'_>,
    input: &Value,
) -> Result<Value, HookError> {
    match db {
        Some(db) => call(db, function, input).await.map_err(HookError::Database),
        None => {
            let mut transaction = service.pool.begin().await.map_err(HookError::Database)?;
            let answer = call(&mut transaction, function, input).await.map_err(HookError::Database)?;
            transaction.commit().await.map_err(HookError::Database)?;
            Ok(answer)
        }
    }
}

/// The names come from the configuration, which lets letters, digits and `_` through.
async fn call(
    db: &mut PgConnection,
    FunctionName { schema, function }: FunctionName<'_>,
    input: &Value,
) -> Result<Value, sqlx::Error> {
    let before = sqlx::query_scalar!(r#"select current_setting('statement_timeout') as "before!""#)
        .fetch_one(&mut *db)
        .await?;
    sqlx::query!("select set_config('statement_timeout', $1, true)", LONGEST).fetch_one(&mut *db).await?;
    // If there is none, PostgreSQL reports it.
    let found = find_function(&mut *db, schema, function, Checks::Signature).await?;
    let argument = found.map_or("jsonb".to_owned(), |function| function.argument);
    let statement = format!(r#"select ("{schema}"."{function}"($1::text::{argument}))::text"#);
    let row = sqlx::query(AssertSqlSafe(statement)).bind(input.to_string()).fetch_one(&mut *db).await?;
    let answer: Option<String> = row.try_get(0)?;
    sqlx::query!("select set_config('statement_timeout', $1, true)", before).fetch_one(&mut *db).await?;
    let answer = answer.filter(|text| !text.is_empty());
    answer.map_or(Ok(Value::Null), |text| {
        serde_json::from_str(&text).map_err(|error| sqlx::Error::Decode(Box::new(error)))
    })
}

/// The function that a hook calls.
pub(super) struct FunctionInfo {
    /// Type of the argument that it is given: `json` or `jsonb`.
    pub(super) argument: String,
    /// Whether other functions differ only in arguments with defaults.
    pub(super) is_ambiguous: bool,
    /// The statements that let the service call it. None if it may, or if that was not checked.
    pub(super) lacks: Option<String>,
}

/// What is read about a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checks {
    /// Its argument.
    Signature,
    /// Its argument, and whether the service may call it.
    Access,
}

/// Finds the function of a name that takes one JSON value; further arguments must have defaults.
/// The one for `jsonb` counts before the one for `json`.
pub(super) async fn find_function(
    executor: impl PgExecutor<'_>,
    schema: &str,
    function: &str,
    checks: Checks,
) -> Result<Option<FunctionInfo>, sqlx::Error> {
    sqlx::query_as!(
        FunctionInfo,
        r#"select format_type(p.proargtypes[0], null) as "argument!",
            count(*) over (partition by p.proargtypes[0]) > 1 as "is_ambiguous!",
            case
                when $3 and not (has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')) then format(
                    'grant usage on schema %1$I to %4$I; grant execute on function %1$I.%2$I(%3$s) to %4$I;',
                    n.nspname, p.proname, oidvectortypes(p.proargtypes), current_user)
            end as lacks
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where n.nspname = $1
            and p.proname = $2
            and p.prokind = 'f'
            and p.proargtypes[0] in ('json'::regtype, 'jsonb'::regtype)
            and p.pronargs - p.pronargdefaults <= 1
        order by p.proargtypes[0] = 'jsonb'::regtype desc
        limit 1"#,
        schema,
        function,
        checks == Checks::Access,
    )
    .fetch_optional(executor)
    .await
}
