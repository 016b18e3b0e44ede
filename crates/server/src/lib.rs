//! Puts one listener before the services: routing, CORS, limits, request ids, metrics, the built
//! site, orderly stop. README.md says how another service is mounted.
//!
//! Knows no SQL and no wire format of a service. `CONTRACT.md` lists what it promises.

/// The data API by itself, without the gateway of a stack.
pub mod standalone;

/// The stack's public and admin listener.
mod stack;

/// Builds every service's state from the configuration.
mod assemble;

/// What runs beside the requests, and how it ends.
mod background;

/// The services that are mounted: the one list of them.
mod mounts;

/// What the admin port answers.
mod admin;

/// Log lines about wrong access tokens.
mod wrong_access_tokens;

/// Whether the parts of the stack answer.
mod readiness;

/// The way of one request: id, checks, permit, caller, service, log.
mod gateway;

/// How many requests are answered at a time, and how much memory their bodies take.
mod admission;

/// Which web pages may use a stack with the public demo keys.
mod foreign_pages;

/// Requests that name this machine as their host.
mod loopback_host;

/// A mounted service: its policy as data, and its handler.
mod service;

/// The stack's counters and its line a request.
mod request_log;

/// What is learnt of each request once it is answered.
mod observer;

/// What is counted.
mod metrics;

/// The bytes of a request's body and of its answer.
mod transferred;

/// Who says who is calling.
mod identification;

/// Which pages may read the answers of a service.
mod cors;

/// Files of a built app, from a folder or from the binary.
mod static_files;

/// Which files the pages of a built app may load.
mod content_security_policy;

/// What `banyan serve` asks of the functions.
mod functions;

/// Rotation of the signing keys.
mod signing_keys;

/// What listens, and how it stops.
mod listeners;

/// Connections that change their protocol.
mod upgrades;

/// Sockets, TCP and Unix: how they are opened, and how a connection is taken.
mod sockets;

/// How many connections there may be, in all and of one address.
mod connections;

/// Requests that break the rules of HTTP.
mod malformed;

/// The rest of request bodies that no handler reads.
mod lingering_close;

/// Request targets with signs that should have been escaped.
mod uri_escaping;

/// What the server itself refuses, and in which words.
mod refusal;

/// Structured log lines.
pub mod logs;

/// Why the server cannot start.
mod error;

pub use assemble::Parts;
pub use banyan_auth::{template_warnings, unreachable_hooks};
pub use banyan_edge::trim_memory;
pub use error::ServerError;
pub use functions::Functions;
pub use stack::{Addresses, Running, start};

/// Keeps browsers from taking an answer for something else than its `Content-Type` says.
pub(crate) const NOSNIFF: http::HeaderValue = http::HeaderValue::from_static("nosniff");
