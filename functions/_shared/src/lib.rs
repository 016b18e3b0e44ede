//! What the edge functions of this product have in common: the path of a call that costs credits and
//! the documents they write. Door, caller and clients are those of `banyan_sdk`. A function is typed input to typed output; everything that
//! touches the outside world (network, clock, environment) comes in as an argument, so that the same
//! code runs in a WebAssembly guest and in `cargo test` on the host.

/// What any function needs, of this product or of another.
pub use banyan_sdk::{auth, caller, door, env, log, mail, project, rest, storage, transport};

#[cfg(target_arch = "wasm32")]
pub use banyan_sdk::http_function;

/// The wire forms of failure.
pub mod error;

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

/// What models write for documents.
pub mod model;

/// Writing systems and the language a document is written in.
pub mod script;

/// Cleaning text that somebody else wrote.
pub mod sanitise;

/// A text as its readers see it.
mod folded;

/// What a message may not ask of its readers.
pub mod asked_for;

/// Rules that keep unsafe requests away from children.
pub mod safety;

/// What a model says of how safe a request and a document are.
pub mod gate;

/// Hashes, seeds and the deterministic dice made from them.
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
