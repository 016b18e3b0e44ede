//! What the edge functions have in common: the door they are called through, the clients they call
//! out with, and the documents they write. A function is typed input to typed output; everything that
//! touches the outside world (network, clock, environment) comes in as an argument, so that the same
//! code runs in a WebAssembly guest and in `cargo test` on the host.

/// The wire forms of failure.
pub mod error;

/// Who is calling, read from the token that the gateway has verified.
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

/// One mail for one request.
pub mod post;

/// Claiming and settling a deduction.
pub mod wallet;

/// The path of a call that costs credits.
pub mod service;

/// How far a document is.
pub mod progress;

/// What is said about a document beside its text.
pub mod record;

/// A form as the client sends it.
pub mod form;

/// Built-in text that every kind of document needs.
pub mod words;

/// Checks on text that goes into a document.
pub mod checks;

/// A provider-neutral client for chat models that answer in JSON.
pub mod model;

/// Writing systems and the language a document is written in.
pub mod script;

/// Cleaning text that somebody else wrote.
pub mod sanitise;

/// Rules that keep unsafe requests away from children.
pub mod safety;

/// Hashes, seeds and the deterministic dice made from them.
pub mod seed;

/// Dates in Indian Standard Time.
pub mod dates;

/// One block model and its writers: RTF and plain text.
pub mod document;

/// The WebAssembly side: `wasi:http` in, `wasi:http` out.
#[cfg(target_arch = "wasm32")]
pub mod guest;
