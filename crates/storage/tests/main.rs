//! The service in process, each test on its own database.

/// A service on a database of its own.
mod support;

/// Errors, routes and bodies of requests.
mod conventions;

/// Rendered images.
mod images;

/// Changes, told to a webhook.
mod events;
