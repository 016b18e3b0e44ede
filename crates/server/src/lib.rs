//! Puts one listener before the services: routing, CORS, limits, request ids, metrics, the built site, orderly stop.
//!
//! Knows no SQL and no wire format of a service. `CONTRACT.md` lists what it promises.

/// Builds every service's state from the configuration.
mod assemble;

/// The stack's public and admin listener.
mod listener;

/// One request: id, time, limits, CORS, caller, service.
mod gateway;

/// Sockets, TCP and Unix: how connections are taken, and how they stop.
mod sockets;

/// How many connections there may be, in all and of one address.
mod connections;

/// Requests that break the rules of HTTP.
mod malformed;

/// The rest of request bodies that no handler reads.
mod lingering_close;

/// Request targets with signs that should have been escaped.
mod uri_escaping;

/// How many requests are answered at a time, and how much memory their bodies take.
mod admission;

/// Which service a path belongs to.
mod route;

/// Cross-origin rules of the services.
mod cors;

/// The built single-page application.
mod site;

/// What the admin port answers.
mod admin;

/// Log lines about wrong access tokens.
mod token_log;

/// Requests that name this machine as their host.
mod loopback_host;

/// Which web pages may use a stack with the public demo keys.
mod foreign_pages;

/// Rotation of the signing keys.
mod signing_keys;

/// What is counted.
mod metrics;

/// What the server itself refuses, and in which words.
mod refusal;

/// The data API by itself, without a gateway.
pub mod standalone;

/// Structured log lines.
pub mod logs;

/// Why the server cannot start.
mod error;

pub use assemble::{Functions, Parts, stack_migrations};
pub use banyan_auth::{template_warnings, unreachable_hooks};
pub use banyan_edge::trim_memory;
pub use error::ServerError;
pub use listener::{Addresses, Running, start};

/// Keeps browsers from taking an answer for something else than its `Content-Type` says.
pub(crate) const NOSNIFF: http::HeaderValue = http::HeaderValue::from_static("nosniff");

/// An error of a body on its way.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Bodies of requests and answers, as all services take and give them.
pub(crate) type Body = http_body_util::combinators::UnsyncBoxBody<bytes::Bytes, BoxError>;

/// A body that is there at once.
pub(crate) fn full(bytes: impl Into<bytes::Bytes>) -> Body {
    use http_body_util::BodyExt;
    http_body_util::Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}
