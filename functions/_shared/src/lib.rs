//! Code that the edge functions of this product share: the path of a call that costs credits, and
//! the writers of documents. The request handler, the caller and the clients come from
//! `banyan_sdk`.
//!
//! A function turns typed input into typed output. The outside world (network, clock, environment)
//! is an argument, so the same code runs in a WebAssembly guest and in `cargo test` on the host.

/// Code that any function needs, of this product or of another.
pub use banyan_sdk::{auth, caller, env, handler, log, mail, project, rest, storage, transport};

#[cfg(target_arch = "wasm32")]
pub use banyan_sdk::http_function;

/// The wire forms of failure.
pub mod error;

/// Sends one mail for one request.
pub mod mail_once;

/// Claiming and settling a deduction.
pub mod wallet;

/// The path of a call that costs credits.
pub mod paid_call;

/// How far a document is.
pub mod progress;

/// Title, labels, warnings and figures of a document.
pub mod metadata;

/// A form as the client sends it.
pub mod form;

/// Built-in text that every kind of document needs.
pub mod words;

/// Checks on text that goes into a document.
pub mod checks;

/// Documents that models write.
pub mod model;

/// Writing systems and the language a document is written in.
pub mod writing_system;

/// Cleaning text that somebody else wrote.
pub mod sanitise;

/// Judges whether a request or a document may be shown to children.
pub mod moderation;

/// Hashes, seeds and the deterministic random numbers made from them.
pub mod seed;

/// Dates in Indian Standard Time.
pub mod dates;

/// Spaces at which no line may end.
pub mod spacing;

/// One block model and its writers: RTF and plain text.
pub mod document;

/// The WebAssembly side of the tools.
#[cfg(target_arch = "wasm32")]
pub mod guest;
