//! `UploadPart` and `UploadPartCopy`.

use banyan_web::{Body, empty};
use http::{HeaderValue, Response, header::ETAG};
use serde::Serialize;

use super::Found;
use crate::{
    blobs::{BlobError, BlobKey, ByteStream, PartId},
    context::ServiceContext,
    domain::upload::measured,
    error::StorageError,
    model::UploadedPart,
    s3::{copy_source::CopySource, request::SignedRequest, xml},
    store::{Db, multipart_uploads},
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
    let (service, db) = (&request.exchange.service, request.exchange.as_service());
    let received = size + multipart_uploads::size_of_others(db, &found.upload.id, number).await?;
    if size > LARGEST_PART || received > found.plan.limit() {
        return Err(StorageError::EntityTooLarge);
    }
    let (key, parts_id) = found.blob();
    let (bytes, meter) = measured(bytes.await?, size);
    let (part_id, written) = service.blobs.put_part((&key, &parts_id), number, bytes, Some(size)).await?;
    let part = UploadedPart {
        number,
        size,
        e_tag: meter.receipt().e_tag(),
        id: part_id.0,
        created_at: request.exchange.context.now,
    };
    let noted = note(db, &found.upload.id, &part, written, received).await;
    let useless = match &noted {
        Ok(replaced) => replaced.clone(),
        Err(StorageError::NoSuchUpload | StorageError::IncompleteBody) => vec![part.id.clone()],
        // The row may have been written. The part goes with its upload.
        Err(_) => vec![],
    };
    delete(service, &found, useless).await;
    noted.map(|_| part)
}

/// Writes the row of a part, of which so many bytes were written. Returns the ids of the parts that
/// it replaces.
async fn note(
    db: Db<'_>,
    upload: &str,
    part: &UploadedPart,
    written: u64,
    received: u64,
) -> Result<Vec<String>, StorageError> {
    if written != part.size {
        return Err(StorageError::IncompleteBody);
    }
    multipart_uploads::write_part(db, upload, part, received).await
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
