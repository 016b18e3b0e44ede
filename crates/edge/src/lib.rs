//! Answers `/functions/v1`: loads components and runs them inside limits, a fresh instance for
//! every request.
//!
//! Knows nothing of the database and of the other services: a function reaches them over HTTP,
//! answered in process by the `dispatch` function that the server hands in. Nothing here builds a
//! component from its source. Source: CONTRACT.md; product decision D17.

// From top to bottom: each part knows those below it.

// What the server starts and asks.

/// Reloads components that change while the stack runs.
mod watch;

/// Functions that the stack itself calls.
pub mod schedules;

/// What management commands ask of a running stack.
pub mod management;

/// What the server holds: `State` and `handle`.
mod service;

/// Who may call a function, and what it learns of its caller (CONTRACT.md J01 to J09).
mod callers;

// The functions, and how a request runs in one.

/// One request in one instance.
mod instance;

/// The functions by name, swapped while requests run.
mod registry;

/// From a component's file to code that is ready to run.
mod components;

/// The versions of deployed functions, and the order in which they change.
mod deployments;

// What an instance has, and its limits.

/// What an instance has of the host.
mod host;

/// Configuration, secrets and variables of functions.
mod settings;

/// Outgoing HTTP calls of functions.
mod outbound;

/// Headers and bodies of requests and answers, between HTTP and WASI.
mod http_mapping;

/// What functions may use of the node: slots, memory, CPU time, compilations.
mod capacity;

/// The one place where the engine is configured.
mod engine;

// What all of it stands on.

/// How an invocation ended.
mod outcome;

/// Lines that functions write, and lines of the platform about functions.
mod logs;

/// What can go wrong, and its wire form.
mod error;

/// Which names a function may have.
mod function_name;

/// The allocator, and how unused memory is given back to the system.
mod memory_trim;

/// Files that are written whole or not at all.
mod files;

pub use components::{NotServable, check, compile_if_asked};
pub use error::{HostError, StartError};
pub use function_name::is_function_name;
pub use memory_trim::{Allocator, trim_memory};
pub use outbound::{Dispatch, Resolver};
pub use service::{State, Timings, handle};
