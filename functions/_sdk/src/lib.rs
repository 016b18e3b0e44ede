//! What any edge function needs: the door it is called through, and the clients it calls out with. A function is typed
//! input to typed output; everything that touches the outside world (network, clock, environment) comes in as an argument,
//! so that the same code runs in a WebAssembly guest and in `cargo test` on the host.

/// Why a call is not answered with a result.
pub mod error;

/// Who is calling.
pub mod caller;

/// Methods, CORS, bodies and answers: from an HTTP request to a handler and back.
pub mod door;

/// The environment as one value.
pub mod env;

/// Lines for the function's log, without personal data.
pub mod log;

/// The world outside as a trait: requests, sleeping, the monotonic clock, jitter.
pub mod transport;

/// The project's own APIs: whom a call speaks for, and what can go wrong.
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

/// What waits in WebAssembly: bodies in pieces, the HTTP client, timers and tasks, in the one version that the door is made for.
#[cfg(target_arch = "wasm32")]
pub use wstd;
