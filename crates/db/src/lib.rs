//! The only door to PostgreSQL.
//!
//! Three ways through it: [`Database::run_as`] and [`Database::own`] run SQL of callers and
//! services in one pipeline over connections of our own, and [`Database::pool`] lends sqlx pools,
//! one a login role, for the fixed SQL that the services own. Beside them: what the platform
//! promises a database ([`platform`]), the stack's and the project's schema changes
//! ([`migrations`]), notifications ([`listen`]), and leases of work among several nodes
//! ([`leases`]).
//!
//! It knows no HTTP, no REST grammar, and no table of any service.

/// What a person types.
mod script;

/// Leases of work that one node does for all.
pub mod leases;

/// Schema changes: the stack's own, and the project's with its seeds.
pub mod migrations;

/// Roles, schemas, grants and extensions that every database of the stack has.
pub mod platform;

/// A stream of committed changes out of the write-ahead log.
mod replication;

/// The handle: pools, `run_as`, `listen`.
pub mod database;

/// SQL for a caller: role, claims, settings, statement and commit in one pipeline.
pub mod run_as;

/// Fixed SQL of a service, as its own login, in one pipeline.
mod own_database;

/// Notifications, with re-connection.
pub mod listen;

/// Connections of our own, spoken to in PostgreSQL's protocol.
mod protocol;

/// Where PostgreSQL is and how to log in.
pub mod settings;

/// What this version does not have, told where a project's SQL asks for it.
mod unsupported;

/// What can go wrong.
pub mod error;

/// SQL for a caller: text, parameters and the rows that come back.
pub mod statement;

/// The one place where identifiers are quoted, and the splitter of SQL files.
pub mod sql;

pub use database::Database;
pub use error::{ConnectError, DatabaseError, MigrationError, RunError};
pub use leases::{Lease, Leases};
pub use migrations::{Migration, ServiceSchema};
pub use own_database::OwnDatabase;
pub use replication::{Replication, ReplicationError, ReplicationEvent, ReplicationOptions};
pub use run_as::{Answer, Body, Isolation, Last, RunAs};
pub use script::{Column, ScriptEvent};
pub use settings::{Address, DatabaseSettings, Login, Tls, Wanted};
pub use statement::{Param, Rows, Statement};
pub use unsupported::unsupported;
