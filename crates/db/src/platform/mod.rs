//! Roles, schemas, grants and extensions that every database of the stack has (stack.md section 4).

use crate::{Database, MigrationError};

/// Prepares the database for the stack: roles, schemas, default privileges, `auth.uid()` and friends, extensions, event
/// triggers, the publication. One connection, one transaction; running it again changes nothing that a user changed.
///
/// # Errors
/// [`MigrationError`] when the server is older than 15, the login is no superuser, or a statement fails.
#[expect(clippy::unused_async, reason = "the SQL follows")]
pub async fn bootstrap(database: &Database, config: &banyan_config::Config) -> Result<(), MigrationError> {
    let _ = (database, config);
    unimplemented!()
}
