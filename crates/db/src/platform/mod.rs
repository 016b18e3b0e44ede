//! Roles, schemas, grants and extensions that every database of the stack has (CONTRACT.md).

/// Who keeps a start waiting.
pub(crate) mod lock_holder;

use postgres_protocol::password::scram_sha_256;
use secrecy::ExposeSecret;
use sha2::{Digest, Sha256};
use sqlx::{PgConnection, Postgres, Row, Transaction};

use crate::{Database, Login, MigrationError};

/// Oldest server that will do.
const OLDEST_SERVER: i32 = 150_000;

/// Roles that only the stack logs in as, beside the superuser.
pub const SERVICE_LOGINS: [&str; 4] =
    ["authenticator", "supabase_auth_admin", "supabase_storage_admin", "supabase_realtime_admin"];

/// Every role of the platform (CONTRACT.md PG-ROLES).
pub const ROLES: [&str; 10] = [
    "supabase_admin",
    "postgres",
    "anon",
    "authenticated",
    "service_role",
    "dashboard_user",
    SERVICE_LOGINS[0],
    SERVICE_LOGINS[1],
    SERVICE_LOGINS[2],
    SERVICE_LOGINS[3],
];

/// Two nodes that start together take turns: key of the advisory lock.
pub(crate) const START_LOCK: i64 = 0x6261_6e79_616e;

const STEPS: [&str; 8] = [
    include_str!("roles.sql"),
    include_str!("schemas.sql"),
    RENAME_CONFLICTING_FUNCTIONS,
    include_str!("auth_functions.sql"),
    include_str!("extensions.sql"),
    include_str!("default_privileges.sql"),
    SCHEMA_WATCH,
    include_str!("history.sql"),
];
const RENAME_CONFLICTING_FUNCTIONS: &str = include_str!("rename_conflicting_functions.sql");
const SCHEMA_WATCH: &str = include_str!("schema_watch.sql");
const HIDE_NEW_TABLES: &str = include_str!("hide_new_tables.sql");
const OWN_SERVER: &str = include_str!("own_server.sql");
const PASSWORDS: &str = include_str!("passwords.sql");

/// Prepares the database for the stack: roles, schemas, default privileges, `auth.uid()` and
/// friends, extensions, event triggers, the publication. One connection, one transaction.
///
/// It is done once for each version of its SQL; later starts only make sure of the passwords of the
/// stack's own logins and of the event triggers, so what a project changed of roles and privileges
/// stays.
///
/// # Errors
/// [`MigrationError`] when the server is older than 15, the login is no superuser, or a statement
/// fails; [`MigrationError::Held`] when another session holds what it needs.
pub async fn bootstrap(database: &Database, config: &banyan_config::Config) -> Result<(), MigrationError> {
    let mut transaction = database.pool(Login::Admin).begin().await?;
    let pid = lock_holder::wait_no_longer(database, &mut transaction).await?;
    lock_holder::naming_holder(database, pid, prepare(database, config, transaction)).await
}

/// Opens again what a migration or a seed closed of the database and of the stack's own logins, as
/// the next start would: the sessions that come next could not be opened. Does nothing on a server
/// that is not the stack's own.
///
/// # Errors
/// As [`bootstrap`].
pub async fn open_again(database: &Database) -> Result<(), MigrationError> {
    if !database.settings().is_own_server() {
        return Ok(());
    }
    let mut transaction = database.pool(Login::Admin).begin().await?;
    let pid = lock_holder::wait_no_longer(database, &mut transaction).await?;
    let work = async {
        take_turns(&mut transaction).await?;
        open_logins(database, &mut transaction).await?;
        Ok(transaction.commit().await?)
    };
    lock_holder::naming_holder(database, pid, work).await
}

async fn take_turns(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("select pg_advisory_xact_lock($1)").bind(START_LOCK).execute(&mut *connection).await?;
    // Roles belong to the server, and the lock above to one database of it.
    sqlx::query("lock table pg_catalog.pg_authid in share row exclusive mode").execute(connection).await?;
    Ok(())
}

async fn open_logins(database: &Database, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    set_passwords(database, connection).await?;
    if database.settings().is_own_server() {
        sqlx::raw_sql(OWN_SERVER).execute(connection).await?;
    }
    Ok(())
}

async fn prepare(
    database: &Database,
    config: &banyan_config::Config,
    mut transaction: Transaction<'_, Postgres>,
) -> Result<(), MigrationError> {
    check_server(database, &mut transaction).await?;
    take_turns(&mut transaction).await?;
    // Client messages such as "schema exists already" are of no use to anybody.
    sqlx::query("set local client_min_messages = warning").execute(&mut *transaction).await?;
    let expose = config.api.auto_expose_new_tables;
    let fingerprint = fingerprint(expose);
    if applied(&mut transaction).await?.as_deref() != Some(fingerprint.as_str()) {
        apply(&mut transaction, expose, &fingerprint).await?;
    } else if !watches_schema(&mut transaction).await? {
        for step in [RENAME_CONFLICTING_FUNCTIONS, SCHEMA_WATCH] {
            sqlx::raw_sql(step).execute(&mut *transaction).await?;
        }
    }
    open_logins(database, &mut transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Whether both event triggers are there. A project may drop their functions, and they go with
/// those.
async fn watches_schema(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "select count(*) = 2 from pg_catalog.pg_event_trigger
         where evtname in ('pgrst_ddl_watch', 'pgrst_drop_watch') and evtenabled in ('O', 'A')",
    )
    .fetch_one(connection)
    .await
}

async fn check_server(database: &Database, connection: &mut PgConnection) -> Result<(), MigrationError> {
    let row = sqlx::query(
        "select current_setting('server_version_num')::int4,
                current_setting('server_version'),
                (select rolsuper from pg_catalog.pg_roles where rolname = current_user)",
    )
    .fetch_one(connection)
    .await?;
    if row.get::<i32, _>(0) < OLDEST_SERVER {
        return Err(MigrationError::ServerTooOld(row.get(1)));
    }
    if !row.get::<bool, _>(2) {
        return Err(MigrationError::NotSuperuser(database.settings().user(Login::Admin).to_owned()));
    }
    Ok(())
}

fn fingerprint(expose_new_tables: bool) -> String {
    let mut hash = Sha256::new();
    for step in STEPS {
        hash.update(step);
    }
    hash.update([u8::from(expose_new_tables)]);
    hex::encode(hash.finalize())
}

async fn applied(connection: &mut PgConnection) -> Result<Option<String>, sqlx::Error> {
    let table: Option<String> = sqlx::query_scalar("select to_regclass('_banyan.platform')::text")
        .fetch_one(&mut *connection)
        .await?;
    if table.is_none() {
        return Ok(None);
    }
    sqlx::query_scalar("select fingerprint from _banyan.platform").fetch_optional(connection).await
}

async fn apply(
    connection: &mut PgConnection,
    expose_new_tables: bool,
    fingerprint: &str,
) -> Result<(), sqlx::Error> {
    for step in STEPS {
        sqlx::raw_sql(step).execute(&mut *connection).await?;
    }
    if !expose_new_tables {
        sqlx::raw_sql(HIDE_NEW_TABLES).execute(&mut *connection).await?;
    }
    sqlx::query(
        "insert into _banyan.platform (fingerprint) values ($1)
         on conflict (only_row) do update set fingerprint = excluded.fingerprint, applied_at = now()",
    )
    .bind(fingerprint)
    .execute(connection)
    .await?;
    Ok(())
}

/// Gives the stack's own logins their passwords. `postgres` gets one where the settings have it by
/// itself, or it has none yet: on somebody else's server it is the project's.
async fn set_passwords(database: &Database, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let settings = database.settings();
    let roles: Vec<String> = sqlx::query_scalar(
        "select rolname::text from pg_catalog.pg_authid
         where rolname = any ($1) or (rolname = 'postgres' and ($2 or rolpassword is null))",
    )
    .bind(SERVICE_LOGINS.as_slice())
    .bind(settings.is_own_server())
    .fetch_all(&mut *connection)
    .await?;
    for login in Login::ALL.into_iter().filter(|login| roles.iter().any(|role| role == settings.user(*login)))
    {
        let verifier = scram_sha_256(settings.password(login).expose_secret().as_bytes());
        sqlx::query("select set_config('banyan.role', $1, true), set_config('banyan.verifier', $2, true)")
            .bind(settings.user(login))
            .bind(verifier)
            .execute(&mut *connection)
            .await?;
        sqlx::raw_sql(PASSWORDS).execute(&mut *connection).await?;
    }
    Ok(())
}
