//! `POST /object/list/:bucket` (CONTRACT.md L01 to L07).

use banyan_web::Body;
use http::Response;

use crate::{
    context::Exchange,
    error::StorageError,
    model::BucketName,
    store::lists::{self, Level},
    wire::{Fields, written_json},
};

/// Entries of a list, unless the body says otherwise.
const USUAL_LIMIT: i64 = 100;

/// Largest number that the database takes for an offset.
const LARGEST: i64 = i32::MAX as i64;

/// Lists one level of a folder.
pub(crate) async fn list(exchange: Exchange, bucket: String) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    let prefix = folder(fields.required_text("prefix")?);
    let limit = fields.integer("limit", 1)?.unwrap_or(USUAL_LIMIT).min(LARGEST);
    let offset = fields.integer("offset", 0)?.unwrap_or(0).min(LARGEST);
    let (column, order) = sort(&fields)?;
    let search = fields.text("search")?.unwrap_or_default();
    let bucket = BucketName::new(&bucket)?;
    let (bucket, prefix, search) = (bucket.as_str(), without_nul(&prefix)?, without_nul(&search)?);
    let level = Level { bucket, prefix, search, limit, offset, column, order };
    Ok(written_json(lists::level(exchange.as_caller()?, &level).await?))
}

/// A prefix is a folder, be its final slash there or not (CONTRACT.md L02).
fn folder(prefix: String) -> String {
    if prefix.is_empty() || prefix.ends_with('/') { prefix } else { prefix + "/" }
}

fn sort(fields: &Fields) -> Result<(&'static str, &'static str), StorageError> {
    let Some(by) = fields.object("sortBy")? else { return Ok(("name", "asc")) };
    by.require(&["column"])?;
    let column = by.choice("column", &["name", "updated_at", "created_at", "last_accessed_at"])?;
    let order = by.choice("order", &["asc", "desc"])?;
    Ok((column.unwrap_or("name"), order.unwrap_or("asc")))
}

/// No name has a NUL, and PostgreSQL refuses it.
fn without_nul(text: &str) -> Result<&str, StorageError> {
    if text.contains('\0') { Err(StorageError::InvalidKey(text.to_owned())) } else { Ok(text) }
}
