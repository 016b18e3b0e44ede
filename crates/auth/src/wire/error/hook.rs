/// An error of a hook, and which one that is.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub(crate) struct HookFault {
    pub(crate) error: HookError,
    /// As in `[auth.hook.<point>]`.
    pub(crate) point: &'static str,
    /// Its address.
    pub(crate) target: String,
}

/// A hook refused, or could not be asked (CONTRACT.md HK4, HK5).
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    /// The hook's own words and status (HK5).
    #[error("{message}")]
    Refused { status: u16, message: String },
    #[error("Failed to reach hook within maximum time of 5 seconds")]
    Timeout,
    #[error("Failed to reach hook after maximum retries")]
    TimeoutAfterRetry,
    #[error("Payload size exceeded size limit of {0} bytes")]
    TooLarge(usize),
    #[error("Invalid Content-Type: {0}")]
    ContentType(String),
    #[error("Service currently unavailable due to hook")]
    Unavailable,
    #[error("Unexpected status code returned from hook: {0}")]
    Status(u16),
    #[error("Error unmarshaling JSON output.")]
    Output(String),
    #[error("output claims do not conform to the expected schema: {0}")]
    Claims(String),
    #[error("Error running hook")]
    Database(#[source] sqlx::Error),
    #[error("Error running hook")]
    NoFunctions,
}

impl HookError {
    pub(super) fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::Refused { status: 500, .. } => (500, "unexpected_failure"),
            Self::Refused { status, .. } => (*status, "unknown"),
            Self::Timeout => (422, "hook_timeout"),
            Self::TimeoutAfterRetry => (422, "hook_timeout_after_retry"),
            Self::TooLarge(_) => (422, "hook_payload_over_size_limit"),
            Self::ContentType(_) => (400, "hook_payload_invalid_content_type"),
            Self::Unavailable
            | Self::Status(_)
            | Self::Output(_)
            | Self::Claims(_)
            | Self::Database(_)
            | Self::NoFunctions => (500, "unexpected_failure"),
        }
    }

    /// What the log says beyond the text; none for what the hook decided.
    pub(super) fn cause(&self) -> Option<String> {
        match self {
            Self::Refused { .. } => None,
            Self::Database(cause) => Some(cause.to_string()),
            Self::Output(cause) => Some(cause.clone()),
            Self::NoFunctions => Some("this server hosts no functions".to_owned()),
            Self::Timeout
            | Self::TimeoutAfterRetry
            | Self::TooLarge(_)
            | Self::ContentType(_)
            | Self::Unavailable
            | Self::Status(_)
            | Self::Claims(_) => Some(self.to_string()),
        }
    }
}
