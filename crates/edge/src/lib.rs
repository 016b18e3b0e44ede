//! Answers `/functions/v1`: loads components and runs them inside limits, a fresh instance for every request.
//!
//! Knows nothing of the database and of the other services: a function reaches them over HTTP, answered in process
//! by the `dispatch` function that the server hands in. Nothing here builds a component from its source.
//! Source: CONTRACT.md; product decision D17.

// From top to bottom: each part knows those below it.

// What the server starts and asks.

/// Components that change while the stack runs.
mod watch;

/// Functions called by the stack itself.
pub mod schedules;

/// What management commands ask of a running stack.
pub mod management;

/// What the server holds: `State` and `handle`.
mod service;

/// Who may call a function (CONTRACT.md J01 to J09).
mod access;

/// What a function is told of its caller.
mod handover;

// How a request runs.

/// How a request finds its place and runs.
mod instance;

/// Places for instances that run.
mod places;

// The functions, and how a component becomes one.

/// Name to policy and prepared component, swapped while requests run.
mod registry;

/// What decides how functions run besides their code.
mod settings;

/// Where code comes from, and how a change is told.
mod origin;

/// Whether a component can be served.
mod check;

/// From a component file to code ready to run, through the compiled cache.
mod artefact;

/// From the bytes of a component to machine code.
mod compiler;

/// Whose turn it is to change a function.
mod order;

/// Whose turn it is to be compiled.
mod turns;

/// The folder of compiled code, and who uses what of it.
mod cache;

/// The versions of deployed functions.
mod shelf;

// What an instance has of the host, and its limits.

/// Instances that wait for another request.
mod idle;

/// What an instance has of the host.
mod host;

/// What a function sees of its environment.
mod environment;

/// Secrets set while the stack runs.
mod secrets;

/// What leaves the sandbox over HTTP.
mod outbound;

/// Headers and bodies on their way in and out.
mod passage;

/// Bodies that are waited for only so long.
mod patience;

/// Where instances run.
mod threads;

/// What an instance may use: memory, CPU, handles.
mod limits;

/// The one place where the engine is configured.
mod engine;

/// The memory of all instances together.
mod memory;

// What is told, and what all stand on.

/// How an instance ended.
mod ending;

/// Lines that a function writes, and what the platform says of it.
mod logs;

/// The newest lines of all functions.
mod book;

/// The heap, and memory that nothing uses any more.
mod footprint;

/// Files that are written whole.
mod files;

/// What can go wrong, and its wire form.
mod error;

use bytes::Bytes;

pub use check::{NotServable, check};
pub use compiler::compile_if_asked;
pub use error::{HostError, StartError};
pub use footprint::{Allocator, give_back as give_back_memory};
pub use origin::is_function_name;
pub use outbound::{Dispatch, Resolver};
pub use service::{State, Timings, handle};

/// Error of a body.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Body of requests and responses.
pub type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, BoxError>;
