//! `DeleteObject`.

use banyan_web::{Body, empty};
use http::{Response, StatusCode};

use crate::{domain::served, endpoints::object::remove_one, error::StorageError, s3::request::SignedRequest};

/// Deletes an object. One that is not there is as good as deleted.
pub(in crate::s3) async fn delete(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let exchange = &request.exchange;
    match remove_one(exchange, &request.path()?).await {
        Err(StorageError::NoSuchKey) => {
            let bucket = served::bucket(&exchange.service, &exchange.context, request.bucket()).await?;
            bucket.ok_or(StorageError::NoSuchBucket)?;
        }
        removed => removed?,
    }
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}
