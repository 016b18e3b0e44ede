//! Rows of buckets and objects as uploads and downloads read them.

use std::sync::Arc;

use banyan_db::{Rows, Statement};
use serde_json::Value;

use crate::{
    cache::Found,
    context::{Exchange, ServiceContext},
    error::StorageError,
    model::Bucket,
    request_context::RequestContext,
    store::{Db, text},
    wire::ServedObject,
};

/// Whose rights find an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Those of the service, which has decided already. The row may come from memory.
    Service,
    /// Those of the caller. PostgreSQL is asked each time.
    Caller,
}

const BUCKET: &str = "
select id, public, file_size_limit, to_json(allowed_mime_types)
from storage.buckets
where id = $1";

/// Finds a bucket with the rights of the service (CONTRACT.md R06, U13).
pub(crate) async fn bucket(
    service: &ServiceContext,
    context: &RequestContext,
    id: &str,
) -> Result<Option<Arc<Bucket>>, StorageError> {
    if id.contains('\0') {
        return Ok(None);
    }
    let before = match service.caches.rows.bucket(id) {
        Found::Kept(bucket) => return Ok(Some(bucket)),
        Found::Missing(before) => before,
    };
    let db = Db::as_service(&service.database, context);
    let rows = db.read(&Statement::new(BUCKET, vec![text(id)])).await?;
    let bucket = bucket_of(&rows).map(Arc::new);
    if let Some(bucket) = &bucket {
        service.caches.rows.keep_bucket(before, bucket);
    }
    Ok(bucket)
}

fn bucket_of(rows: &Rows) -> Option<Bucket> {
    Some(Bucket {
        id: rows.text(0, 0)?.to_owned(),
        public: rows.text(0, 1) == Some("t"),
        file_size_limit: rows.text(0, 2).and_then(|limit| limit.parse().ok()),
        allowed_mime_types: rows.text(0, 3).and_then(|types| serde_json::from_str(types).ok()),
    })
}

const OBJECT: &str = "
select version, metadata
from storage.objects
where bucket_id = $1
  and name = $2";

/// Finds an object (CONTRACT.md R03).
///
/// # Errors
/// `NoSuchKey`, and those of the database.
pub(crate) async fn object(
    exchange: &Exchange,
    rights: Rights,
    bucket: &str,
    name: &str,
) -> Result<Arc<ServedObject>, StorageError> {
    // PostgreSQL has no such text.
    if name.contains('\0') {
        return Err(StorageError::NoSuchKey);
    }
    if rights == Rights::Caller {
        return read_object(exchange.as_caller()?, bucket, name).await;
    }
    let before = match exchange.service.caches.rows.object(bucket, name) {
        Found::Kept(object) => return Ok(object),
        Found::Missing(before) => before,
    };
    let object = read_object(exchange.as_service(), bucket, name).await?;
    exchange.service.caches.rows.keep_object(before, (bucket, name), &object);
    Ok(object)
}

async fn read_object(db: Db<'_>, bucket: &str, name: &str) -> Result<Arc<ServedObject>, StorageError> {
    let params = vec![text(bucket), text(name)];
    let rows = db.read(&Statement::new(OBJECT, params)).await?;
    if rows.rows.is_empty() {
        return Err(StorageError::NoSuchKey);
    }
    let metadata = rows.get(0, 1).and_then(|json| serde_json::from_slice(json).ok());
    Ok(Arc::new(ServedObject::of(rows.text(0, 0), &metadata.unwrap_or(Value::Null))))
}
