/// What can go wrong in a sign-in with a provider (CONTRACT.md G2, G8 to G10, G17).
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProviderError {
    #[error("Unsupported provider: provider is not enabled")]
    Disabled,
    #[error("Unsupported provider: Provider {0} could not be found")]
    Unknown(String),
    #[error("Unsupported provider: it cannot be used for redirects")]
    NotForRedirects,
    #[error("The provider cannot be reached")]
    Unreachable(String),
    #[error("Unable to exchange external code: {code}")]
    Exchange { code: String, cause: String },
    #[error("Error getting user profile from external provider")]
    Profile(String),
    #[error("Error getting user email from external provider")]
    NoEmail,
    #[error("OAuth state parameter missing")]
    StateMissing,
    #[error("OAuth state parameter is invalid")]
    StateMalformed,
    #[error("OAuth state not found or expired")]
    StateUnknown,
    #[error("OAuth state has expired")]
    StateExpired,
    #[error("OAuth state was given to another browser")]
    StateOfAnother,
    #[error("State has already been used")]
    StateUsed,
    #[error("OAuth callback with missing authorization code missing")]
    CodeMissing,
    #[error("Unverified email with {provider}. {what}")]
    EmailNeedsVerification { provider: String, what: String },
    #[error("Multiple accounts with the same email address in the same linking domain detected: default")]
    MultipleAccounts,
    #[error("User identified by token not found")]
    InvitedUserNotFound,
    #[error("Invite not found")]
    InviteNotFound,
    #[error("Invited email does not match emails from external provider")]
    InvitedAnother,
}

impl ProviderError {
    /// For an account that is withheld until its address is confirmed. `sent` says whether a mail
    /// for that is on its way (CONTRACT.md G12).
    pub(crate) fn needs_verification(provider: &str, sent: bool) -> Self {
        let what = if sent {
            format!("A confirmation email has been sent to your {provider} email")
        } else {
            format!("Verify the email with {provider} in order to sign in")
        };
        Self::EmailNeedsVerification { provider: provider.to_owned(), what }
    }

    pub(super) fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::Disabled | Self::Unknown(_) | Self::InvitedAnother => (400, "validation_failed"),
            Self::NotForRedirects => (400, "oauth_provider_not_supported"),
            Self::StateMissing | Self::CodeMissing => (400, "bad_oauth_callback"),
            Self::StateMalformed | Self::StateUnknown | Self::StateExpired | Self::StateOfAnother => {
                (400, "bad_oauth_state")
            }
            Self::StateUsed => (400, "flow_state_already_used"),
            Self::EmailNeedsVerification { .. } => (422, "provider_email_needs_verification"),
            Self::InvitedUserNotFound => (404, "user_not_found"),
            Self::InviteNotFound => (404, "invite_not_found"),
            Self::Unreachable(_)
            | Self::Exchange { .. }
            | Self::Profile(_)
            | Self::NoEmail
            | Self::MultipleAccounts => (500, "unexpected_failure"),
        }
    }

    /// What only the log says of it.
    pub(super) fn cause(&self) -> Option<&str> {
        let (Self::Unreachable(cause) | Self::Exchange { cause, .. } | Self::Profile(cause)) = self else {
            return None;
        };
        Some(cause)
    }
}
