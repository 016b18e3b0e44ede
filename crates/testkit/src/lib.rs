//! Serves tests only: a database per test, a token for any caller.
//!
//! One embedded PostgreSQL serves all test processes of a checkout at once and stops with the last
//! of them. A test's database is cloned from a template in about 0.1 s and dropped after the test.
//!
//! ```no_run
//! # async fn example() {
//! let database = banyan_testkit::database().await;
//! let teacher = banyan_testkit::user(uuid::Uuid::nil());
//! let statement = banyan_db::Statement::new("select auth.uid()", vec![]);
//! let rows = database.run_as(&banyan_db::RunAs::new(&teacher, &statement)).await.expect("runs");
//! # }
//! ```

/// A database of one test's own.
mod database;

/// The PostgreSQL server that all tests share.
mod shared_server;

/// Databases to clone from.
mod template;

/// A server that a test may kill.
mod private_server;

/// Folders of the checkout.
pub mod checkout;

/// Callers, and tokens of theirs signed with the demo keys.
mod caller;

/// A server of NATS.
mod nats;

/// A service under test, and requests to it.
mod service;

/// An OpenID Connect provider.
pub mod oidc;

/// The list of a contract's rows, and the tests that show them.
pub mod contract;

/// A configuration as of a project that sets nothing.
mod project;

/// Components of hostile shapes, written as text.
pub mod hostile_components;

/// What is logged while a test looks on.
mod captured_log;

pub use banyan_schemas::SERVICES;
pub use caller::{caller, claims, keyring, token, user};
pub use captured_log::CapturedLog;
pub use database::{TestDatabase, bare_database, database, platform_database};
pub use nats::Nats;
pub use private_server::PrivateServer;
pub use project::{config, config_with};
pub use service::{Answer, Call, Service};
pub use shared_server::settings;
