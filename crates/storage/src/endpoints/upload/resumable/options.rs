//! `OPTIONS`: what the service can do (CONTRACT.md T01).

use banyan_web::Body;
use http::{
    HeaderValue, Response, StatusCode,
    header::{ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE},
};

use crate::{
    context::Exchange,
    wire::tus::{TUS_EXTENSION, TUS_MAX_SIZE, TUS_VERSION, VERSION, tus_answer},
};

const EXTENSIONS: HeaderValue =
    HeaderValue::from_static("creation,creation-with-upload,creation-defer-length,termination,expiration");
const METHODS: HeaderValue = HeaderValue::from_static("POST, HEAD, PATCH, OPTIONS, DELETE");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, ApiKey, X-Upsert, X-Signature, Content-Type, Tus-Resumable, Upload-Length, \
     Upload-Defer-Length, Upload-Metadata, Upload-Offset, Upload-Expires, X-HTTP-Method-Override, \
     X-Requested-With, X-Client-Info",
);

/// Asks for no token: it tells nothing of any upload.
pub(super) fn options(exchange: &Exchange) -> Response<Body> {
    let mut answer = tus_answer(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    headers.insert(TUS_VERSION, VERSION);
    headers.insert(TUS_EXTENSION, EXTENSIONS);
    headers.insert(TUS_MAX_SIZE, exchange.service.settings.file_size_limit.into());
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    answer
}
