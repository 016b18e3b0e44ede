/// What can go wrong with accounts.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AccountError {
    #[error("User already registered")]
    AlreadyRegistered,
    #[error("A user with this phone number has already been registered")]
    PhoneExists,
    #[error("A user with this id already exists")]
    IdExists,
    #[error("Email signups are disabled")]
    EmailSignupsDisabled,
    #[error("Phone signups are disabled")]
    PhoneSignupsDisabled,
    #[error("Phone logins are disabled")]
    PhoneLoginsDisabled,
    #[error("User with this email not found")]
    AddressUnknown,
    #[error("Please verify your email first.")]
    EmailNotVerified,
    #[error("Please verify your phone first.")]
    PhoneNotVerified,
    #[error("AAL2 session is required to update email or password when MFA is enabled.")]
    InsufficientAal,
    #[error("Updating email, phone, password of a SSO account only possible via SSO")]
    ManagedBySso,
    #[error("Updating password of an anonymous user without an email or phone is not allowed")]
    AnonymousPassword,
    #[error("Email address \"{0}\" is invalid")]
    AddressInvalid(String),
    #[error("Session not found")]
    SessionUnknown,
    #[error("For security purposes, you can only request this after {0} seconds.")]
    SmsTooSoon(i64),
    #[error("SMS rate limit exceeded")]
    SmsLimit { retry_after: u64 },
    #[error("Error sending sms OTP to provider: {0}")]
    SmsNotSent(String),
}

impl AccountError {
    /// Seconds after which a refused request may be made again.
    pub(super) fn retry_after(&self) -> Option<u64> {
        match self {
            Self::SmsTooSoon(seconds) => Some(seconds.unsigned_abs()),
            Self::SmsLimit { retry_after } => Some(*retry_after),
            Self::AlreadyRegistered
            | Self::PhoneExists
            | Self::IdExists
            | Self::EmailSignupsDisabled
            | Self::PhoneSignupsDisabled
            | Self::PhoneLoginsDisabled
            | Self::AddressUnknown
            | Self::EmailNotVerified
            | Self::PhoneNotVerified
            | Self::InsufficientAal
            | Self::ManagedBySso
            | Self::AnonymousPassword
            | Self::AddressInvalid(_)
            | Self::SessionUnknown
            | Self::SmsNotSent(_) => None,
        }
    }

    pub(super) fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::AlreadyRegistered | Self::IdExists => (422, "user_already_exists"),
            Self::PhoneExists => (422, "phone_exists"),
            Self::EmailSignupsDisabled => (400, "email_provider_disabled"),
            Self::PhoneSignupsDisabled => (400, "phone_provider_disabled"),
            Self::PhoneLoginsDisabled => (422, "phone_provider_disabled"),
            Self::AddressUnknown => (404, "user_not_found"),
            Self::EmailNotVerified => (422, "email_not_confirmed"),
            Self::PhoneNotVerified => (422, "phone_not_confirmed"),
            Self::InsufficientAal => (401, "insufficient_aal"),
            Self::ManagedBySso => (422, "user_sso_managed"),
            Self::AnonymousPassword => (422, "validation_failed"),
            Self::AddressInvalid(_) => (400, "email_address_invalid"),
            Self::SessionUnknown => (404, "session_not_found"),
            Self::SmsTooSoon(_) | Self::SmsLimit { .. } => (429, "over_sms_send_rate_limit"),
            Self::SmsNotSent(_) => (422, "sms_send_failed"),
        }
    }
}
