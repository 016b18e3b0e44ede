//! Every way a function fails, and what the client may read of it.

pub use banyan_sdk::error::{Failure, FunctionRefusal};
use banyan_sdk::rest::RestError;
use http::StatusCode;
use serde_json::{Value, json};

/// Why a call was not answered with a result.
///
/// The wire form is that of a [`FunctionRefusal`] with `"success": false` (SPECIFICATION.md
/// GEN-1.6; it is what teaching aids and mails are asked for). An improper request names its field
/// in `fields`, as an invalid one does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// One of the cases that every function has.
    #[error(transparent)]
    Refused(#[from] FunctionRefusal),
    /// No open deduction stands behind the call.
    #[error("You do not have enough credits for this.")]
    InsufficientCredits,
    /// The `Idempotency-Key` was used before, for another request of the same user and function.
    #[error("This request carries the key of another one. Please send it with a key of its own.")]
    KeyReused,
    /// The request asks for something that is not safe for children.
    #[error("This request is not suitable for a classroom. No document was made and no credits were used.")]
    UnsafeRequest,
    /// A message that asks its readers for what no message may ask for, or threatens them.
    #[error(
        "A school message must not ask parents to send an OTP, a password, card, bank or Aadhaar numbers, or a child's caste or illness, and must not threaten. Please leave that out, or ask for papers at the office; no document was made and no credits were used."
    )]
    ImproperRequest {
        /// The field of the request; the wire form has it in `fields`.
        field: &'static str,
    },
    /// The request is about what a trained person has to speak of.
    #[error(
        "This topic needs a trained person. Please speak to your school counsellor; no document was made and no credits were used."
    )]
    SensitiveRequest,
    /// The document was written twice and both times was not safe for children, though the request
    /// was fine (V20).
    #[error(
        "What was written for this request is not fit for a classroom, so it was not delivered and your credits have been given back. Please ask for it in other words."
    )]
    UnsafeDocument,
    /// The sample of the request cannot be used. No document is made, and nothing is charged.
    #[error("{message}")]
    Sample {
        /// The word for programs.
        code: &'static str,
        /// The sentence for a teacher.
        message: String,
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
}

impl FunctionError {
    /// The machine word of the answer.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::InsufficientCredits => "insufficient_credits",
            Self::KeyReused => "idempotency_key_reused",
            Self::UnsafeRequest
            | Self::ImproperRequest { .. }
            | Self::SensitiveRequest
            | Self::UnsafeDocument => "unsafe_request",
            Self::Sample { code, .. } => code,
            Self::Cancelled => "cancelled",
            Self::GeneratorFailed => "generator_failed",
            Self::GeneratorTimeout => "generator_timeout",
        }
    }
}

impl Failure for FunctionError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Refused(refusal) => refusal.status(),
            Self::InsufficientCredits => StatusCode::PAYMENT_REQUIRED,
            Self::KeyReused
            | Self::UnsafeRequest
            | Self::ImproperRequest { .. }
            | Self::SensitiveRequest
            | Self::UnsafeDocument
            | Self::Sample { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Cancelled => StatusCode::CONFLICT,
            Self::GeneratorFailed => StatusCode::BAD_GATEWAY,
            Self::GeneratorTimeout => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Refused(refusal) => refusal.retry_after(),
            _ => None,
        }
    }

    fn body(&self, request_id: &str) -> Value {
        let mut body = match self {
            Self::Refused(refusal) => refusal.body(request_id),
            _ => json!({ "error": self.to_string(), "code": self.code(), "requestId": request_id }),
        };
        if let Self::ImproperRequest { field } = self {
            body["fields"] = json!({ *field: self.to_string() });
        }
        body["success"] = json!(false);
        body
    }
}

/// A part of the stack that cannot be asked means "busy"; its own limit is passed on.
impl From<RestError> for FunctionError {
    fn from(error: RestError) -> Self {
        Self::Refused(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_request_names_its_fields() {
        let error =
            FunctionError::from(FunctionRefusal::invalid_field("class", "Choose a class from 1 to 12."));
        assert_eq!(error.status(), 400);
        assert_eq!(
            error.body("r-1"),
            json!({ "success": false, "error": "Choose a class from 1 to 12.", "code": "invalid_request",
                    "requestId": "r-1", "fields": { "class": "Choose a class from 1 to 12." } })
        );
    }

    #[test]
    fn an_improper_request_names_its_field_beside_what_it_always_said() {
        let error = FunctionError::ImproperRequest { field: "keyDetails" };
        let said = error.to_string();
        assert_eq!(
            error.body("r-1"),
            json!({ "success": false, "error": said, "code": "unsafe_request", "requestId": "r-1",
                    "fields": { "keyDetails": said } })
        );
    }

    #[test]
    fn the_wire_codes_have_the_statuses_of_the_contract() {
        let table = [
            (FunctionRefusal::Unauthenticated.into(), 401, "unauthenticated"),
            (FunctionRefusal::BodyTooLarge.into(), 400, "invalid_request"),
            (FunctionError::InsufficientCredits, 402, "insufficient_credits"),
            (FunctionError::KeyReused, 422, "idempotency_key_reused"),
            (FunctionError::UnsafeRequest, 422, "unsafe_request"),
            (FunctionError::ImproperRequest { field: "keyDetails" }, 422, "unsafe_request"),
            (FunctionError::SensitiveRequest, 422, "unsafe_request"),
            (FunctionError::UnsafeDocument, 422, "unsafe_request"),
            (FunctionRefusal::RateLimited { retry_after: None }.into(), 429, "rate_limited"),
            (FunctionError::GeneratorFailed, 502, "generator_failed"),
            (FunctionError::GeneratorTimeout, 504, "generator_timeout"),
            (FunctionRefusal::Busy.into(), 503, "busy"),
        ];
        for (error, status, code) in table {
            assert_eq!((error.status().as_u16(), error.code()), (status, code));
            let body = error.body("r-1");
            assert_eq!(
                (&body["success"], &body["error"], &body["code"], &body["requestId"]),
                (&json!(false), &json!(error.to_string()), &json!(code), &json!("r-1"))
            );
        }
    }
}
