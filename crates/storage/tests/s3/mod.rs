//! The protocol of S3, by requests that are signed here by hand.

/// A client that signs.
pub(crate) mod client;

/// Who may do what, and what is no signature.
mod access;

/// Buckets and lists.
mod buckets;

/// Objects one by one.
mod objects;

/// Bodies in chunks, checksums.
mod payloads;

/// Objects in parts.
mod multipart;

/// Forms of browsers.
mod forms;
