//! Code that any edge function needs: the handler that calls it, and clients for its own calls. A
//! function turns typed input into typed output. The outside world (network, clock, environment) is
//! an argument, so the same code runs in a WebAssembly guest and in `cargo test` on the host.

/// Why a call is not answered with a result.
pub mod error;

/// The caller of a function.
pub mod caller;

/// Methods, CORS, bodies and answers: from an HTTP request to a handler and back.
pub mod handler;

/// The environment as one value.
pub mod env;

/// Lines for the function's log, without personal data.
pub mod log;

/// The world outside as a trait: requests, sleeping, the monotonic clock, jitter.
pub mod transport;

/// Calls to the project's own APIs: their addresses, keys and errors.
pub mod project;

/// Calls to the project's own REST API.
pub mod rest;

/// Calls to the project's own auth API.
pub mod auth;

/// Calls to the project's own storage API.
pub mod storage;

/// Handing mails to the project's queue.
pub mod mail;

/// A provider-neutral client for chat models that answer in JSON.
pub mod model;

/// The WebAssembly side: `wasi:http` in, `wasi:http` out.
#[cfg(target_arch = "wasm32")]
pub mod guest;

/// Streams, for answers that come in pieces.
pub use futures_util;

/// Requests, answers and headers, as this crate takes and gives them.
pub use http;

/// Code that waits in WebAssembly: streamed bodies, the HTTP client, timers and tasks, in the one
/// version that the handler needs.
#[cfg(target_arch = "wasm32")]
pub use wstd;
