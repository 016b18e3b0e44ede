use serde::Serialize;

/// What is wrong with a password: the text for people, the reasons for programs
/// (CONTRACT.md E3, O32).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Weakness {
    pub(crate) message: String,
    pub(crate) reasons: Vec<&'static str>,
}

/// What can go wrong with passwords (CONTRACT.md PW1 to PW8, U10 to U12).
#[derive(Debug, thiserror::Error)]
pub(crate) enum PasswordError {
    /// The project has no passwords.
    #[error("Passwords are disabled")]
    Off,
    #[error("{}", .0.message)]
    Weak(Weakness),
    #[error("Password cannot be longer than {0} characters")]
    TooLong(usize),
    #[error("Invalid login credentials")]
    Wrong,
    #[error("User is banned")]
    Banned,
    #[error("Email not confirmed")]
    EmailNotConfirmed,
    #[error("Phone not confirmed")]
    PhoneNotConfirmed,
    #[error("New password should be different from the old password.")]
    Same,
    #[error("Current password required when setting new password.")]
    CurrentRequired,
    #[error("Current password is not correct.")]
    CurrentInvalid,
    #[error("The password was changed by another request meanwhile")]
    ChangedMeanwhile,
    #[error("Password update requires reauthentication")]
    ReauthenticationNeeded,
    #[error("Nonce has expired or is invalid")]
    NonceInvalid,
    #[error("The password hash has no form that can be verified")]
    HashUnknown,
    #[error("Too many passwords are being checked right now")]
    Busy,
    #[error("Unable to perform password strength check with HaveIBeenPwned.org.")]
    LeakCheck(String),
    #[error("{}", super::UNEXPECTED)]
    ThreadLost,
}

impl PasswordError {
    pub(super) fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::Off => (422, "password_provider_disabled"),
            Self::Weak(_) => (422, "weak_password"),
            Self::TooLong(_) | Self::HashUnknown => (400, "validation_failed"),
            Self::Wrong => (400, "invalid_credentials"),
            Self::Banned => (400, "user_banned"),
            Self::EmailNotConfirmed => (400, "email_not_confirmed"),
            Self::PhoneNotConfirmed => (400, "phone_not_confirmed"),
            Self::Same => (422, "same_password"),
            Self::CurrentRequired => (400, "current_password_required"),
            Self::CurrentInvalid => (400, "current_password_invalid"),
            Self::ChangedMeanwhile => (409, "conflict"),
            Self::ReauthenticationNeeded => (400, "reauthentication_needed"),
            Self::NonceInvalid => (422, "reauthentication_not_valid"),
            Self::Busy => (429, "over_request_rate_limit"),
            Self::LeakCheck(_) | Self::ThreadLost => (500, "unexpected_failure"),
        }
    }
}
