//! `DeleteBucket`.

use banyan_web::{Body, empty};
use http::{Response, StatusCode};

use crate::{endpoints::bucket::delete_empty, error::StorageError, s3::request::SignedRequest};

/// Deletes an empty bucket.
pub(in crate::s3) async fn delete(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    delete_empty(&request.exchange, request.bucket()).await?;
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}
