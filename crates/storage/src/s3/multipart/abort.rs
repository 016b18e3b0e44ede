//! `AbortMultipartUpload`.

use banyan_web::{Body, empty};
use http::{Response, StatusCode};

use super::Found;
use crate::{blobs::BlobError, error::StorageError, s3::request::SignedRequest, store::multipart_uploads};

/// Gives an upload up: its bytes first, then the row by which they are found.
pub(in crate::s3) async fn abort(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let found = Found::of(&request, None).await?;
    let (key, parts_id) = found.blob();
    match request.exchange.service.blobs.abort_parts((&key, &parts_id)).await {
        Ok(()) | Err(BlobError::NotFound) => {}
        Err(error) => return Err(error.into()),
    }
    multipart_uploads::delete(request.exchange.as_service(), &found.upload.id).await?;
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}
