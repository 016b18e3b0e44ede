use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::{Value, json};

use crate::authorization::AuthorizationError;

/// Why nothing is sent (CONTRACT.md H7).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Refusal {
    /// No token, or a bad one.
    Unauthorized,
    /// The policies deny the topic.
    Forbidden,
    /// The policies could not be asked.
    Policies(AuthorizationError),
    /// The content type is neither JSON nor bytes.
    UnsupportedType,
    /// The body is no JSON.
    NoJson,
    /// The body is too large to be read.
    BodyTooLarge,
    /// What is wrong, by field.
    Invalid(Value),
    /// There are more messages than there may be.
    TooManyMessages,
    /// The batch would be more than there may be.
    BatchTooLarge,
}

impl Refusal {
    pub(super) fn response(&self) -> Response<Body> {
        let (status, body) = self.wire();
        json_response(status, &body)
    }

    pub(super) fn wire(&self) -> (StatusCode, Value) {
        let (status, message) = match self {
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "Unauthorized"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "Unauthorized"),
            Self::UnsupportedType => {
                let error = "Unsupported Media Type. Use application/json or application/octet-stream";
                return (StatusCode::UNSUPPORTED_MEDIA_TYPE, json!({ "error": error }));
            }
            Self::NoJson => (StatusCode::BAD_REQUEST, "Bad Request"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"),
            Self::Invalid(errors) => {
                return (StatusCode::UNPROCESSABLE_ENTITY, json!({ "errors": errors }));
            }
            Self::TooManyMessages => (StatusCode::TOO_MANY_REQUESTS, "You have exceeded your rate limit"),
            Self::BatchTooLarge => (
                StatusCode::TOO_MANY_REQUESTS,
                "Too many messages to broadcast, please reduce the batch size",
            ),
            Self::Policies(error) => of_policies(error),
        };
        (status, json!({ "message": message }))
    }
}

fn of_policies(error: &AuthorizationError) -> (StatusCode, &'static str) {
    match error {
        AuthorizationError::Unavailable => (StatusCode::UNPROCESSABLE_ENTITY, "Tenant database unavailable"),
        AuthorizationError::Canceled(_) => (StatusCode::UNPROCESSABLE_ENTITY, "Query canceled"),
        AuthorizationError::MissingPartition => {
            (StatusCode::UNPROCESSABLE_ENTITY, "Missing messages partition")
        }
        AuthorizationError::NoConnection => (StatusCode::TOO_MANY_REQUESTS, "Connection pool exhausted"),
    }
}
