//! `UploadPart` and `UploadPartCopy`.

use std::sync::Arc;

use banyan_web::{Body, empty};
use http::{HeaderValue, Response, header::ETAG};
use serde::Serialize;
use time::OffsetDateTime;

use super::Found;
use crate::{
    blobs::{BlobError, BlobKey, ByteStream, PartId},
    context::ServiceContext,
    domain::upload::measured,
    error::StorageError,
    model::UploadedPart,
    s3::{copy_source::CopySource, request::SignedRequest, xml},
    store::multipart_uploads,
    wire::timestamp,
};

/// Numbers that a part may have.
const NUMBERS: std::ops::RangeInclusive<u32> = 1..=10_000;

/// Largest part in bytes.
const LARGEST_PART: u64 = 5 << 30;

#[derive(Serialize)]
struct CopyPartResult {
    #[serde(rename = "ETag")]
    e_tag: String,
    #[serde(rename = "LastModified")]
    last_modified: String,
}

/// Writes a part. Its size must be known beforehand.
pub(in crate::s3) async fn upload_part(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let size = request.payload.size.ok_or(StorageError::MissingContentLength)?;
    let bytes = request.payload.take();
    let part = write(&request, size, async { Ok(bytes) }).await?;
    let mut response = Response::new(empty());
    let e_tag = HeaderValue::from_str(&part.e_tag).expect("an entity tag is a header");
    response.headers_mut().insert(ETAG, e_tag);
    Ok(response)
}

/// Writes a part that is a part of another object, or all of it.
pub(in crate::s3) async fn upload_part_copy(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let source = CopySource::of(&request).await?;
    let range = source.range(request.header("x-amz-copy-source-range"))?;
    let version = source.object.version.ok_or(StorageError::NoBytes)?;
    let (service, key) = (&request.exchange.service, BlobKey::Object(version));
    let size = range.end - range.start;
    let part = write(&request, size, service.blobs.get(&key, range)).await?;
    let last_modified = timestamp(part.created_at);
    Ok(xml::answer("CopyPartResult", &CopyPartResult { e_tag: part.e_tag, last_modified }))
}

/// Writes a part, whose bytes are opened once it is sure that they may be written.
async fn write(
    request: &SignedRequest,
    size: u64,
    bytes: impl Future<Output = Result<ByteStream, BlobError>> + Send,
) -> Result<UploadedPart, StorageError> {
    let number = request.number("partNumber", 0)?;
    if !NUMBERS.contains(&number) {
        return Err(StorageError::InvalidParameter("partNumber".to_owned()));
    }
    let found = Found::of(request, None).await?;
    let service = Arc::clone(&request.exchange.service);
    let others = multipart_uploads::size_of_others(request.exchange.as_service(), &found.upload.id, number);
    let received = size + others.await?;
    if size > LARGEST_PART || received > found.plan.limit() {
        return Err(StorageError::EntityTooLarge);
    }
    let incoming =
        IncomingPart { number, size, bytes: bytes.await?, created_at: request.exchange.context.now };
    // A client that goes away ends the bytes. What was written by then is noted or deleted.
    let task = tokio::spawn(async move { incoming.store(&service, &found).await });
    task.await.map_err(|_| StorageError::Internal("the task of a part ended early"))?
}

/// A part on its way into the back end.
struct IncomingPart {
    number: u32,
    /// Bytes that were announced.
    size: u64,
    bytes: ByteStream,
    created_at: OffsetDateTime,
}

impl IncomingPart {
    /// Writes the bytes, then the row. Bytes that will be in no object are deleted. An upload above
    /// the quota is given up, as a back end may keep what it has of a part.
    async fn store(self, service: &ServiceContext, found: &Found) -> Result<UploadedPart, StorageError> {
        let Self { number, size, bytes, created_at } = self;
        let (key, parts_id) = found.blob();
        let (bytes, meter) = measured(bytes, size);
        let (id, written) = service.blobs.put_part((&key, &parts_id), number, bytes, Some(size)).await?;
        let part = UploadedPart { number, size, e_tag: meter.receipt().e_tag(), id: id.0, created_at };
        let noted = note(service, &found.upload.id, &part, written).await;
        let useless = match &noted {
            Ok(replaced) => replaced.clone(),
            // The row may have been written. The part goes with its upload.
            Err(StorageError::Database(error)) if error.may_have_committed() => vec![],
            Err(_) => vec![part.id.clone()],
        };
        delete(service, found, useless).await;
        if matches!(noted, Err(StorageError::QuotaExceeded)) {
            found.give_up(service).await?;
        }
        noted.map(|_| part)
    }
}

/// Writes the row of a part, of which so many bytes were written. Returns the ids of the parts that
/// it replaces.
async fn note(
    service: &ServiceContext,
    upload: &str,
    part: &UploadedPart,
    written: u64,
) -> Result<Vec<String>, StorageError> {
    if written != part.size {
        return Err(StorageError::IncompleteBody);
    }
    let quota = service.settings.quota_per_user;
    multipart_uploads::write_part(&service.own_database(), upload, part, quota).await
}

/// Deletes the bytes of parts without a row. What cannot be deleted now goes with the upload, or is
/// left to the sweep.
async fn delete(service: &ServiceContext, found: &Found, parts: Vec<String>) {
    let (key, parts_id) = found.blob();
    for part in parts {
        if let Err(error) = service.blobs.delete_part((&key, &parts_id), &PartId(part)).await {
            tracing::warn!(%error, upload.id = parts_id.0, "storage: a part without a row is left for now");
        }
    }
}
