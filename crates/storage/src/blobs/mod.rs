//! Where the bytes of objects lie: a folder of this machine, or a service of S3.
//!
//! A blob is written once, whole, and never changes. Its key is a version, never a name that a
//! client chose (CONTRACT.md K01, K04).

use std::{fmt, ops::Range, path::Path, pin::Pin, sync::Arc, time::SystemTime};

use bytes::Bytes;
use futures_util::{Stream, future::BoxFuture};
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

pub(crate) use crate::error::BlobError;
use crate::model::Version;

/// Blobs in a folder of this machine.
mod disk;

/// Blobs in a bucket of a service of S3.
mod s3;

/// Blobs in memory, for tests.
mod memory;

/// What every back end promises.
#[cfg(test)]
mod suite;

pub(crate) use disk::Disk;
pub(crate) use s3::S3;

/// The range of all bytes of a blob.
pub(crate) const WHOLE: Range<u64> = 0..u64::MAX;

/// A back end, opened.
#[derive(Debug, Clone)]
pub struct Blobs {
    pub(crate) store: Arc<dyn BlobStore>,
    /// The stack whose bytes it holds; none where nothing says so.
    pub(crate) stack: Option<Uuid>,
}

impl Blobs {
    pub(crate) fn of_stack(store: impl BlobStore, stack: Uuid) -> Self {
        Self { store: Arc::new(store), stack: Some(stack) }
    }

    /// A folder that belongs to no stack: the sweep only reports. A service opens its back end by
    /// [`crate::open`].
    ///
    /// # Errors
    /// The folder cannot be made or opened.
    pub fn in_folder(folder: &Path) -> std::io::Result<Self> {
        Ok(Self { store: Arc::new(Disk::open(folder)?), stack: None })
    }

    /// A back end that loses everything with the process, for tests.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::in_memory_with_smallest_part(1)
    }

    /// The same with a smallest size of parts, as services of S3 have one.
    #[must_use]
    pub fn in_memory_with_smallest_part(bytes: u64) -> Self {
        Self { store: Arc::new(memory::Memory::with_smallest_part(bytes)), stack: None }
    }
}

/// Bytes on their way into a back end or out of it.
pub(crate) type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, BlobError>> + Send>>;

/// The key of a blob within the stack's own prefix.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum BlobKey {
    /// The bytes of an object.
    Object(Version),
    /// Bytes that an unfinished upload has received and that are no part yet.
    Tail(Version),
    /// What the stack notes beside its blobs.
    Mark(Mark),
}

/// A note of the stack in its back end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mark {
    /// The id of the stack.
    Stack,
    /// When a reset of the database began. Older blobs without a row are no surprise.
    Reset,
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(version) => write!(f, "objects/{}/{version}", shard(version)),
            Self::Tail(version) => write!(f, "tails/{}/{version}", shard(version)),
            Self::Mark(Mark::Stack) => f.write_str("stack"),
            Self::Mark(Mark::Reset) => f.write_str("reset"),
        }
    }
}

/// The two hexadecimal digits that a version begins with. They spread the blobs over 256 folders.
fn shard(version: &Version) -> String {
    format!("{:02x}", version.0.as_bytes()[0])
}

/// A blob that lies in a back end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredBlob {
    /// The key as text, as [`BlobKey`] writes it.
    pub(crate) key: String,
    pub(crate) size: u64,
    /// When it was written. The copy of a blob counts as new.
    pub(crate) modified: SystemTime,
}

impl StoredBlob {
    /// Whose bytes it holds; none for a key that no version wrote.
    pub(crate) fn version(&self) -> Option<Version> {
        self.key.split('/').nth(2)?.parse().ok().map(Version)
    }
}

/// An upload in parts. The back end knows it by this id until it is completed or aborted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartsId(pub(crate) String);

/// A part that was written, as the back end knows it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartId(pub(crate) String);

/// A share of the memory in which a back end lets bytes be gathered, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct MemoryShare(Option<OwnedSemaphorePermit>);

/// A back end.
///
/// What `put` and `complete_parts` have answered survives a loss of power. Dropping a future of
/// either leaves the whole blob or none.
pub(crate) trait BlobStore: fmt::Debug + Send + Sync + 'static {
    /// Writes a blob from a stream, in place of one of the same key. An error of the stream is
    /// returned as it is, and leaves nothing. `size` is the number of bytes, where it is known.
    fn put<'a>(
        &'a self,
        key: &'a BlobKey,
        bytes: ByteStream,
        size: Option<u64>,
    ) -> BoxFuture<'a, Result<u64, BlobError>>;

    /// Reads a part of a blob. The range lies within the blob, or is [`WHOLE`]. A key that is not
    /// there is [`BlobError::NotFound`], told before the first bytes.
    fn get<'a>(&'a self, key: &'a BlobKey, range: Range<u64>)
    -> BoxFuture<'a, Result<ByteStream, BlobError>>;

    /// The number of bytes of a blob.
    fn size<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<u64, BlobError>>;

    /// Copies a blob to a key that is not there yet.
    fn copy<'a>(&'a self, from: &'a BlobKey, to: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>>;

    /// Deletes a blob, if it is there.
    fn delete<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>>;

    /// Lists the blobs whose key begins with `prefix`, such as `objects/0f/`, in no order.
    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<StoredBlob>, BlobError>>;

    /// Smallest size of a part that is not the last one.
    fn smallest_part(&self) -> u64;

    /// Begins a blob that arrives in parts.
    fn begin_parts<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<PartsId, BlobError>>;

    /// Writes part `number`, from 1 on. A part that is written again replaces the one before, whose
    /// bytes may stay until [`BlobStore::delete_part`].
    fn put_part<'a>(
        &'a self,
        upload: (&'a BlobKey, &'a PartsId),
        number: u32,
        bytes: ByteStream,
        size: Option<u64>,
    ) -> BoxFuture<'a, Result<(PartId, u64), BlobError>>;

    /// Waits for memory in which `bytes` are gathered before they are sent. A back end that takes
    /// them as they come has no bound for it.
    fn memory(&self, _bytes: u64) -> BoxFuture<'_, MemoryShare> {
        Box::pin(async { MemoryShare::default() })
    }

    /// Writes a blob as [`BlobStore::put`], whose bytes are gathered in a share of memory.
    fn put_gathered<'a>(
        &'a self,
        key: &'a BlobKey,
        bytes: ByteStream,
        size: u64,
        memory: MemoryShare,
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        Box::pin(async move {
            let _memory = memory;
            self.put(key, bytes, Some(size)).await
        })
    }

    /// Writes a part as [`BlobStore::put_part`], whose bytes are gathered in a share of memory.
    fn put_gathered_part<'a>(
        &'a self,
        upload: (&'a BlobKey, &'a PartsId),
        number: u32,
        (bytes, size): (ByteStream, u64),
        memory: MemoryShare,
    ) -> BoxFuture<'a, Result<(PartId, u64), BlobError>> {
        Box::pin(async move {
            let _memory = memory;
            self.put_part(upload, number, bytes, Some(size)).await
        })
    }

    /// Deletes a part that will be in no blob, if it is there: one that was replaced, or that came
    /// once its upload was over.
    fn delete_part<'a>(
        &'a self,
        upload: (&'a BlobKey, &'a PartsId),
        part: &'a PartId,
    ) -> BoxFuture<'a, Result<(), BlobError>>;

    /// Makes one blob of the parts, in this order. The parts are gone afterwards. A second call is
    /// [`BlobError::NotFound`], or answers as the first did.
    fn complete_parts<'a>(
        &'a self,
        upload: (&'a BlobKey, &'a PartsId),
        parts: &'a [(u32, PartId)],
    ) -> BoxFuture<'a, Result<u64, BlobError>>;

    /// Gives an upload in parts up, if it is there.
    fn abort_parts<'a>(&'a self, upload: (&'a BlobKey, &'a PartsId)) -> BoxFuture<'a, Result<(), BlobError>>;

    /// Moves a blob, by its key as text, to the trash of a date such as `2026-11-27`.
    fn discard<'a>(&'a self, key: &'a str, date: &'a str) -> BoxFuture<'a, Result<(), BlobError>>;

    /// The dates whose trash is not deleted yet.
    fn discarded<'a>(&'a self) -> BoxFuture<'a, Result<Vec<String>, BlobError>>;

    /// Deletes the trash of a date.
    fn delete_discarded<'a>(&'a self, date: &'a str) -> BoxFuture<'a, Result<(), BlobError>>;
}
