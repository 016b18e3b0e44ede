//! `DeleteObjects`.

use std::collections::HashSet;

use banyan_web::Body;
use http::Response;
use serde::{Deserialize, Serialize};

use crate::{
    domain::garbage,
    domain::served,
    error::StorageError,
    s3::{listing::NULL_VERSION, request::SignedRequest, xml},
    store::objects,
};

/// Most keys of a request. One without keys is no document of S3.
const MOST_KEYS: usize = 1000;

#[derive(Deserialize)]
struct Delete {
    #[serde(rename = "Object", default)]
    objects: Vec<Named>,
    /// Whether only errors are told.
    #[serde(rename = "Quiet", default)]
    quiet: bool,
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "Key")]
    key: String,
    #[serde(rename = "VersionId", default)]
    version: Option<String>,
}

#[derive(Serialize)]
struct DeleteResult {
    #[serde(rename = "Deleted")]
    deleted: Vec<Deleted>,
    #[serde(rename = "Error")]
    errors: Vec<Refused>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Deleted {
    key: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Refused {
    key: String,
    code: &'static str,
    message: &'static str,
}

/// A row that was deleted.
#[derive(Deserialize)]
struct Row {
    name: String,
}

/// Deletes objects. Those that are not there are as good as deleted; those that the caller may not
/// delete are told as errors.
pub(in crate::s3) async fn delete_many(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let document = request.exchange.patience.whole(request.payload.document()).await?;
    let Delete { objects: named, quiet } = xml::read(&document)?;
    if named.is_empty() || named.len() > MOST_KEYS {
        return Err(StorageError::MalformedXml);
    }
    if named.iter().filter_map(|named| named.version.as_deref()).any(|version| version != NULL_VERSION) {
        return Err(StorageError::NoSuchVersion);
    }
    let exchange = &request.exchange;
    served::bucket(&exchange.service, &exchange.context, request.bucket())
        .await?
        .ok_or(StorageError::NoSuchBucket)?;
    let keys: Vec<String> = named.into_iter().map(|named| named.key).collect();
    let removed = objects::remove_many(exchange.as_caller()?, request.bucket(), &keys).await?;
    exchange.service.caches.rows.forget_objects_of(request.bucket());
    garbage::collect(&exchange.service, &removed.versions).await;
    let gone: HashSet<String> = names(&removed.rows)?;
    let others: Vec<String> = keys.iter().filter(|key| !gone.contains(*key)).cloned().collect();
    let left = left(&request, &others).await?;
    let (refused, deleted): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| left.contains(key));
    let deleted = if quiet { Vec::new() } else { deleted };
    let result = DeleteResult {
        deleted: deleted.into_iter().map(|key| Deleted { key }).collect(),
        errors: refused.into_iter().map(denied).collect(),
    };
    Ok(xml::answer("DeleteResult", &result))
}

/// Those of the keys that have an object all the same, which the caller may not delete.
async fn left(request: &SignedRequest, keys: &[String]) -> Result<HashSet<String>, StorageError> {
    if keys.is_empty() {
        return Ok(HashSet::new());
    }
    let left = objects::existing(request.exchange.as_service(), request.bucket(), keys).await?;
    Ok(left.into_iter().collect())
}

fn names(rows: &[u8]) -> Result<HashSet<String>, StorageError> {
    let rows: Vec<Row> = serde_json::from_slice(rows)
        .map_err(|_| StorageError::Internal("rows that were deleted cannot be read"))?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

fn denied(key: String) -> Refused {
    Refused { key, code: "AccessDenied", message: "Access Denied" }
}
