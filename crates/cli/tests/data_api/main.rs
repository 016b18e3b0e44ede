//! `banyan serve rest`, the built binary, in front of a database without any schema of the stack
//! and as a login that is no superuser. It is the embedded PostgreSQL, or the one that
//! `BANYAN_TEST_POSTGRES` names as libpq takes it.

/// A database of a test's own and the service in front of it.
mod support;

/// Options and where they come from.
mod options;

/// Tokens and roles.
mod tokens;

/// The schema and how it is followed.
mod schema;

/// The admin listener and the log.
mod admin;

/// How the service starts, stops, and gives up.
mod life;
