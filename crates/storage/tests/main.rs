//! The service in process, each test on its own database.

/// A service on a database of its own.
mod support;

/// Errors, routes and bodies of requests.
mod conventions;

/// The SQL schema, without the service.
mod schema;
/// Which bytes belong to which database.
mod stacks;

/// What removes bytes without a row.
mod sweeping;
