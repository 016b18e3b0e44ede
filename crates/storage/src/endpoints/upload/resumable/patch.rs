//! `PATCH`: sends bytes (CONTRACT.md T05).

use banyan_web::Body;
use http::{HeaderMap, Response, StatusCode};

use super::request::{TusRequest, progress_answer};
use crate::{
    error::{StorageError, TusRefusal},
    model::ResumableUpload,
    wire::tus::{UPLOAD_LENGTH, UPLOAD_OFFSET, content_length, has_bytes, header_number},
};

pub(super) async fn patch(mut request: TusRequest) -> Result<Response<Body>, StorageError> {
    if !has_bytes(request.headers()) {
        return Err(TusRefusal::ContentType.into());
    }
    let offset = header_number(request.headers(), UPLOAD_OFFSET)?.ok_or(TusRefusal::NoOffset)?;
    let declared = header_number(request.headers(), UPLOAD_LENGTH)?;
    let found = request.find().await?;
    if found.is_finished {
        check_fit(&found, offset, request.headers())?;
        return Ok(progress_answer(StatusCode::NO_CONTENT, &found));
    }
    let plan = request.plan(&found, found.length.or(declared)).await?;
    let mut session = request.open().await?;
    check_offset(session.upload(), offset)?;
    if let Some(length) = declared {
        session.declare_length(length).await?;
    }
    check_fit(session.upload(), offset, request.headers())?;
    let mut session = session.receive(request.take_body(), plan.limit()).await?;
    request.finish(&mut session, plan).await?;
    Ok(progress_answer(StatusCode::NO_CONTENT, session.upload()))
}

fn check_offset(upload: &ResumableUpload, offset: u64) -> Result<(), TusRefusal> {
    if upload.received == offset { Ok(()) } else { Err(TusRefusal::OffsetConflict) }
}

/// Whether a body that tells its length fits what is missing.
fn check_fit(upload: &ResumableUpload, offset: u64, headers: &HeaderMap) -> Result<(), TusRefusal> {
    check_offset(upload, offset)?;
    let end = offset.saturating_add(content_length(headers));
    if upload.length.is_some_and(|length| end > length) { Err(TusRefusal::LengthExceeded) } else { Ok(()) }
}
