//! A provider-neutral client for models that speak `POST {base}/chat/completions`.
//!
//! The client streams, adapts to the features of a server and remembers them, retries failures that
//! may pass, keeps to a time budget and changes to a second provider. It never judges the text of a
//! reply.

/// Providers and limits, read from the environment.
pub mod config;

/// The request body for one call in one mode.
mod body;

/// The features that a server supports.
mod dialect;

/// Server-sent events, put together to one reply.
mod stream;

/// When to try again, and when to stop asking for a while.
mod retry;

/// One JSON object out of what a model wrote.
pub mod json;

mod client;

pub use client::{Call, ModelClient, ModelError, Reply, Usage};
pub use config::{ModelConfig, Provider, Spent};
pub use dialect::JsonMode;
