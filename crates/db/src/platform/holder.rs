//! Who keeps a start waiting: a transaction that somebody left open would do it for ever.

use sqlx::{PgConnection, Row};

use crate::{Database, Login, MigrationError};

/// SQLSTATE of a lock that did not become free in time.
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// Whose locks keep a transaction waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those of sessions of the same database.
    Database,
    /// Those on the roles, too, which sessions of other databases may hold.
    Server,
}

/// Bounds how long a transaction waits for each lock. Another node that starts is done sooner.
pub(crate) async fn wait_no_longer(
    database: &Database,
    connection: &mut PgConnection,
) -> Result<(), sqlx::Error> {
    let longest = database.settings().acquire_timeout.as_millis().max(1);
    sqlx::query("select pg_catalog.set_config('lock_timeout', $1, true)")
        .bind(longest.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Names the holder where a lock did not become free.
pub(crate) async fn told<T>(
    database: &Database,
    reach: Reach,
    outcome: Result<T, MigrationError>,
) -> Result<T, MigrationError> {
    match outcome {
        Err(error) if code(&error).as_deref() == Some(LOCK_NOT_AVAILABLE) => {
            Err(find(database, reach).await.ok().flatten().unwrap_or(error))
        }
        outcome => outcome,
    }
}

fn code(error: &MigrationError) -> Option<String> {
    match error {
        MigrationError::Sql(error) => Some(error.as_database_error()?.code()?.into_owned()),
        MigrationError::Statement { source, .. } => Some(source.code.clone()),
        _ => None,
    }
}

/// Ours has let go by now, so PostgreSQL cannot be asked who blocks it. It is who holds a lock that
/// others wait for: on the roles before any other, and the oldest before the newer.
async fn find(database: &Database, reach: Reach) -> Result<Option<MigrationError>, sqlx::Error> {
    let found = sqlx::query(
        "select a.pid, coalesce(a.usename::text, ''), coalesce(a.application_name, ''),
                coalesce(a.state, ''), pg_catalog.left(a.query, 200)
         from pg_catalog.pg_stat_activity as a
         join pg_catalog.pg_locks as l on l.pid = a.pid and l.granted
         join pg_catalog.pg_database as d on d.datname = current_database()
         where a.pid <> pg_catalog.pg_backend_pid() and a.backend_type = 'client backend'
           and (l.database = d.oid or $1 and l.database = 0)
           and (l.locktype = 'advisory'
             or l.locktype in ('relation', 'object') and l.mode not in ('AccessShareLock', 'RowShareLock'))
         order by l.relation is not distinct from 'pg_catalog.pg_authid'::pg_catalog.regclass desc, a.xact_start
         limit 1",
    )
    .bind(reach == Reach::Server)
    .fetch_optional(database.pool(Login::Admin))
    .await?;
    Ok(found.map(|row| MigrationError::Held {
        pid: row.get(0),
        user: row.get(1),
        application: row.get(2),
        state: row.get(3),
        query: row.get(4),
    }))
}
