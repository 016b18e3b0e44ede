//! Answers `/storage/v1` like the storage API of Supabase: buckets, objects, signed URLs, resumable
//! uploads, the protocol of S3 and rendered images.
//!
//! An endpoint is found by its URL: `POST /object/copy` is `endpoints/object/copy.rs`. Who may do
//! what is decided by row-level security on `storage.objects` and `storage.buckets` alone. Bytes
//! lie in a [`blobs`] back end under the version of their row. The contract is CONTRACT.md; docs
//! cite its row ids.
//!
//! The modules stand in reading order: each knows only those below it (`crates/cli/tests/tidy`).

/// Tells the webhook of changed objects and buckets.
mod events;

/// Background removal of bytes that no row names any more.
mod sweep;

/// The service: put together, and asked.
mod service;

/// The routes, in one table.
mod router;

/// Which requests take as long as their bytes do.
mod transfers;

/// Objects by the protocol of S3.
mod s3;

/// The endpoints: one file per URL, folders as in the URL.
mod endpoints;

/// Resumable uploads: how bytes that come in pieces become an object.
mod resumable;

/// The rules about objects, limits and permissions. No routes, no SQL.
mod domain;

/// What every request works with: settings, database, bytes, keys.
mod context;

/// Rendered images.
mod render;

/// The stack that a database belongs to, and the back end that holds its bytes.
mod stack;

/// Who writes to which resumable upload on this node.
mod writers;

/// What is kept in memory: rows that everybody may read, and small blobs.
mod cache;

/// The SQL of schema `storage`, a file for each table.
mod store;

/// A request as policies and endpoints see it.
mod request_context;

/// How long a client is waited for.
mod patience;

/// The wire: reading requests, headers of answers.
mod wire;

/// Where the bytes of objects lie: a folder of this machine, or a service of S3.
mod blobs;

/// Plain values that the layers above hand to each other.
mod model;

/// What can go wrong, and its form on the wire.
mod error;

pub use blobs::Blobs;
pub use events::tell_webhook;
pub use patience::Patience;
pub use service::{State, handle};
pub use stack::{KeptStack, OpenError, open};
pub use sweep::{Swept, sweep, sweep_now};
pub use transfers::is_transfer;
