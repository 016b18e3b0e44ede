//! `PUT /bucket/:id` (CONTRACT.md B04).

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use super::settings;
use crate::{context::Exchange, error::StorageError, model::BucketName, store::buckets};

/// Changes settings of a bucket. What the body does not name stays as it is.
pub(crate) async fn update(exchange: Exchange, id: String) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    fields.require_some()?;
    let settings = settings::read(&fields, exchange.service.settings.file_size_limit)?;
    if settings.is_empty() {
        fields.require(&["public"])?;
    }
    let id = BucketName::new(&id)?;
    if !buckets::update(exchange.as_caller()?, &id, &settings).await? {
        return Err(StorageError::NoSuchBucket);
    }
    exchange.service.caches.rows.forget_bucket(id.as_str());
    Ok(json_response(StatusCode::OK, &json!({"message": "Successfully updated"})))
}
