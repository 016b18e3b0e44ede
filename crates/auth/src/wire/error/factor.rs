use crate::model::factor_kind::FactorKind;

/// Second factors and passkeys (CONTRACT.md F2 to F12).
#[derive(Debug, thiserror::Error)]
pub(crate) enum FactorError {
    #[error("Anonymous user not allowed to perform these actions")]
    Anonymous,
    #[error("A valid session is required")]
    NoSession,
    #[error("MFA enroll is disabled for {0}")]
    EnrollOff(FactorKind),
    #[error("MFA verification is disabled for {0}")]
    VerifyOff(FactorKind),
    #[error("Factor not found")]
    NotFound,
    #[error("MFA factor with the provided challenge ID not found")]
    ChallengeNotFound,
    #[error("A factor with the friendly name {0:?} for this user already exists")]
    NameTaken(String),
    #[error("Maximum number of verified factors reached, unenroll to continue")]
    TooMany,
    #[error("A verified phone factor already exists, unenroll the existing factor to continue")]
    PhoneTaken,
    #[error("AAL2 required to enroll a new factor")]
    EnrollNeedsAal2,
    #[error("AAL2 required to unenroll verified factor")]
    UnenrollNeedsAal2,
    #[error("AAL2 session is required to manage passkeys when MFA is enabled")]
    PasskeysNeedAal2,
    #[error("Challenge and verify IP addresses mismatch.")]
    OtherAddress,
    #[error("MFA challenge {0} has expired, verify against another challenge or create a new challenge.")]
    ChallengeExpired(uuid::Uuid),
    #[error("Invalid TOTP code entered")]
    WrongTotp,
    #[error("Invalid MFA Phone code entered")]
    WrongPhoneCode,
    /// Too many wrong codes in a row.
    #[error("Request rate limit reached")]
    Blocked { retry_after: u64 },
    /// The hook's words (F9).
    #[error("{0}")]
    Rejected(String),
    #[error("The QR code could not be drawn")]
    QrCode,
    #[error("WebAuthn is not configured")]
    NoRelyingParty,
    #[error("Passkeys are disabled")]
    PasskeysOff,
    #[error("SSO users cannot register passkeys")]
    SsoPasskey,
    #[error("Passkey not found")]
    PasskeyNotFound,
    #[error("Maximum number of passkeys reached")]
    TooManyPasskeys,
    #[error("This credential is already registered")]
    CredentialExists,
    #[error("Challenge not found or already used")]
    WebauthnChallengeNotFound,
    #[error("Challenge has expired")]
    WebauthnChallengeExpired,
    #[error("Credential verification failed")]
    WebauthnFailed(String),
    #[error("Email not confirmed")]
    EmailNotConfirmed,
    #[error("Phone not confirmed")]
    PhoneNotConfirmed,
}

impl FactorError {
    pub(super) fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::Anonymous => (403, "no_authorization"),
            Self::NoSession => (403, "session_not_found"),
            Self::EnrollOff(kind) => (422, kind.enroll_off_code()),
            Self::VerifyOff(kind) => (422, kind.verify_off_code()),
            Self::NotFound => (404, "mfa_factor_not_found"),
            Self::ChallengeNotFound => (422, "mfa_factor_not_found"),
            Self::NameTaken(_) => (422, "mfa_factor_name_conflict"),
            Self::TooMany => (422, "too_many_enrolled_mfa_factors"),
            Self::PhoneTaken => (422, "mfa_verified_factor_exists"),
            Self::EnrollNeedsAal2 | Self::PasskeysNeedAal2 => (403, "insufficient_aal"),
            Self::UnenrollNeedsAal2 => (422, "insufficient_aal"),
            Self::OtherAddress => (422, "mfa_ip_address_mismatch"),
            Self::ChallengeExpired(_) => (422, "mfa_challenge_expired"),
            Self::WrongTotp | Self::WrongPhoneCode => (422, "mfa_verification_failed"),
            Self::Blocked { .. } => (429, "over_request_rate_limit"),
            Self::Rejected(_) => (403, "mfa_verification_rejected"),
            Self::QrCode | Self::NoRelyingParty => (500, "unexpected_failure"),
            Self::PasskeysOff => (404, "passkey_disabled"),
            Self::SsoPasskey => (422, "validation_failed"),
            Self::PasskeyNotFound => (404, "validation_failed"),
            Self::TooManyPasskeys => (422, "too_many_passkeys"),
            Self::CredentialExists => (422, "webauthn_credential_exists"),
            Self::WebauthnChallengeNotFound => (400, "webauthn_challenge_not_found"),
            Self::WebauthnChallengeExpired => (400, "webauthn_challenge_expired"),
            Self::WebauthnFailed(_) => (400, "webauthn_verification_failed"),
            Self::EmailNotConfirmed => (403, "email_not_confirmed"),
            Self::PhoneNotConfirmed => (403, "phone_not_confirmed"),
        }
    }
}
