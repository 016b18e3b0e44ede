//! An empty database, or a server as new, in place of the old one.

use crate::{
    ConnectError, Database, DatabaseSettings, Login, MigrationError, Param, RunError, platform,
    protocol::{Connection, Connector},
    sql,
};

/// Drops the database with everything in it and makes an empty one of the same name, ending whoever
/// is connected. Roles belong to the server and stay; gives those that are not the stack's. The
/// handle's pools heal by themselves.
///
/// # Errors
/// [`MigrationError::Run`] when the server refuses, for one because the login is no superuser.
pub async fn recreate(database: &Database) -> Result<Vec<String>, MigrationError> {
    let mut connection = beside(database).await?;
    let outcome = replace(&mut connection, &database.settings().database).await;
    connection.close().await;
    outcome
}

/// Takes a server of our own back to the state of a new one: one empty database, no role but the
/// superuser, nobody's settings. [`platform::bootstrap`] makes the stack's roles anew, with the
/// passwords that they had.
///
/// It is many transactions. One that was broken off is made good by another one, wherever it ended.
///
/// # Errors
/// As [`recreate`].
pub async fn recreate_server(database: &Database) -> Result<(), MigrationError> {
    let mut connection = beside(database).await?;
    let outcome = empty(&mut connection, database.settings()).await;
    connection.close().await;
    outcome
}

/// Makes the database of a server of our own where the server has none of its name, or one that
/// somebody began to drop; tells whether it did. [`platform::bootstrap`] makes the rest. One that
/// its owner, the project, closed to everybody is opened.
///
/// # Errors
/// As [`recreate`].
pub async fn create_missing(database: &Database) -> Result<bool, MigrationError> {
    let name = &database.settings().database;
    let mut connection = beside(database).await?;
    let outcome = async {
        let query = "select case when datconnlimit = -2 then 'dropped'
              when datallowconn and datconnlimit = -1 then 'open' else 'closed' end
            from pg_catalog.pg_database where datname = $1";
        let found = connection.run_one(query, &[Param::text(name.clone())]).await?;
        let is_there = !found.rows.is_empty();
        match is_there.then(|| found.text(0, 0)).flatten() {
            Some("open") => return Ok(false),
            Some("closed") => {
                let quoted = sql::identifier(name);
                let open = format!("alter database {quoted} allow_connections true connection limit -1");
                connection.run_one(&open, &[]).await?;
                return Ok(false);
            }
            Some(_) => drop_database(&mut connection, name).await?,
            None => {}
        }
        connection.run_one(&creation(name), &[]).await?;
        Ok(true)
    }
    .await;
    connection.close().await;
    outcome
}

/// The statement that makes it. Owner is the superuser until the platform makes `postgres`.
fn creation(name: &str) -> String {
    format!("create database {} template template0", sql::identifier(name))
}

/// Ends what a process that was killed still runs of the project's files. It would be committed
/// while others do the same anew.
///
/// # Errors
/// As [`recreate`].
pub async fn end_killed(database: &Database) -> Result<(), MigrationError> {
    let mut connection = admin(database.settings()).await?;
    let ended = end_sessions(&mut connection, database.settings().user(Login::Postgres)).await;
    connection.close().await;
    ended
}

/// A connection of the superuser to another database of the server.
async fn beside(database: &Database) -> Result<Connection, MigrationError> {
    let settings = DatabaseSettings { database: "template1".to_owned(), ..database.settings().clone() };
    admin(&settings).await
}

async fn admin(settings: &DatabaseSettings) -> Result<Connection, MigrationError> {
    let connector =
        Connector::new(settings).map_err(|error: ConnectError| RunError::Unsendable(error.to_string()))?;
    Ok(connector.connect(Login::Admin).await?)
}

async fn replace(connection: &mut Connection, name: &str) -> Result<Vec<String>, MigrationError> {
    drop_database(connection, name).await?;
    let quoted = sql::identifier(name);
    connection.run_one(&format!("create database {quoted} owner postgres template template0"), &[]).await?;
    let roles = roles(connection).await?;
    Ok(roles.into_iter().filter(|role| !platform::ROLES.contains(&role.as_str())).collect())
}

async fn empty(connection: &mut Connection, settings: &DatabaseSettings) -> Result<(), MigrationError> {
    let name = &settings.database;
    end_sessions(connection, settings.user(Login::Admin)).await?;
    let databases =
        "select datname::text from pg_catalog.pg_database where datname not in ('template0', 'template1')";
    for database in names(connection, databases).await? {
        drop_database(connection, &database).await?;
    }
    let roles = roles(connection).await?;
    let quoted: Vec<String> = roles.iter().map(|role| sql::identifier(role)).collect();
    if !quoted.is_empty() {
        let quoted = quoted.join(", ");
        // The first one takes what they were granted on the server as a whole.
        for statement in [format!("drop owned by {quoted} cascade"), format!("drop role {quoted}")] {
            connection.run_one(&statement, &[]).await?;
        }
    }
    for statement in [
        "alter role all reset all",
        "alter role current_user reset all",
        "alter system reset all",
        "select pg_catalog.pg_reload_conf()",
        &creation(name),
    ] {
        connection.run_one(statement, &[]).await?;
    }
    Ok(())
}

/// The session of a process that was killed goes on with its statement. Those of people have other
/// names.
async fn end_sessions(connection: &mut Connection, user: &str) -> Result<(), MigrationError> {
    let left = "select pg_catalog.pg_terminate_backend(pid, 5000) from pg_catalog.pg_stat_activity
                where datname = current_database() and usename = $1 and state = 'active'
                and application_name = pg_catalog.current_setting('application_name')
                and pid <> pg_catalog.pg_backend_pid()";
    connection.run_one(left, &[Param::text(user.to_owned())]).await?;
    Ok(())
}

async fn drop_database(connection: &mut Connection, name: &str) -> Result<(), MigrationError> {
    let quoted = sql::identifier(name);
    // A slot in use keeps a database from being dropped, and whoever reads by it would come back.
    let read = "select true from pg_catalog.pg_replication_slots where database = $1 and active limit 1";
    if !connection.run_one(read, &[Param::text(name.to_owned())]).await?.rows.is_empty() {
        connection.run_one(&format!("alter database {quoted} allow_connections false"), &[]).await?;
        let dropped = drop_read(connection, name).await;
        if dropped.is_err() {
            let open = format!("alter database {quoted} allow_connections true");
            connection.run_one(&open, &[]).await?;
        }
        return dropped;
    }
    drop_unread(connection, name).await
}

/// Ends whoever reads a database by replication, and drops it.
async fn drop_read(connection: &mut Connection, name: &str) -> Result<(), MigrationError> {
    let end = "select pg_catalog.pg_terminate_backend(active_pid, 5000) from pg_catalog.pg_replication_slots
               where database = $1 and active";
    connection.run_one(end, &[Param::text(name.to_owned())]).await?;
    drop_unread(connection, name).await
}

/// Drops a database which nobody reads by replication.
async fn drop_unread(connection: &mut Connection, name: &str) -> Result<(), MigrationError> {
    let quoted = sql::identifier(name);
    let slots = "select pg_catalog.pg_drop_replication_slot(slot_name) from pg_catalog.pg_replication_slots \
                 where database = $1 and not active";
    connection.run_one(slots, &[Param::text(name.to_owned())]).await?;
    // A template cannot be dropped.
    let mark = "select true from pg_catalog.pg_database where datname = $1 and datistemplate";
    if !connection.run_one(mark, &[Param::text(name.to_owned())]).await?.rows.is_empty() {
        connection.run_one(&format!("alter database {quoted} is_template false"), &[]).await?;
    }
    connection.run_one(&format!("drop database if exists {quoted} with (force)"), &[]).await?;
    Ok(())
}

/// Every role but PostgreSQL's own and the one that is connected.
async fn roles(connection: &mut Connection) -> Result<Vec<String>, MigrationError> {
    let query = "select rolname::text from pg_catalog.pg_roles
                 where rolname !~ '^pg_' and rolname <> current_user and oid <> 10 order by rolname";
    names(connection, query).await
}

async fn names(connection: &mut Connection, query: &str) -> Result<Vec<String>, MigrationError> {
    let rows = connection.run_one(query, &[]).await?;
    Ok((0..rows.rows.len()).filter_map(|row| rows.text(row, 0).map(str::to_owned)).collect())
}
