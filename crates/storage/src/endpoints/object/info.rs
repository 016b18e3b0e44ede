//! `GET /object/info/:bucket/*`, `/object/info/authenticated/:bucket/*` and
//! `/object/info/public/:bucket/*` (CONTRACT.md O01).

use banyan_web::{Body, json_response};
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde_json::json;

use crate::{
    context::Exchange,
    domain::served,
    error::StorageError,
    model::{Object, ObjectPath},
    store::{Db, objects},
    wire::timestamp,
};

/// Tells about an object of a public bucket, to anybody.
pub(crate) async fn info_public(
    exchange: Exchange,
    path: ObjectPath,
) -> Result<Response<Body>, StorageError> {
    match is_public(&exchange, &path).await? {
        Some(true) => of_row(exchange.as_service(), &path).await,
        Some(false) | None => Err(StorageError::NoSuchBucket),
    }
}

/// Tells a caller with a token about an object.
pub(crate) async fn info_authenticated(
    exchange: Exchange,
    path: ObjectPath,
) -> Result<Response<Body>, StorageError> {
    exchange.context.caller()?;
    info(exchange, path).await
}

/// Tells about an object of a public bucket to anybody, about others to whom the policies let see
/// them. A bad token counts as none (CONTRACT.md C05).
pub(crate) async fn info(exchange: Exchange, path: ObjectPath) -> Result<Response<Body>, StorageError> {
    match (is_public(&exchange, &path).await?, exchange.context.caller_if_any()) {
        (Some(true), _) => of_row(exchange.as_service(), &path).await,
        (Some(false), Some(_)) => of_row(exchange.as_caller()?, &path).await,
        (Some(false), None) | (None, _) => Err(StorageError::NoSuchBucket),
    }
}

/// Whether everybody may read the bucket; none where there is no such bucket.
async fn is_public(exchange: &Exchange, path: &ObjectPath) -> Result<Option<bool>, StorageError> {
    let bucket = served::bucket(&exchange.service, &exchange.context, path.bucket.as_str()).await?;
    Ok(bucket.map(|bucket| bucket.public))
}

async fn of_row(db: Db<'_>, path: &ObjectPath) -> Result<Response<Body>, StorageError> {
    let object = objects::find(db, path).await?.ok_or(StorageError::NoSuchKey)?;
    Ok(answer(&object))
}

fn answer(object: &Object) -> Response<Body> {
    let metadata = object.metadata.as_ref();
    let text = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
    let body = json!({
        "id": object.id,
        "name": object.name,
        "version": object.version.map(|version| version.to_string()),
        "bucket_id": object.bucket_id,
        "size": metadata.map(|metadata| metadata.size),
        "content_type": text(metadata.map(|metadata| &metadata.mimetype)),
        "cache_control": text(metadata.map(|metadata| &metadata.cache_control)),
        "etag": text(metadata.map(|metadata| &metadata.e_tag)),
        "metadata": object.user_metadata,
        "last_modified": object.updated_at.map(timestamp),
        "created_at": object.created_at.map(timestamp),
    });
    let mut response = json_response(StatusCode::OK, &body);
    let mut set = |name: HeaderName, value: Option<&String>| {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::ETAG, metadata.map(|metadata| &metadata.e_tag));
    set(header::CACHE_CONTROL, metadata.map(|metadata| &metadata.cache_control));
    response
}
