//! Schema changes: the stack's own, and the project's with its seeds.

use crate::{Database, MigrationError};

/// One schema change of the stack, embedded in the binary of the service that owns it.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its place in the order, by convention `YYYYMMDDhhmmss`.
    pub version: i64,
    /// What it does, in a few words.
    pub name: &'static str,
    /// The SQL; several statements, no `begin` or `commit`.
    pub sql: &'static str,
}

/// Applies what is new of a service's migrations, all in one transaction, as the role that shall own the objects
/// (`supabase_auth_admin` for auth, `supabase_admin` for mail). Applied texts never change.
///
/// The history is `_banyan.migrations`. Two nodes that start together wait for each other.
///
/// # Errors
/// [`MigrationError::Changed`] when an applied text differs, else what PostgreSQL says.
#[expect(clippy::unused_async, reason = "the runner follows")]
pub async fn stack(
    database: &Database,
    service: &str,
    owner: &str,
    migrations: &[Migration],
) -> Result<usize, MigrationError> {
    let _ = (database, service, owner, migrations);
    unimplemented!()
}
