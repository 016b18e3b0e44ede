//! Every way in which any function fails, and what the client may read of it.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Value, json};

use crate::log;
use crate::mail::MailClientError;
use crate::model::ModelError;
use crate::project::ApiError;

/// The wire form of a failure. A function with errors of its own implements it for them.
pub trait Failure {
    /// The HTTP status of the answer.
    fn status(&self) -> StatusCode;

    /// Seconds for the `Retry-After` header, where one helps.
    fn retry_after(&self) -> Option<u64>;

    /// The JSON body of the answer.
    fn body(&self, request_id: &str) -> Value;
}

/// Why a call is not answered with a result, in the cases that every function has.
///
/// The wire form is `{ "error": sentence, "code": word, "requestId": id }`, for an invalid request
/// also `fields`: field name to sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FunctionRefusal {
    /// Nobody is behind the call who may be.
    #[error("Please sign in to continue.")]
    Unauthenticated,
    /// No key of the project came with the call.
    #[error("Please send a key of the project in the header apikey.")]
    NoKey,
    /// The caller may not use this function.
    #[error("You may not use this function.")]
    Forbidden,
    /// A method other than POST.
    #[error("Please use POST.")]
    MethodNotAllowed,
    /// The body is larger than the function reads.
    #[error("The request is too large.")]
    BodyTooLarge,
    /// The input breaks a rule; `fields` says which field and how.
    #[error("{message}")]
    InvalidRequest {
        /// One sentence for a person.
        message: String,
        /// Field name to sentence.
        fields: BTreeMap<String, String>,
    },
    /// Too many calls.
    #[error("Too many requests. Please wait a little and try again.")]
    RateLimited {
        /// Seconds after which a new try makes sense.
        retry_after: Option<u64>,
    },
    /// Something that the function needs is not reachable just now.
    #[error("The service is busy. Please try again in a minute.")]
    Busy,
}

impl FunctionRefusal {
    /// An invalid request with a single field at fault.
    pub fn invalid_field(field: &str, message: &str) -> Self {
        let fields = BTreeMap::from([(field.to_owned(), message.to_owned())]);
        Self::InvalidRequest { message: message.to_owned(), fields }
    }

    /// The machine word of the answer.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unauthenticated => "unauthenticated",
            Self::NoKey => "no_api_key",
            Self::Forbidden => "forbidden",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::BodyTooLarge | Self::InvalidRequest { .. } => "invalid_request",
            Self::RateLimited { .. } => "rate_limited",
            Self::Busy => "busy",
        }
    }
}

impl Failure for FunctionRefusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated | Self::NoKey => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge | Self::InvalidRequest { .. } => StatusCode::BAD_REQUEST,
            Self::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after } => Some(retry_after.unwrap_or(60)),
            Self::Busy => Some(30),
            _ => None,
        }
    }

    fn body(&self, request_id: &str) -> Value {
        let mut body = json!({ "error": self.to_string(), "code": self.code(), "requestId": request_id });
        if let Self::InvalidRequest { fields, .. } = self {
            body["fields"] = json!(fields);
        }
        body
    }
}

/// A part of the stack that cannot be asked, or gives no answer that makes sense, means "busy", and
/// the log has the cause; its own limit is passed on.
impl From<ApiError> for FunctionRefusal {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::RateLimited { retry_after } => Self::RateLimited { retry_after },
            ApiError::NotConfigured
            | ApiError::Argument(_)
            | ApiError::Transport(_)
            | ApiError::Status { .. }
            | ApiError::Shape => busy("a call of the project's API failed", &error),
        }
    }
}

impl From<MailClientError> for FunctionRefusal {
    fn from(error: MailClientError) -> Self {
        busy("a mail was not handed over", &error)
    }
}

impl From<ModelError> for FunctionRefusal {
    fn from(error: ModelError) -> Self {
        busy("a model gave no answer", &error)
    }
}

/// The caller does not learn the cause, so the log has it. Otherwise a mistyped name would look
/// like a busy service.
fn busy(what: &str, error: &impl std::fmt::Display) -> FunctionRefusal {
    log::error(what, &json!({ "reason": error.to_string() }));
    FunctionRefusal::Busy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_its_status_its_word_and_its_fields() {
        let error = FunctionRefusal::invalid_field("name", "Say who you are.");
        assert_eq!(error.status(), 400);
        assert_eq!(
            error.body("r-1"),
            json!({ "error": "Say who you are.", "code": "invalid_request", "requestId": "r-1",
                    "fields": { "name": "Say who you are." } })
        );
        for (error, status, code) in [
            (FunctionRefusal::Unauthenticated, 401, "unauthenticated"),
            (FunctionRefusal::NoKey, 401, "no_api_key"),
            (FunctionRefusal::Forbidden, 403, "forbidden"),
            (FunctionRefusal::RateLimited { retry_after: None }, 429, "rate_limited"),
            (FunctionRefusal::Busy, 503, "busy"),
        ] {
            assert_eq!((error.status().as_u16(), error.code()), (status, code));
        }
        let limited = FunctionRefusal::from(ApiError::RateLimited { retry_after: Some(7) });
        assert_eq!(limited.retry_after(), Some(7));
    }
}
