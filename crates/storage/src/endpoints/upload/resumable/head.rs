//! `HEAD`: how far an upload is (CONTRACT.md T04).

use banyan_web::Body;
use http::{HeaderValue, Response, StatusCode, header::CACHE_CONTROL};

use super::request::{TusRequest, progress_answer};
use crate::{
    error::StorageError,
    model::ResumableUpload,
    wire::tus::{UPLOAD_DEFER_LENGTH, UPLOAD_LENGTH, UPLOAD_METADATA},
};

/// Becomes the writer, so that what an older request still receives is counted before the client
/// goes on. An upload whose bytes are all there is finished: its client takes it for done.
pub(super) async fn head(request: TusRequest) -> Result<Response<Body>, StorageError> {
    let found = request.find().await?;
    if found.is_finished {
        return told(&found);
    }
    let mut session = request.open().await?;
    if session.upload().is_whole() && !session.upload().is_finished {
        let plan = request.plan(session.upload(), session.upload().length).await?;
        request.finish(&mut session, plan).await?;
    }
    told(session.upload())
}

fn told(upload: &ResumableUpload) -> Result<Response<Body>, StorageError> {
    let mut answer = progress_answer(StatusCode::OK, upload);
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    match upload.length {
        Some(length) => headers.insert(UPLOAD_LENGTH, length.into()),
        None => headers.insert(UPLOAD_DEFER_LENGTH, 1.into()),
    };
    let metadata = upload.metadata.parse();
    let metadata = metadata.map_err(|_| StorageError::Internal("metadata are no header value"))?;
    headers.insert(UPLOAD_METADATA, metadata);
    Ok(answer)
}
