//! `AbortMultipartUpload`.

use banyan_web::{Body, empty};
use http::{Response, StatusCode};

use super::Found;
use crate::{error::StorageError, s3::request::SignedRequest};

/// Gives an upload up, with all its bytes.
pub(in crate::s3) async fn abort(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    Found::of(&request, None).await?.give_up(&request.exchange.service).await?;
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}
