//! `POST`: begins an upload, and may bring its first bytes (CONTRACT.md T02, T03).

use banyan_web::{Body, empty};
use http::{HeaderMap, Response, StatusCode, header::LOCATION};

use super::{access::Access, location::location, request::progress_answer};
use crate::{
    context::Exchange,
    domain::upload::{self, UploadPlan, UploadRequest},
    error::{StorageError, TusRefusal},
    model::{BucketName, ResumableUpload},
    resumable::{self, Metadata, NewUpload, Session, UploadId},
    wire::tus::{
        UPLOAD_CONCAT, UPLOAD_DEFER_LENGTH, UPLOAD_LENGTH, UPLOAD_METADATA, UPLOAD_OFFSET, content_length,
        has_bytes, header_number, header_text,
    },
};

pub(super) async fn post(exchange: Exchange, is_signed: bool) -> Result<Response<Body>, StorageError> {
    let (new, plan) = planned(&exchange, is_signed).await?;
    let has_bytes = has_bytes(&exchange.parts.headers);
    if has_bytes && new.length.is_some_and(|length| content_length(&exchange.parts.headers) > length) {
        return Err(TusRefusal::LengthExceeded.into());
    }
    let mut upload = resumable::begin(&exchange.service, &exchange.context, new).await?;
    if has_bytes || upload.is_whole() {
        let body = if has_bytes { exchange.take_body() } else { empty() };
        upload = receive(&exchange, &upload, plan, body).await?;
    }
    created(&exchange, &upload, has_bytes)
}

/// What is asked for, once limits and policies allow it.
async fn planned(exchange: &Exchange, is_signed: bool) -> Result<(NewUpload, UploadPlan), StorageError> {
    let headers = &exchange.parts.headers;
    let length = length(headers)?;
    let text = header_text(headers, UPLOAD_METADATA).ok_or(TusRefusal::InvalidMetadata)?;
    let metadata = Metadata::parse(text)?;
    let bucket = BucketName::new(metadata.bucket())?.as_str().to_owned();
    let object = metadata.object().to_owned();
    let access = Access::of(exchange, is_signed, &format!("{bucket}/{object}"))?;
    let (upsert, owner) = (access.upsert(headers), access.owner().map(str::to_owned));
    let request = UploadRequest {
        bucket: bucket.clone(),
        name: object.clone(),
        upsert,
        owner: owner.clone(),
        declared: metadata.declare(length),
    };
    let plan = upload::plan(&exchange.service, &exchange.context, request).await?;
    let plan = access.rehearse(exchange, plan).await?;
    let (is_of_service, is_bounded) = (access.is_service(), access.is_bounded());
    let metadata = text.to_owned();
    Ok((NewUpload { bucket, object, owner, is_of_service, is_bounded, upsert, length, metadata }, plan))
}

/// The length that is declared; none if it is told later.
fn length(headers: &HeaderMap) -> Result<Option<u64>, TusRefusal> {
    if headers.contains_key(UPLOAD_CONCAT) {
        return Err(TusRefusal::Concatenation);
    }
    let is_deferred = match header_text(headers, UPLOAD_DEFER_LENGTH) {
        None => false,
        Some("1") => true,
        Some(_) => return Err(TusRefusal::InvalidHeader(UPLOAD_DEFER_LENGTH)),
    };
    match (header_number(headers, UPLOAD_LENGTH)?, is_deferred) {
        (Some(length), false) => Ok(Some(length)),
        (None, true) => Ok(None),
        _ => Err(TusRefusal::NoLength),
    }
}

/// Receives the bytes that came with the request.
async fn receive(
    exchange: &Exchange,
    upload: &ResumableUpload,
    plan: UploadPlan,
    body: Body,
) -> Result<ResumableUpload, StorageError> {
    let session = Session::open(&exchange.service, upload.version).await?;
    let mut session = session.receive(body, plan.limit()).await?;
    session.finish(&exchange.context, plan).await?;
    Ok(session.upload().clone())
}

fn created(
    exchange: &Exchange,
    upload: &ResumableUpload,
    has_bytes: bool,
) -> Result<Response<Body>, StorageError> {
    let mut answer = progress_answer(StatusCode::CREATED, upload);
    if !has_bytes {
        answer.headers_mut().remove(UPLOAD_OFFSET);
    }
    let id =
        UploadId { bucket: upload.bucket_id.clone(), object: upload.name.clone(), version: upload.version };
    let location = location(exchange, &id.encode());
    let location = location.parse().map_err(|_| StorageError::Internal("a location is no header value"))?;
    answer.headers_mut().insert(LOCATION, location);
    Ok(answer)
}
