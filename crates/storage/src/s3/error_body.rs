//! Errors as answers of S3 (CONTRACT.md X04).

use banyan_web::{Body, empty};
use http::{Method, Response};
use serde::Serialize;

use super::xml;
use crate::{error::StorageError, wire};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ErrorBody {
    resource: String,
    code: &'static str,
    message: String,
}

/// The answer that tells an error to a client of S3, with its real status. `resource` is
/// `bucket/key`. An answer to HEAD has no body.
pub(super) fn answer(error: &StorageError, resource: String, method: &Method) -> Response<Body> {
    wire::log_internal(error);
    let told = error.wire();
    let body = ErrorBody { resource, code: told.code, message: error.to_string() };
    let response = xml::error(told.status, &body);
    if method == Method::HEAD { response.map(|_| empty()) } else { response }
}
