//! `POST /bucket/:id/empty` (CONTRACT.md B06).

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use crate::{
    context::Exchange,
    domain::garbage,
    error::StorageError,
    store::{buckets, objects},
    wire::read_optional_json,
};

/// A bucket with more objects is not emptied.
const MOST_OBJECTS: u64 = 200_000;

/// Bytes of so many objects are deleted before the answer; the sweep deletes the others.
const AT_ONCE: usize = 1000;

/// Deletes all objects of a bucket. Their rows are gone when it answers.
pub(crate) async fn empty(exchange: Exchange, id: String) -> Result<Response<Body>, StorageError> {
    exchange.service_caller()?;
    let body = exchange.take_body();
    exchange.patience.whole(read_optional_json(&exchange.parts.headers, body)).await?;
    let db = exchange.as_caller()?;
    buckets::get(db, &id).await?.ok_or(StorageError::NoSuchBucket)?;
    if objects::count(db, &id, MOST_OBJECTS + 1).await? > MOST_OBJECTS {
        let message = "Unable to empty the bucket because it contains too many objects";
        return Err(StorageError::TooManyToEmpty(message.to_owned()));
    }
    let mut versions = objects::remove_all(db, &id).await?;
    exchange.service.caches.rows.forget_objects_of(&id);
    versions.truncate(AT_ONCE);
    garbage::collect(&exchange.service, &versions).await;
    let message = "Empty bucket has been queued. Completion may take up to an hour.";
    Ok(json_response(StatusCode::OK, &json!({"message": message})))
}
