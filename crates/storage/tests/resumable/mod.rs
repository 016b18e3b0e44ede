//! Resumable uploads.

/// A client of TUS.
pub(crate) mod client;

/// Uploads that begin.
mod creating;

/// Bytes that arrive.
mod sending;

/// What is refused, and to whom.
mod refusals;

/// Uploads by the token of an upload URL.
mod signed;

/// One writer at a time.
mod writers;

/// Uploads that end without an object.
mod ending;
