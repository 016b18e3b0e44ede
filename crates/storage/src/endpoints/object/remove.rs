//! `DELETE /object/:bucket/*` (CONTRACT.md O06).

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use crate::{context::Exchange, domain::garbage, error::StorageError, model::ObjectPath, store::objects};

/// Deletes one object. Whether it is there is told to everybody with a token: an object that the
/// caller may not delete is refused as such.
pub(crate) async fn remove(exchange: Exchange, path: ObjectPath) -> Result<Response<Body>, StorageError> {
    remove_one(&exchange, &path).await?;
    Ok(json_response(StatusCode::OK, &json!({"message": "Successfully deleted"})))
}

/// Deletes one object and its bytes.
///
/// # Errors
/// `NoSuchKey`, `AccessDenied` where the caller may not delete it, and those of the database.
pub(crate) async fn remove_one(exchange: &Exchange, path: &ObjectPath) -> Result<(), StorageError> {
    let Some(removed) = objects::remove(exchange.as_caller()?, path).await? else {
        let is_there = objects::exists(exchange.as_service(), path).await?;
        return Err(match is_there {
            true => StorageError::AccessDenied("Access denied".to_owned()),
            false => StorageError::NoSuchKey,
        });
    };
    exchange.service.caches.rows.forget_object(path.bucket.as_str(), path.name.as_str());
    garbage::collect(&exchange.service, &removed.versions).await;
    Ok(())
}
