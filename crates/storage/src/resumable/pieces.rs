//! A piece on its way into the back end.
//!
//! Where a part may be of any size, a piece is a part, and its bytes pass without being held. Some
//! services of S3 take no small part unless it is the last one: there a piece is gathered in memory
//! until it makes a part with what lies in the tail, and what is too little becomes the new tail.
//! The memory counts to the bound of all uploads.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::incoming::{Incoming, PieceLimit};
use crate::{
    blobs::{BlobError, BlobKey, ByteStream, PartId, PartsId},
    context::ServiceContext,
    error::StorageError,
    model::{ResumableUpload, Tail},
    store::resumable_uploads::{self, Progress, WrittenPart},
};

/// Bytes of a piece. A process that is killed loses at most so many of them.
const PIECE: u64 = 8 << 20;

/// A slow line fills no whole piece in this time; what it has sent is made durable.
const LONGEST_PIECE: Duration = Duration::from_secs(5);

/// Most parts that an upload may have; services of S3 take no more.
const MOST_PARTS: u64 = 10_000;

/// Makes the next piece of a body durable, and notes it.
///
/// # Errors
/// `Superseded` for an older writer; those of the body, of the back end and of the database.
pub(super) async fn write(
    service: &ServiceContext,
    upload: &mut ResumableUpload,
    incoming: &Incoming,
) -> Result<(), StorageError> {
    let smallest = service.blobs.smallest_part();
    let written = if smallest <= 1 {
        let limit = PieceLimit { size: PIECE, age: Some(LONGEST_PIECE) };
        let part = put_part(service, upload, incoming.piece(limit), None).await?;
        Written { size: part.size, part: Some(part), tail: None }
    } else {
        gather(service, upload, incoming, smallest).await?
    };
    let part = written.part.clone();
    let noted = advance(service, upload, written, incoming.md5().state()).await;
    if let (Err(StorageError::Tus(_)), Some(part)) = (&noted, part) {
        delete_part(service, upload, part).await;
    }
    noted
}

/// Deletes a part that does not count. What cannot be deleted now goes with the upload.
async fn delete_part(service: &ServiceContext, upload: &ResumableUpload, part: WrittenPart) {
    let (key, parts_id) = (BlobKey::Object(upload.version), PartsId(upload.parts_id.clone()));
    if let Err(error) = service.blobs.delete_part((&key, &parts_id), &PartId(part.id)).await {
        tracing::warn!(error.message = %error, storage.version = %upload.version, "storage: a part that came too late is left to the end of its upload");
    }
}

/// Makes the tail the last part.
pub(super) async fn write_tail(
    service: &ServiceContext,
    upload: &mut ResumableUpload,
) -> Result<(), StorageError> {
    let Some(tail) = upload.tail else { return Ok(()) };
    let bytes = read_tail(service, upload).await?;
    let part = put_part(service, upload, bytes, Some(tail.size)).await?;
    let md5 = upload.md5.clone();
    advance(service, upload, Written { size: 0, part: Some(part), tail: None }, md5).await
}

/// What became of a piece.
struct Written {
    /// Bytes that are new.
    size: u64,
    part: Option<WrittenPart>,
    tail: Option<Tail>,
}

async fn gather(
    service: &ServiceContext,
    upload: &ResumableUpload,
    incoming: &Incoming,
    smallest: u64,
) -> Result<Written, StorageError> {
    let waiting = upload.tail.map_or(0, |tail| tail.size);
    let wanted = smallest.max(upload.length.unwrap_or(0).div_ceil(MOST_PARTS / 2));
    let limit = PieceLimit { size: wanted.saturating_sub(waiting).max(1), age: None };
    let memory = service.blobs.memory(waiting + limit.size).await;
    let gathered: Vec<Bytes> = incoming.piece(limit).try_collect().await?;
    let size = gathered.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
    let whole = waiting + size;
    let bytes = read_tail(service, upload).await?.chain(stream::iter(gathered.into_iter().map(Ok))).boxed();
    let is_last = upload.length == Some(upload.received + size);
    if whole >= smallest || is_last {
        let number = resumable_uploads::reserve_part(&service.own_database(), upload).await?;
        let (key, parts_id) = (BlobKey::Object(upload.version), PartsId(upload.parts_id.clone()));
        let put = service.blobs.put_gathered_part((&key, &parts_id), number, (bytes, whole), memory);
        let (id, whole) = put.await?;
        return Ok(Written { size, part: Some(WrittenPart { number, id: id.0, size: whole }), tail: None });
    }
    let tail = Tail { version: service.new_version(), size: whole };
    service.blobs.put_gathered(&BlobKey::Tail(tail.version), bytes, whole, memory).await?;
    Ok(Written { size, part: None, tail: Some(tail) })
}

async fn put_part(
    service: &ServiceContext,
    upload: &ResumableUpload,
    bytes: ByteStream,
    size: Option<u64>,
) -> Result<WrittenPart, StorageError> {
    let number = resumable_uploads::reserve_part(&service.own_database(), upload).await?;
    let (key, parts_id) = (BlobKey::Object(upload.version), PartsId(upload.parts_id.clone()));
    let (id, size) = service.blobs.put_part((&key, &parts_id), number, bytes, size).await?;
    Ok(WrittenPart { number, id: id.0, size })
}

async fn read_tail(service: &ServiceContext, upload: &ResumableUpload) -> Result<ByteStream, BlobError> {
    match upload.tail {
        Some(tail) => service.blobs.get(&BlobKey::Tail(tail.version), 0..tail.size).await,
        None => Ok(stream::empty().boxed()),
    }
}

/// Notes what is durable. The tail before it is not needed any more.
async fn advance(
    service: &ServiceContext,
    upload: &mut ResumableUpload,
    Written { size, part, tail }: Written,
    md5: Vec<u8>,
) -> Result<(), StorageError> {
    let progress = Progress { received: upload.received + size, part, tail, md5 };
    let quota = service.settings.quota_per_user;
    resumable_uploads::advance(&service.own_database(), upload, &progress, quota).await?;
    upload.received = progress.received;
    upload.md5 = progress.md5;
    if let Some(old) = std::mem::replace(&mut upload.tail, tail) {
        delete_tail(service, old).await;
    }
    Ok(())
}

/// Deletes a tail that no row names. What cannot be deleted now, the sweep collects.
pub(super) async fn delete_tail(service: &ServiceContext, tail: Tail) {
    if let Err(error) = service.blobs.delete(&BlobKey::Tail(tail.version)).await {
        tracing::warn!(error.message = %error, storage.tail = %tail.version, "storage: a tail without an upload is left to the sweep");
    }
}
