//! Errors as answers of REST.

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use crate::error::StorageError;

/// The answer that tells an error to a client of REST (CONTRACT.md E01). A cause that is not for the
/// client is logged.
pub(crate) fn error_response(error: &StorageError) -> Response<Body> {
    let wire = error.wire();
    log_cause(error);
    let status = if wire.as_is { wire.status } else { StatusCode::BAD_REQUEST };
    let body = json!({
        "statusCode": wire.status.as_str(),
        "error": wire.error,
        "message": error.to_string(),
        "code": wire.code,
    });
    json_response(status, &body)
}

/// Logs a cause that is not for the client.
pub(super) fn log_cause(error: &StorageError) {
    if error.wire().status == StatusCode::INTERNAL_SERVER_ERROR {
        let cause = std::error::Error::source(error).map(ToString::to_string);
        tracing::error!(error = ?error, cause, "storage: a request failed");
    }
}
