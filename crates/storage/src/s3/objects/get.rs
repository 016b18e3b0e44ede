//! `GetObject` and `HeadObject`.

use banyan_web::{Body, empty};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{
        CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LANGUAGE, EXPIRES, IF_MATCH, IF_UNMODIFIED_SINCE,
    },
};

use crate::{
    domain::download::{is_known, names},
    endpoints::object::respond,
    error::StorageError,
    model::Object,
    s3::{
        query::Query,
        request::{SignedRequest, metadata_headers},
    },
    store::objects,
    wire::{ServedObject, Shown, parse_http_date},
};

/// Headers that the query may replace as they are.
const REPLACED: [(&str, HeaderName); 3] = [
    ("response-content-encoding", CONTENT_ENCODING),
    ("response-content-language", CONTENT_LANGUAGE),
    ("response-expires", EXPIRES),
];

/// Reads an object that the caller may read; a request with HEAD gets its headers alone.
pub(in crate::s3) async fn get(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let exchange = &request.exchange;
    let object = objects::find(exchange.as_caller()?, &request.path()?).await?;
    let object = object.ok_or(StorageError::NoSuchKey)?;
    let served = as_asked(served(&object), &request.query);
    check_conditions(&exchange.parts.headers, &served)?;
    if exchange.parts.method == Method::HEAD && is_known(&exchange.parts.headers, &served) {
        let mut response = Response::new(empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    let mut response = respond(exchange, &served, &Shown::default()).await?;
    let headers = response.headers_mut();
    headers.extend(metadata_headers(object.user_metadata.as_ref().unwrap_or(&serde_json::Map::new())));
    replace(headers, &request.query, served.content_type.is_shown);
    Ok(response)
}

fn served(object: &Object) -> ServedObject {
    let version = object.version.map(|version| version.to_string());
    let metadata = serde_json::to_value(&object.metadata).unwrap_or_default();
    ServedObject::of(version.as_deref(), &metadata)
}

/// The object with the type and the life that the query asks for. What a browser could run stays
/// harmless: a user can sign such a query too (CONTRACT.md D20).
fn as_asked(mut served: ServedObject, query: &Query) -> ServedObject {
    if let Some(mimetype) = query.text("response-content-type") {
        served.content_type = served.content_type.told_as(mimetype);
    }
    if let Some(value) = header(query, "response-cache-control") {
        served.cache_control = Some(value);
    }
    served
}

/// Replaces headers as the query asks for. What browsers must not show stays a download.
fn replace(headers: &mut HeaderMap, query: &Query, is_shown: bool) {
    for (parameter, name) in REPLACED {
        if let Some(value) = header(query, parameter) {
            headers.insert(name, value);
        }
    }
    let disposition = header(query, "response-content-disposition");
    if let Some(value) = disposition.filter(|value| is_shown || value.as_bytes().starts_with(b"attachment")) {
        headers.insert(CONTENT_DISPOSITION, value);
    }
}

fn header(query: &Query, name: &str) -> Option<HeaderValue> {
    query.text(name).and_then(|value| HeaderValue::from_str(value).ok())
}

/// `If-Match`, or else `If-Unmodified-Since`.
fn check_conditions(headers: &HeaderMap, served: &ServedObject) -> Result<(), StorageError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let tag = served.e_tag.as_ref().and_then(|tag| tag.to_str().ok());
    let fits = match (text(IF_MATCH), text(IF_UNMODIFIED_SINCE).and_then(parse_http_date)) {
        (Some(tags), _) => names(tags, tag),
        (None, Some(date)) => served.last_modified.is_none_or(|modified| modified <= date),
        (None, None) => true,
    };
    if fits { Ok(()) } else { Err(StorageError::PreconditionFailed) }
}
