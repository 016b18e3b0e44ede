use http::StatusCode;

/// Why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// A field of the message is missing, malformed or too large.
    #[error("{field}: {problem}")]
    Invalid {
        /// Name of the field on the wire.
        field: &'static str,
        /// The problem, for the caller.
        problem: String,
    },
    /// The idempotency key was used for another message.
    #[error("the idempotency key belongs to another message")]
    KeyReused,
    /// The body is no JSON object of the known fields.
    #[error("the body cannot be read: {0}")]
    Json(String),
    /// The body is larger than a message may be.
    #[error("the body is too large")]
    TooLarge,
    /// No service key was presented.
    #[error("a service key is needed")]
    Unauthenticated,
    /// A key or token without the right to send mail.
    #[error("only a service key may send mail")]
    Forbidden,
    /// No such path.
    #[error("no such path")]
    NotFound,
    /// Only POST is known.
    #[error("only POST is allowed here")]
    Method,
    /// The queue cannot be reached or refused the row.
    #[error("the queue failed")]
    Store(#[from] sqlx::Error),
}

impl MailError {
    pub(crate) fn invalid(field: &'static str, problem: impl Into<String>) -> Self {
        Self::Invalid { field, problem: problem.into() }
    }

    /// Status, code and text on the wire. The cause of a 500 is logged, never shown.
    pub(crate) fn wire(&self) -> (StatusCode, &'static str, String) {
        match self {
            Self::Invalid { .. } => (StatusCode::BAD_REQUEST, "validation_failed", self.to_string()),
            Self::Json(_) => (StatusCode::BAD_REQUEST, "bad_json", self.to_string()),
            Self::KeyReused => (StatusCode::CONFLICT, "idempotency_conflict", self.to_string()),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "request_entity_too_large", self.to_string()),
            Self::Unauthenticated => (StatusCode::UNAUTHORIZED, "no_authorization", self.to_string()),
            Self::Forbidden => (StatusCode::FORBIDDEN, "not_admin", self.to_string()),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", self.to_string()),
            Self::Method => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", self.to_string()),
            Self::Store(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "unexpected_failure",
                "Unexpected failure, please check server logs for more information".to_owned(),
            ),
        }
    }
}
