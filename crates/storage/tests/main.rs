//! The service in process, each test on its own database.

/// A service on a database of its own.
mod support;

/// Errors, routes and bodies of requests.
mod conventions;

/// Bytes on their way in.
mod upload;

/// Bytes on their way out.
mod download;

/// URLs that are signed, as they are used.
mod signed_use;
