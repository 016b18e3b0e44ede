use serde_json::{Value, json};

/// An error in the words of RFC 6749, always 400 (CONTRACT.md E4, I5).
#[derive(Debug, thiserror::Error)]
#[error("{description}")]
pub(crate) struct OAuthError {
    error: &'static str,
    description: String,
}

impl OAuthError {
    /// A request that cannot be granted.
    pub(crate) fn invalid_request(description: impl Into<String>) -> Self {
        Self { error: "invalid request", description: description.into() }
    }

    /// A nonce that is not the one of the token.
    pub(crate) fn invalid_nonce() -> Self {
        Self { error: "invalid nonce", description: "Nonces mismatch".to_owned() }
    }

    /// The body, whatever version of errors the client knows.
    pub(super) fn body(&self) -> Value {
        json!({"error": self.error, "error_description": self.description})
    }
}
