//! Who keeps a start waiting: a transaction that somebody left open would do it for ever.

use std::convert::Infallible;

use sqlx::{PgConnection, Row};

use crate::{Database, Login, MigrationError};

/// SQLSTATE of a lock that did not become free in time.
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// While a session waits for one lock, it is asked so often who blocks it.
const LOOKS: u32 = 10;

/// Sessions that block others in turn are followed to the one that waits for nobody.
const WHO_BLOCKS: &str = "with recursive blocking as (
        select pg_catalog.unnest(pg_catalog.pg_blocking_pids($1)) as pid
        union
        select pg_catalog.unnest(pg_catalog.pg_blocking_pids(pid)) from blocking
    )
    select a.pid, coalesce(a.usename::text, ''), coalesce(a.application_name, ''),
           coalesce(a.state, ''),
           case when a.query operator(pg_catalog.~*) '(password|secret|token|key)'
                then 'not shown, for it may hold a secret'
                else pg_catalog.left(a.query, 200) end
    from blocking join pg_catalog.pg_stat_activity as a on a.pid = blocking.pid
    where a.backend_type = 'client backend' and pg_catalog.cardinality(pg_catalog.pg_blocking_pids(a.pid)) = 0
    order by a.xact_start
    limit 1";

/// How long a start waits for a lock, in milliseconds. Another node that starts is done sooner.
pub(crate) fn longest(database: &Database) -> String {
    database.settings().acquire_timeout.as_millis().max(1).to_string()
}

/// Bounds how long a transaction waits for each lock. Gives its session's process.
pub(crate) async fn wait_no_longer(
    database: &Database,
    connection: &mut PgConnection,
) -> Result<i32, sqlx::Error> {
    let row =
        sqlx::query("select pg_catalog.pg_backend_pid(), pg_catalog.set_config('lock_timeout', $1, true)")
            .bind(longest(database))
            .fetch_one(connection)
            .await?;
    Ok(row.get(0))
}

/// Does work of the session `pid`, and names who held the lock where one did not become free.
/// Nobody is named whom PostgreSQL did not name while the session waited.
pub(crate) async fn naming_holder<T>(
    database: &Database,
    pid: i32,
    work: impl Future<Output = Result<T, MigrationError>>,
) -> Result<T, MigrationError> {
    let mut holder = None;
    let outcome = tokio::select! {
        biased;
        outcome = work => outcome,
        never = watch(database, pid, &mut holder) => match never {},
    };
    match outcome {
        Err(error) if code(&error).as_deref() == Some(LOCK_NOT_AVAILABLE) => Err(holder.unwrap_or(error)),
        outcome => outcome,
    }
}

fn code(error: &MigrationError) -> Option<String> {
    match error {
        MigrationError::Sql(error) => Some(error.as_database_error()?.code()?.into_owned()),
        MigrationError::Run(error) => error.code().map(str::to_owned),
        MigrationError::Statement { source, .. } => Some(source.code.clone()),
        _ => None,
    }
}

/// Looks again and again who blocks the session. What is quickly done is not looked at.
async fn watch(database: &Database, pid: i32, holder: &mut Option<MigrationError>) -> Infallible {
    let pause = database.settings().acquire_timeout / LOOKS;
    let mut connection = None;
    loop {
        tokio::time::sleep(pause).await;
        if connection.is_none() {
            connection = database.open_for_changes(Login::Admin).await.ok();
        }
        let Some(open) = &mut connection else { continue };
        match find(open, pid).await {
            Ok(found) => *holder = found,
            Err(_) => (*holder, connection) = (None, None),
        }
    }
}

async fn find(connection: &mut PgConnection, pid: i32) -> Result<Option<MigrationError>, sqlx::Error> {
    let found = sqlx::query(WHO_BLOCKS).bind(pid).fetch_optional(connection).await?;
    Ok(found.map(|row| MigrationError::Held {
        pid: row.get(0),
        user: row.get(1),
        application: row.get(2),
        state: row.get(3),
        query: row.get(4),
    }))
}
