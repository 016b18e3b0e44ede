//! Answers in JSON that the database has written.

use banyan_web::{Body, full};
use bytes::Bytes;
use http::{HeaderValue, Response, header::CONTENT_TYPE};

/// An answer of JSON that is text already, as the database wrote it.
pub(crate) fn written_json(text: Bytes) -> Response<Body> {
    let mut response = Response::new(full(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
