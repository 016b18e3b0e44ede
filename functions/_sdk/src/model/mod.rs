//! A provider-neutral client for models that speak `POST {base}/chat/completions`.
//!
//! It streams, adapts to what a server supports and remembers it, retries what is worth retrying, keeps
//! to a time budget and changes over to a second provider. It never judges the text it gets back.

/// Providers and limits, read from the environment.
pub mod config;

/// The request body for one call in one mode.
mod body;

/// What a server turned out to support.
mod ladder;

/// Server-sent events, put together to one reply.
mod stream;

/// When to try again, and when to stop asking for a while.
mod retry;

/// One JSON object out of what a model wrote.
pub mod json;

mod client;

pub use client::{Call, ModelClient, ModelError, Reply, Usage};
pub use config::{ModelConfig, Provider, Spent};
pub use ladder::JsonMode;
