//! The stack's own schemas.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use sqlx::{
    Connection as _, PgConnection, Postgres, Row, Transaction,
    postgres::{PgDatabaseError, PgErrorPosition},
};

use crate::{
    Database, Login, MigrationError,
    platform::{self, lock_holder},
};

/// One schema change of the stack, embedded in the binary of the service that owns it.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its place in the order, by convention `YYYYMMDDhhmmss`.
    pub version: i64,
    /// What it does, in a few words.
    pub name: &'static str,
    /// The SQL; several statements, no `begin` or `commit`. It runs with the role `owner` and the
    /// superuser's search path, so names are written with their schema.
    pub sql: &'static str,
}

/// The schema of a service: who owns it, and what makes it.
#[derive(Debug, Clone, Copy)]
pub struct ServiceSchema {
    /// The crate's name, in the history.
    pub name: &'static str,
    /// The login that owns what they make.
    pub owner: Login,
    /// In order of version.
    pub migrations: &'static [Migration],
}

/// Applies what is new of a service's migrations, in order of version and all in one transaction,
/// by the login that shall own the objects. Applied texts never change. Gives the number applied.
///
/// Only what belongs to the superuser is applied by it: a trigger of the project on a table of auth
/// would be run by the session that applies a change of that table, and `set role` is no wall,
/// since the trigger can take it back.
///
/// The history is `_banyan.migrations`, made by [`platform::bootstrap`]. Two nodes that start
/// together wait for each other.
///
/// # Errors
/// [`MigrationError::Changed`] when an applied text differs, [`MigrationError::Held`] when another
/// session holds what it needs, else what PostgreSQL says; nothing is applied then.
pub async fn stack(database: &Database, schema: &ServiceSchema) -> Result<usize, MigrationError> {
    // The superuser looks first: a start that has nothing to apply needs nobody else's session.
    let mut admin = database.pool(Login::Admin).begin().await?;
    let pid = lock_holder::wait_no_longer(database, &mut admin).await?;
    if !lock_holder::naming_holder(database, pid, look(admin, schema)).await? {
        return Ok(0);
    }
    let mut connection = database.open_for_changes(schema.owner).await?;
    let outcome = async {
        let mut transaction = connection.begin().await?;
        let pid = lock_holder::wait_no_longer(database, &mut transaction).await?;
        lock_holder::naming_holder(database, pid, apply(transaction, schema)).await
    }
    .await;
    // What was done is committed, or rolled back.
    let _ = connection.close().await;
    outcome
}

/// Notes which migrations may come, and gives whether there are any.
async fn look(mut admin: Transaction<'_, Postgres>, schema: &ServiceSchema) -> Result<bool, MigrationError> {
    let known = history(&mut admin, schema.name).await?;
    let expected = pending(schema, &known)?;
    expect(&mut admin, schema.name, &expected).await?;
    admin.commit().await?;
    Ok(!expected.is_empty())
}

/// Lets the owner note these changes and no others: what it owns, the project may become.
async fn expect(connection: &mut PgConnection, service: &str, new: &[&Migration]) -> Result<(), sqlx::Error> {
    for migration in new {
        sqlx::query(
            "insert into _banyan.expected_migrations (service, version, sha256) values ($1, $2, $3)
             on conflict (service, version) do update set sha256 = excluded.sha256",
        )
        .bind(service)
        .bind(migration.version)
        .bind(sha256_hex(migration.sql.as_bytes()))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn apply(
    mut transaction: Transaction<'_, Postgres>,
    schema: &ServiceSchema,
) -> Result<usize, MigrationError> {
    // Client messages such as "schema exists already" are of no use to anybody.
    sqlx::query("set local client_min_messages = warning").execute(&mut *transaction).await?;
    if schema.owner == Login::Admin {
        // On a server of somebody else the login is another superuser.
        sqlx::query("set local role supabase_admin").execute(&mut *transaction).await?;
    }
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(platform::START_LOCK)
        .execute(&mut *transaction)
        .await?;
    let applied = history(&mut transaction, schema.name).await?;
    let new = pending(schema, &applied)?;
    for migration in &new {
        run(&mut transaction, schema.name, migration).await?;
    }
    transaction.commit().await?;
    Ok(new.len())
}

/// What the history does not hold, in order of version.
fn pending(
    schema: &ServiceSchema,
    applied: &HashMap<i64, String>,
) -> Result<Vec<&'static Migration>, MigrationError> {
    let mut new = Vec::new();
    for migration in schema.migrations {
        match applied.get(&migration.version) {
            None => new.push(migration),
            Some(before) if *before == sha256_hex(migration.sql.as_bytes()) => {}
            Some(_) => {
                return Err(MigrationError::Changed {
                    service: schema.name.to_owned(),
                    version: migration.version,
                });
            }
        }
    }
    new.sort_by_key(|migration| migration.version);
    Ok(new)
}

async fn history(connection: &mut PgConnection, service: &str) -> Result<HashMap<i64, String>, sqlx::Error> {
    let rows = sqlx::query("select version, sha256 from _banyan.migrations where service = $1")
        .bind(service)
        .fetch_all(connection)
        .await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

async fn run(
    connection: &mut PgConnection,
    service: &str,
    migration: &Migration,
) -> Result<(), MigrationError> {
    sqlx::raw_sql(migration.sql)
        .execute(&mut *connection)
        .await
        .map_err(|error| explain(service, migration, error))?;
    sqlx::query("insert into _banyan.migrations (service, version, name, sha256) values ($1, $2, $3, $4)")
        .bind(service)
        .bind(migration.version)
        .bind(migration.name)
        .bind(sha256_hex(migration.sql.as_bytes()))
        .execute(connection)
        .await?;
    Ok(())
}

fn explain(service: &str, migration: &Migration, error: sqlx::Error) -> MigrationError {
    let file = format!("{service}: {}_{}.sql", migration.version, migration.name);
    match error.as_database_error() {
        Some(refusal) => MigrationError::Statement {
            file,
            line: line_of(migration.sql, &error),
            report: refusal.to_string(),
            source: Box::new(crate::DatabaseError {
                severity: "ERROR".to_owned(),
                code: refusal.code().unwrap_or_default().into_owned(),
                message: refusal.message().to_owned(),
                ..crate::DatabaseError::default()
            }),
        },
        None => error.into(),
    }
}

fn line_of(sql: &str, error: &sqlx::Error) -> usize {
    let refusal = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    let before = match refusal.and_then(PgDatabaseError::position) {
        Some(PgErrorPosition::Original(position)) => position.saturating_sub(1),
        _ => 0,
    };
    1 + sql.chars().take(before).filter(|c| *c == '\n').count()
}

/// SHA-256 in lower-case hexadecimal digits.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
