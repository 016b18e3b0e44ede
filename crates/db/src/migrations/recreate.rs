//! An empty database in place of the old one.

use super::batch;
use crate::{
    ConnectError, Database, DatabaseSettings, Login, MigrationError, Param, RunError,
    flight::{Connection, Connector},
    sql,
};

/// Drops the database with everything in it and makes an empty one of the same name, ending whoever is connected.
/// Roles belong to the server and stay. The handle's pools heal by themselves.
///
/// # Errors
/// [`MigrationError::Run`] when the server refuses, for one because the login is no superuser.
pub async fn recreate(database: &Database) -> Result<(), MigrationError> {
    let settings = DatabaseSettings { database: "template1".to_owned(), ..database.settings().clone() };
    let connector =
        Connector::new(&settings).map_err(|error: ConnectError| RunError::Unsendable(error.to_string()))?;
    let mut connection = connector.connect(Login::Admin).await?;
    let outcome = replace(&mut connection, &database.settings().database).await;
    connection.close().await;
    outcome
}

async fn replace(connection: &mut Connection, name: &str) -> Result<(), MigrationError> {
    let slots = "select pg_catalog.pg_drop_replication_slot(slot_name) from pg_catalog.pg_replication_slots \
                 where database = $1 and not active";
    batch::one(connection, slots, &[Param::text(name.to_owned())]).await?;
    let quoted = sql::identifier(name);
    batch::one(connection, &format!("drop database if exists {quoted} with (force)"), &[]).await?;
    batch::one(connection, &format!("create database {quoted} owner postgres template template0"), &[])
        .await?;
    Ok(())
}
