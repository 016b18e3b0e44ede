//! Every way a function fails, and what the client may read of it.

use std::collections::BTreeMap;

pub use banyan_sdk::error::Failure;
use banyan_sdk::error::Refusal;
use http::StatusCode;
use serde_json::{Value, json};

/// Why a call was not answered with a result.
///
/// The wire form is `{ "success": false, "error": sentence, "code": word, "requestId": id }`, for an invalid request
/// also `fields`: field name to sentence (generation.md 1; `success` is what teaching aids and mails are asked for).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// No user behind the token: an API key, or a token without a user id.
    #[error("Please sign in to continue.")]
    Unauthenticated,
    /// The caller's role may not use this function.
    #[error("You may not use this function.")]
    Forbidden,
    /// A method other than POST.
    #[error("Please use POST.")]
    MethodNotAllowed,
    /// The body is larger than [`crate::door::BODY_LIMIT`]: 400 as for any other limit on the input.
    #[error("The request is too large.")]
    BodyTooLarge,
    /// The input breaks a rule; `fields` says which field and how.
    #[error("{message}")]
    InvalidRequest {
        /// One sentence for the teacher.
        message: String,
        /// Field name to sentence.
        fields: BTreeMap<String, String>,
    },
    /// No open deduction stands behind the call.
    #[error("You do not have enough credits for this.")]
    InsufficientCredits,
    /// The `Idempotency-Key` was used before, for another request of the same user and function.
    #[error("This request carries the key of another one. Please send it with a key of its own.")]
    KeyReused,
    /// The request asks for something that is not safe for children.
    #[error("{message}")]
    UnsafeRequest {
        /// One sentence for the teacher.
        message: String,
    },
    /// Too many calls in a minute or a day.
    #[error("Too many requests. Please wait a little and try again.")]
    RateLimited {
        /// Seconds after which a new try makes sense.
        retry_after: Option<u64>,
    },
    /// The generation was cancelled or given back before its result was stored.
    #[error("This request was cancelled and the credits were given back.")]
    Cancelled,
    /// The text could not be made, or not well enough to be delivered.
    #[error("The document could not be generated. Your credits have been given back.")]
    GeneratorFailed,
    /// The time allowed for one generation was used up.
    #[error("Generating took too long. Your credits have been given back.")]
    GeneratorTimeout,
    /// Something that the function needs is not reachable just now.
    #[error("The service is busy. Please try again in a minute.")]
    Busy,
}

impl FunctionError {
    /// An invalid request with a single field at fault.
    pub fn invalid_field(field: &str, message: &str) -> Self {
        let fields = BTreeMap::from([(field.to_owned(), message.to_owned())]);
        Self::InvalidRequest { message: message.to_owned(), fields }
    }

    /// The machine word of the answer.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unauthenticated => "unauthenticated",
            Self::Forbidden => "forbidden",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::BodyTooLarge | Self::InvalidRequest { .. } => "invalid_request",
            Self::InsufficientCredits => "insufficient_credits",
            Self::KeyReused => "idempotency_key_reused",
            Self::UnsafeRequest { .. } => "unsafe_request",
            Self::RateLimited { .. } => "rate_limited",
            Self::Cancelled => "cancelled",
            Self::GeneratorFailed => "generator_failed",
            Self::GeneratorTimeout => "generator_timeout",
            Self::Busy => "busy",
        }
    }
}

impl Failure for FunctionError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge | Self::InvalidRequest { .. } => StatusCode::BAD_REQUEST,
            Self::InsufficientCredits => StatusCode::PAYMENT_REQUIRED,
            Self::KeyReused | Self::UnsafeRequest { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Cancelled => StatusCode::CONFLICT,
            Self::GeneratorFailed => StatusCode::BAD_GATEWAY,
            Self::GeneratorTimeout => StatusCode::GATEWAY_TIMEOUT,
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
        let mut body = json!({
            "success": false, "error": self.to_string(), "code": self.code(), "requestId": request_id,
        });
        if let Self::InvalidRequest { fields, .. } = self {
            body["fields"] = json!(fields);
        }
        body
    }
}

impl From<Refusal> for FunctionError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unauthenticated | Refusal::NoKey => Self::Unauthenticated,
            Refusal::Forbidden => Self::Forbidden,
            Refusal::MethodNotAllowed => Self::MethodNotAllowed,
            Refusal::BodyTooLarge => Self::BodyTooLarge,
            Refusal::InvalidRequest { message, fields } => Self::InvalidRequest { message, fields },
            Refusal::RateLimited { retry_after } => Self::RateLimited { retry_after },
            Refusal::Busy => Self::Busy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_request_names_its_fields() {
        let error = FunctionError::invalid_field("class", "Choose a class from 1 to 12.");
        assert_eq!(error.status(), 400);
        assert_eq!(
            error.body("r-1"),
            json!({ "success": false, "error": "Choose a class from 1 to 12.", "code": "invalid_request",
                    "requestId": "r-1", "fields": { "class": "Choose a class from 1 to 12." } })
        );
    }

    #[test]
    fn the_wire_codes_have_the_statuses_of_the_contract() {
        let table = [
            (FunctionError::Unauthenticated, 401, "unauthenticated"),
            (FunctionError::BodyTooLarge, 400, "invalid_request"),
            (FunctionError::InsufficientCredits, 402, "insufficient_credits"),
            (FunctionError::KeyReused, 422, "idempotency_key_reused"),
            (FunctionError::UnsafeRequest { message: String::new() }, 422, "unsafe_request"),
            (FunctionError::RateLimited { retry_after: None }, 429, "rate_limited"),
            (FunctionError::GeneratorFailed, 502, "generator_failed"),
            (FunctionError::GeneratorTimeout, 504, "generator_timeout"),
            (FunctionError::Busy, 503, "busy"),
        ];
        for (error, status, code) in table {
            assert_eq!((error.status().as_u16(), error.code()), (status, code));
        }
    }
}
