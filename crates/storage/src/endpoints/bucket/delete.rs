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

/// Deletes an empty bucket. Whether it is there and empty is asked with the rights of the service;
/// the row is deleted with those of the caller.
pub(crate) async fn delete(mut exchange: Exchange, id: String) -> Result<Response<Body>, StorageError> {
    exchange.context.caller()?;
    let body = exchange.take_body();
    read_optional_json(&exchange.parts.headers, body).await?;
    match buckets::content(exchange.as_service(), &id).await? {
        Content::NoBucket => return Err(StorageError::NoSuchBucket),
        Content::Objects => return Err(StorageError::ResourceNotEmpty),
        Content::Nothing => {}
    }
    if !buckets::delete(exchange.as_caller()?, &id).await? {
        return Err(StorageError::NoSuchBucket);
    }
    Ok(json_response(StatusCode::OK, &json!({"message": "Successfully deleted"})))
}
