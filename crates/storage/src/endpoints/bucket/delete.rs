//! `DELETE /bucket/:id` (CONTRACT.md B05, B11).

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use crate::{
    context::Exchange,
    error::StorageError,
    store::buckets::{self, Content},
    wire::read_optional_json,
};

/// Deletes an empty bucket.
pub(crate) async fn delete(exchange: Exchange, id: String) -> Result<Response<Body>, StorageError> {
    exchange.context.caller()?;
    let body = exchange.take_body();
    exchange.patience.whole(read_optional_json(&exchange.parts.headers, body)).await?;
    delete_empty(&exchange, &id).await?;
    Ok(json_response(StatusCode::OK, &json!({"message": "Successfully deleted"})))
}

/// Deletes an empty bucket. Whether it is there and empty is asked with the rights of the service;
/// the row is deleted with those of the caller.
pub(crate) async fn delete_empty(exchange: &Exchange, id: &str) -> Result<(), StorageError> {
    match buckets::content(exchange.as_service(), id).await? {
        Content::NoBucket => return Err(StorageError::NoSuchBucket),
        Content::Objects => return Err(StorageError::ResourceNotEmpty),
        Content::Nothing => {}
    }
    let is_deleted = buckets::delete(exchange.as_caller()?, id).await?;
    exchange.service.caches.rows.forget_bucket(id);
    if is_deleted { Ok(()) } else { Err(StorageError::NoSuchBucket) }
}
