//! Bodies of JSON (CONTRACT.md C07, E04).

use banyan_web::{Body, BodyError, read_body};
use http::{HeaderMap, header::CONTENT_TYPE};
use serde_json::{Map, Value};

use crate::error::StorageError;

/// Most bytes of a body of JSON: a thousand names of the longest kind fit in it.
const LARGEST: usize = 2 * 1024 * 1024;

/// Reads a body of JSON. A body without bytes is null when the request names no type.
///
/// # Errors
/// `UnsupportedMediaType` for another type, `MalformedJson`, `BodyTooLarge`, `Aborted`.
pub(crate) async fn read_json(headers: &HeaderMap, body: Body) -> Result<Value, StorageError> {
    let bytes = read_body(body, LARGEST).await.map_err(|error| match error {
        BodyError::TooLarge => StorageError::BodyTooLarge,
        BodyError::EndedEarly => StorageError::Aborted,
    })?;
    match essence(headers).as_deref() {
        Some("application/json") if bytes.is_empty() => Err(StorageError::EmptyJson),
        Some("application/json") => serde_json::from_slice(&bytes).map_err(|_| StorageError::MalformedJson),
        Some("text/plain") => Ok(Value::String(String::from_utf8_lossy(&bytes).into_owned())),
        None if bytes.is_empty() => Ok(Value::Null),
        Some(_) | None => Err(StorageError::UnsupportedMediaType),
    }
}

/// As [`read_json`], where clients send an empty object or nothing (CONTRACT.md C07).
///
/// # Errors
/// As [`read_json`]; an empty body is none.
pub(crate) async fn read_optional_json(headers: &HeaderMap, body: Body) -> Result<Value, StorageError> {
    match read_json(headers, body).await {
        Err(StorageError::EmptyJson) => Ok(Value::Object(Map::new())),
        other => other,
    }
}

/// The media type without its parameters, in lower case.
fn essence(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().unwrap_or_default();
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}
