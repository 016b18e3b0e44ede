//! `POST /object/move` (CONTRACT.md O04, B5).

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use super::two_places::TwoPlaces;
use crate::{
    context::Exchange,
    domain::{
        folders, served,
        upload::{check_mime_type, size_limit},
    },
    error::StorageError,
    model::ObjectPath,
    store::objects::{self, Moved},
};

/// Gives an object another name, another bucket or both. Keys that end in a slash are folders,
/// which are moved with all that the caller sees in them.
pub(crate) async fn move_(exchange: Exchange) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    let TwoPlaces { from, to } = TwoPlaces::read(&exchange, &fields)?;
    let (db, quota) = (exchange.as_caller()?, exchange.service.settings.quota_per_user);
    if folders::are_both(&from, &to) && !objects::exists(db, &from).await? {
        let count = folders::relocate(db, &from, &to, quota).await?;
        exchange.service.caches.rows.forget_objects_of(from.bucket.as_str());
        return Ok(json_response(StatusCode::OK, &json!({"message": "Successfully moved", "count": count})));
    }
    if from.bucket != to.bucket {
        check_limits(&exchange, &from, &to).await?;
    }
    let moved = objects::relocate(db, &from, &to, quota).await?;
    exchange.service.caches.rows.forget_object(from.bucket.as_str(), from.name.as_str());
    match moved {
        Moved::NoSuchKey => Err(StorageError::NoSuchKey),
        Moved::Yes => Ok(json_response(StatusCode::OK, &json!({"message": "Successfully moved"}))),
    }
}

/// The limits of another bucket count as for an upload to it.
async fn check_limits(exchange: &Exchange, from: &ObjectPath, to: &ObjectPath) -> Result<(), StorageError> {
    let object = objects::find(exchange.as_caller()?, from).await?.ok_or(StorageError::NoSuchKey)?;
    let metadata = object.metadata.unwrap_or_default();
    let bucket = served::bucket(&exchange.service, &exchange.context, to.bucket.as_str()).await?;
    let bucket = bucket.ok_or(StorageError::NoSuchBucket)?;
    if metadata.size > size_limit(&bucket, &to.name, exchange.service.settings.file_size_limit) {
        return Err(StorageError::EntityTooLarge);
    }
    check_mime_type(&bucket, &to.name, &metadata.mimetype)
}
