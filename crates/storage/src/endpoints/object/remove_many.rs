//! `DELETE /object/:bucket` (CONTRACT.md O05, B5).

use banyan_web::Body;
use http::Response;

use crate::{
    context::Exchange, domain::garbage, error::StorageError, model::BucketName, store::objects,
    wire::written_json,
};

/// Names in a request.
const MOST_NAMES: usize = 1000;

/// Objects that one request deletes by a prefix; it is sent again until the answer is empty.
const MOST_BY_PREFIX: usize = 10_000;

/// Deletes objects by name and answers their rows. Names that are not there, or that the caller may
/// not delete, are left out. With `"recursive": true` the names are beginnings of names, and the
/// answer has the names alone.
pub(crate) async fn remove_many(exchange: Exchange, bucket: String) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    let names = fields.required_texts("prefixes", usize::MAX)?;
    if names.len() > MOST_NAMES {
        let message = format!("Bulk object requests are limited to {MOST_NAMES} objects per request.");
        return Err(StorageError::InvalidRequest(message));
    }
    let bucket = BucketName::new(&bucket)?;
    let removed = if fields.boolean("recursive")? == Some(true) {
        check_beginnings(&names)?;
        objects::remove_below(exchange.as_caller()?, bucket.as_str(), &names, MOST_BY_PREFIX).await?
    } else {
        objects::remove_many(exchange.as_caller()?, bucket.as_str(), &names).await?
    };
    exchange.service.caches.rows.forget_objects_of(bucket.as_str());
    garbage::collect(&exchange.service, &removed.versions).await;
    Ok(written_json(removed.rows))
}

/// All names begin with the empty text.
fn check_beginnings(names: &[String]) -> Result<(), StorageError> {
    match names.iter().find(|name| name.is_empty()) {
        Some(name) => Err(StorageError::InvalidKey(name.clone())),
        None => Ok(()),
    }
}
