//! What is kept in memory: rows that everybody may read, and small blobs.
//!
//! Rows of buckets and objects are kept by name. Another node may change them, so they are believed
//! only while the database tells this node of changes; what this node changes itself it forgets at
//! once. Blobs are kept by version and never change.

/// Rows of buckets and objects, by name.
mod rows;

/// Small blobs, by version.
mod small_blobs;

/// What the database tells of changed rows.
mod changes;

pub(crate) use changes::{CHANNEL, follow};
pub(crate) use rows::{Found, RowCache};
pub(crate) use small_blobs::{BlobCache, LARGEST_KEPT};

/// What is kept in memory.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    pub(crate) rows: RowCache,
    pub(crate) blobs: BlobCache,
}
