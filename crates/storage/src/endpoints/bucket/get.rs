//! `GET /bucket/:id` (CONTRACT.md B03).

use banyan_web::Body;
use http::Response;

use crate::{context::Exchange, error::StorageError, store::buckets, wire::written_json};

/// Answers one bucket. One that the caller may not see is as good as none (CONTRACT.md R09).
pub(crate) async fn get(exchange: Exchange, id: String) -> Result<Response<Body>, StorageError> {
    let bucket = buckets::get(exchange.as_caller()?, &id).await?;
    bucket.map(written_json).ok_or(StorageError::NoSuchBucket)
}
