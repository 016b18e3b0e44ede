//! Answers that are an object, for all routes that read one.

/// Several ranges in one answer.
mod byteranges;

use banyan_web::{Body, empty, query_parameter};
use http::{
    HeaderMap, HeaderValue, Method, Response, StatusCode, Uri,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, RANGE},
};

use crate::{
    context::Exchange,
    domain::download::{self, Wanted, is_known, range_counts, wanted},
    domain::served::{self, Rights},
    error::StorageError,
    wire::{Kind, ServedObject, Shown, error_response, object_headers},
};

/// The query's `download` (CONTRACT.md D14).
pub(crate) fn download_parameter(uri: &Uri) -> Option<String> {
    query_parameter(uri, "download")
}

/// Answers with an object that these rights find.
///
/// # Errors
/// `NoSuchKey`, and those of the database and the back end.
pub(super) async fn serve(
    exchange: &Exchange,
    rights: Rights,
    (bucket, name): (&str, &str),
    shown: &Shown,
) -> Result<Response<Body>, StorageError> {
    let object = served::object(exchange, rights, bucket, name).await?;
    match respond(exchange, &object, shown).await {
        Err(StorageError::NoBytes) => {
            // The row may have been replaced, and its bytes deleted, since it was read.
            exchange.service.caches.rows.forget_object(bucket, name);
            let current = served::object(exchange, rights, bucket, name).await?;
            if current.version == object.version {
                return Ok(no_bytes(exchange));
            }
            respond(exchange, &current, shown).await
        }
        Err(StorageError::InvalidRange) => Ok(unsatisfiable(exchange, object.size)),
        other => other,
    }
}

/// The answer of a row without bytes (CONTRACT.md D17).
fn no_bytes(exchange: &Exchange) -> Response<Body> {
    let mut answer = refusal(exchange, &StorageError::NoBytes);
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Answers with an object, as far as the request asks for it.
///
/// # Errors
/// `InvalidRange`, `NoBytes`, and those of the back end.
pub(crate) async fn respond(
    exchange: &Exchange,
    object: &ServedObject,
    shown: &Shown,
) -> Result<Response<Body>, StorageError> {
    let request = &exchange.parts.headers;
    if exchange.parts.method == Method::HEAD {
        return Ok(head(object, request, shown));
    }
    let headers = object_headers(object, request, Kind::Get, shown);
    if is_known(request, object) {
        return Ok(not_modified(headers, object));
    }
    let size = download::size(&exchange.service, object).await?;
    match range(request, object, size)? {
        Wanted::Whole => {
            let body = download::body(&exchange.service, object, size, 0..size).await?;
            Ok(with_length(StatusCode::OK, headers, size, body))
        }
        Wanted::Part(range) => {
            let body = download::body(&exchange.service, object, size, range.clone()).await?;
            let length = range.end - range.start;
            let mut answer = with_length(StatusCode::PARTIAL_CONTENT, headers, length, body);
            answer.headers_mut().insert(CONTENT_RANGE, text(&content_range(&range, size)));
            Ok(answer)
        }
        Wanted::Parts(ranges) => byteranges::answer(&exchange.service, object, headers, size, ranges).await,
    }
}

fn range(request: &HeaderMap, object: &ServedObject, size: u64) -> Result<Wanted, StorageError> {
    match request.get(RANGE).filter(|_| range_counts(request, object)) {
        None => Ok(Wanted::Whole),
        Some(header) => wanted(header.to_str().map_err(|_| StorageError::InvalidRange)?, size),
    }
}

/// From the row alone (CONTRACT.md D16).
fn head(object: &ServedObject, request: &HeaderMap, shown: &Shown) -> Response<Body> {
    let headers = object_headers(object, request, Kind::Head, shown);
    match object.size {
        Some(size) => with_length(StatusCode::OK, headers, size, empty()),
        None => with_headers(StatusCode::OK, headers, empty()),
    }
}

/// Only what says which version it is, and how long it may be kept.
pub(crate) fn not_modified(mut headers: HeaderMap, object: &ServedObject) -> Response<Body> {
    headers.remove(CONTENT_TYPE);
    headers.remove(CONTENT_DISPOSITION);
    if let (true, Some(stored)) = (headers.contains_key(CACHE_CONTROL), &object.cache_control) {
        headers.insert(CACHE_CONTROL, stored.clone());
    }
    with_headers(StatusCode::NOT_MODIFIED, headers, empty())
}

fn unsatisfiable(exchange: &Exchange, size: Option<u64>) -> Response<Body> {
    let mut answer = refusal(exchange, &StorageError::InvalidRange);
    if let Some(size) = size {
        answer.headers_mut().insert(CONTENT_RANGE, text(&format!("bytes */{size}")));
    }
    answer
}

fn refusal(exchange: &Exchange, error: &StorageError) -> Response<Body> {
    error_response(error, exchange.service.settings.real_status_codes)
}

/// An answer with so many bytes.
pub(crate) fn with_length(
    status: StatusCode,
    mut headers: HeaderMap,
    length: u64,
    body: Body,
) -> Response<Body> {
    headers.insert(CONTENT_LENGTH, length.into());
    with_headers(status, headers, body)
}

fn with_headers(status: StatusCode, headers: HeaderMap, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}

fn content_range(range: &std::ops::Range<u64>, size: u64) -> String {
    format!("bytes {}-{}/{size}", range.start, range.end - 1)
}

fn text(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).expect("digits and letters make a header")
}
