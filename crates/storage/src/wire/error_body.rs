//! Errors as answers of REST.

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::{Value, json};

use crate::error::{RestStatus, StorageError, Wire};

/// The answer that tells an error to a client of REST (CONTRACT.md E01, B8). A cause that is not
/// for the client is logged. `real_status`: no error hides behind 400.
pub(crate) fn error_response(error: &StorageError, real_status: bool) -> Response<Body> {
    let wire = error.wire();
    log_internal(error);
    let status = match wire.rest {
        RestStatus::Hidden if !real_status => StatusCode::BAD_REQUEST,
        RestStatus::Hidden | RestStatus::Real => wire.status,
    };
    json_response(status, &body(error, &wire))
}

/// Logs a cause that is not for the client.
pub(crate) fn log_internal(error: &StorageError) {
    if error.wire().status == StatusCode::INTERNAL_SERVER_ERROR {
        let cause = std::error::Error::source(error).map(ToString::to_string);
        tracing::error!(error = ?error, cause, "storage: a request failed");
    }
}

/// Where no group of routes is found, the number is no text and there is no code (CONTRACT.md E05).
fn body(error: &StorageError, wire: &Wire) -> Value {
    let message = error.to_string();
    if let StorageError::NoGroup(..) = error {
        return json!({"statusCode": wire.status.as_u16(), "error": wire.error, "message": message});
    }
    json!({
        "statusCode": wire.status.as_str(),
        "error": wire.error,
        "message": message,
        "code": wire.code,
    })
}
