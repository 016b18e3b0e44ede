//! The service in process, each test on its own database.

/// A service on a database of its own.
mod support;

/// Errors, routes and bodies of requests.
mod conventions;

/// Resumable uploads.
mod resumable;
