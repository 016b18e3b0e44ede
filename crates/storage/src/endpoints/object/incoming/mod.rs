//! The body of an upload: a form with one file, or the bytes themselves.

/// A form with one file.
mod form;

pub(crate) use form::{Form, read_form};

use banyan_web::Body;
use http::{
    HeaderMap, HeaderName,
    header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body::Body as _;

use crate::{
    blobs::ByteStream,
    domain::upload::{Declared, body_stream, check_x_robots_tag, decode_user_metadata},
    error::StorageError,
};

/// What an upload brings.
pub(super) struct Incoming {
    pub(super) declared: Declared,
    pub(super) bytes: ByteStream,
}

/// Reads what comes before the bytes of the object: headers, and the fields of a form
/// (CONTRACT.md U04, U05).
///
/// # Errors
/// `InvalidXRobotsTag`, `InvalidRequest` for headers and forms that cannot be read.
pub(super) async fn incoming(headers: &HeaderMap, body: Body) -> Result<Incoming, StorageError> {
    let x_robots_tag = x_robots_tag(headers)?;
    let content_type = text(headers, &CONTENT_TYPE)?;
    match content_type {
        Some(form) if form.starts_with("multipart/form-data") => {
            form::incoming(form, content_length(headers), x_robots_tag, body).await
        }
        _ => {
            let declared = Declared {
                mimetype: content_type.unwrap_or("application/octet-stream").to_owned(),
                cache_control: text(headers, &CACHE_CONTROL)?.unwrap_or("no-cache").to_owned(),
                size: body.size_hint().exact().or_else(|| content_length(headers)),
                content_length: None,
                user_metadata: user_metadata(headers)?,
                x_robots_tag,
            };
            Ok(Incoming { declared, bytes: body_stream(body) })
        }
    }
}

/// The header `x-metadata` (CONTRACT.md U05).
pub(super) fn user_metadata(
    headers: &HeaderMap,
) -> Result<Option<serde_json::Map<String, serde_json::Value>>, StorageError> {
    Ok(text(headers, &X_METADATA)?.and_then(decode_user_metadata))
}

/// Whether the header `x-upsert` says so: exactly the word `true` (CONTRACT.md U02).
pub(super) fn is_upsert(headers: &HeaderMap) -> bool {
    headers.get(X_UPSERT).is_some_and(|value| value == "true")
}

const X_METADATA: HeaderName = HeaderName::from_static("x-metadata");
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");
const X_UPSERT: HeaderName = HeaderName::from_static("x-upsert");

fn x_robots_tag(headers: &HeaderMap) -> Result<Option<String>, StorageError> {
    let tag = text(headers, &X_ROBOTS_TAG)?;
    tag.map(check_x_robots_tag).transpose()?;
    Ok(tag.map(str::to_owned))
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A header that is stored, and must be one that can be sent again.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, StorageError> {
    let value = headers.get(name).filter(|value| !value.is_empty());
    let value = value.map(|value| value.to_str()).transpose();
    value.map_err(|_| StorageError::InvalidRequest(format!("Invalid character in header {name}")))
}
