//! The bytes of an object.

use std::ops::Range;

use banyan_web::{Body, empty, full};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};

use crate::{
    blobs::{BlobError, BlobKey, ByteStream},
    cache::LARGEST_KEPT,
    context::ServiceContext,
    error::StorageError,
    model::Version,
    wire::ServedObject,
};

/// The number of bytes of an object, by its row, or else by the back end.
///
/// # Errors
/// `NoBytes` for a row without bytes (CONTRACT.md D17).
pub(crate) async fn size(service: &ServiceContext, object: &ServedObject) -> Result<u64, StorageError> {
    match object.size {
        Some(size) => Ok(size),
        None => Ok(service.blobs.size(&key(object)?).await?),
    }
}

/// A range of an object of `size` bytes. Small objects come from memory, others are streamed: what
/// the client does not read is not read here either (CONTRACT.md D18).
///
/// # Errors
/// `NoBytes` for a row without bytes (CONTRACT.md D17).
pub(crate) async fn body(
    service: &ServiceContext,
    object: &ServedObject,
    size: u64,
    range: Range<u64>,
) -> Result<Body, StorageError> {
    let version = object.version.ok_or(StorageError::NoBytes)?;
    if range.is_empty() {
        return Ok(empty());
    }
    if size > LARGEST_KEPT {
        return Ok(streamed(service.blobs.get(&BlobKey::Object(version), range).await?));
    }
    let whole = small(service, version, size).await?;
    let place = |at: u64| usize::try_from(at).map_or(whole.len(), |at| at.min(whole.len()));
    Ok(full(whole.slice(place(range.start)..place(range.end))))
}

fn key(object: &ServedObject) -> Result<BlobKey, StorageError> {
    object.version.map(BlobKey::Object).ok_or(StorageError::NoBytes)
}

fn streamed(bytes: ByteStream) -> Body {
    StreamBody::new(bytes.map(|piece| piece.map(Frame::data).map_err(Into::into))).boxed_unsync()
}

/// A small object, from memory where it is kept. Versions never change.
async fn small(service: &ServiceContext, version: Version, size: u64) -> Result<Bytes, StorageError> {
    if let Some(kept) = service.caches.blobs.get(version) {
        return Ok(kept);
    }
    let mut whole = BytesMut::new();
    let mut pieces = service.blobs.get(&BlobKey::Object(version), 0..size).await?;
    while let Some(piece) = pieces.try_next().await? {
        whole.extend_from_slice(&piece);
    }
    if whole.len() as u64 != size {
        return Err(BlobError::Service(format!("{version} has {} bytes, not {size}", whole.len())).into());
    }
    let whole = whole.freeze();
    service.caches.blobs.keep(version, whole.clone());
    Ok(whole)
}
