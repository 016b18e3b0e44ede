//! Errors, and their forms on the wire (CONTRACT.md E1 to E9).

/// Passwords: too weak, wrong, or in need of a fresh proof.
mod password;

/// Second factors and passkeys.
mod factor;

/// Hooks that refused or could not be asked.
mod hook;

/// Accounts: taken, not allowed, not theirs to change.
mod account;

/// Sign-in with a provider.
mod provider;

/// Identities linked and unlinked.
mod identity;

/// Clients of the OAuth server, and servers that are off.
mod client;

/// Sessions that cannot go on.
mod session;

/// Errors in the words of OAuth.
mod oauth;

/// Errors that the project's own SQL raised.
mod sql_refusal;

/// Refused tokens and keys.
mod token;

/// The form in a redirect.
mod redirected;

/// The forms on the wire.
mod render;

use banyan_db::RunError;
use http::StatusCode;

pub(crate) use account::AccountError;
pub(crate) use client::ClientError;
pub(crate) use factor::FactorError;
pub(crate) use hook::{HookError, HookFault};
pub(crate) use identity::IdentityError;
pub(crate) use oauth::OAuthError;
pub(crate) use password::{PasswordError, Weakness};
pub(crate) use provider::ProviderError;
pub(crate) use redirected::{Followed, error_pairs, marked};
pub(crate) use render::{render, wants_newer_errors};
pub(crate) use session::SessionError;
pub(crate) use sql_refusal::SqlRefusal;

/// What a client reads of a fault that is the service's own.
const UNEXPECTED: &str = "Unexpected failure, please check server logs for more information";

/// Everything a client can be told. `Display` is the text that the client reads; a cause that is
/// not for the client is in a field or the source.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuthError {
    #[error("{0}")]
    Validation(String),
    #[error("Could not parse request body as JSON: {0}")]
    BadJson(String),
    #[error("Request body is too large")]
    TooLarge,
    #[error("This endpoint requires a valid Bearer token")]
    NoAuthorization,
    #[error("invalid JWT: unable to parse or verify signature, {0}")]
    BadJwt(String),
    #[error("invalid claim: {0}")]
    BadClaim(&'static str),
    #[error("invalid claim: sub claim must be a UUID")]
    SubjectNoUuid,
    #[error("User from sub claim in JWT does not exist")]
    BearerUserNotFound,
    #[error("Session from session_id claim in JWT does not exist")]
    BearerSessionNotFound,
    #[error("User is banned")]
    BearerBanned,
    #[error("User not allowed")]
    NotAdmin,
    #[error("User not found")]
    UserNotFound,
    #[error("user_id must be an UUID")]
    PathNoUuid,
    #[error("Signups not allowed for otp")]
    OtpDisabled,
    #[error("Signups not allowed for this instance")]
    SignupDisabled,
    #[error("Email logins are disabled")]
    EmailDisabled,
    #[error("Email logins are disabled")]
    EmailLoginsDisabled,
    #[error("Unsupported phone provider")]
    PhoneDisabled,
    #[error("Anonymous sign-ins are disabled")]
    AnonymousDisabled,
    #[error("Token has expired or is invalid")]
    CodeRefused,
    #[error("Email link is invalid or has expired")]
    LinkRefused,
    #[error("A user with this email address has already been registered")]
    EmailExists,
    #[error("For security purposes, you can only request this after {0} seconds.")]
    TooSoon(i64),
    #[error("email rate limit exceeded")]
    MailLimit { retry_after: u64 },
    #[error("Request rate limit reached")]
    RequestLimit { retry_after: u64, limit: u32 },
    #[error("unsupported_grant_type")]
    UnsupportedGrant,
    #[error("Refresh token is not valid")]
    RefreshTokenMalformed,
    #[error("Invalid Refresh Token: Not Issued By This Server")]
    RefreshTokenForeign,
    #[error("Invalid Refresh Token: Refresh Token Not Found")]
    RefreshTokenNotFound,
    #[error("Invalid Refresh Token: Already Used")]
    RefreshTokenAlreadyUsed,
    #[error("Invalid Refresh Token: No Valid Session Found")]
    RefreshWithoutSession,
    #[error("Invalid Refresh Token: Session Expired")]
    SessionExpired,
    #[error("Invalid Refresh Token: User Banned")]
    RefreshBanned,
    #[error("Too many concurrent token refresh requests on the same session or refresh token")]
    RefreshContention,
    #[error("invalid flow state, no valid flow state found")]
    FlowNotFound,
    #[error("invalid flow state, flow state has expired")]
    FlowExpired,
    #[error("code challenge does not match previously saved code verifier")]
    BadVerifier,
    #[error("Updating app_metadata requires admin privileges")]
    AppMetadataByUser,
    #[error("no such path")]
    NotFound,
    #[error("this path does not take that method")]
    Method,
    #[error("Processing this request timed out, please retry after a moment.")]
    Timeout,
    #[error("{}", UNEXPECTED)]
    Panicked,
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error(transparent)]
    Identity(#[from] IdentityError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    OAuth(#[from] OAuthError),
    /// A provider of an id_token that is off; the text names its issuer, where that is known
    /// (CONTRACT.md I2).
    #[error("Provider ({0}) is not enabled")]
    IdTokenProviderDisabled(String),
    #[error(transparent)]
    Factor(#[from] FactorError),
    #[error(transparent)]
    Hook(#[from] Box<HookFault>),
    /// A hook rejected the attempt with a password (CONTRACT.md HK11).
    #[error("{0}")]
    AttemptRejected(String),
    #[error("captcha protection: request disallowed ({0})")]
    Captcha(String),
    #[error("captcha verification process failed")]
    CaptchaUnavailable(String),
    /// Only for [`crate::context::ServiceContext::begin_again`], which handles it in every request
    /// that may create an account.
    #[error("{}", UNEXPECTED)]
    NeedsApproval(Box<crate::model::created_accounts::NeedsApproval>),
    /// A trigger or constraint of the project refused a change of `auth.users`
    /// (CONTRACT.md Z4, C5).
    #[error("{}", .0.text())]
    Refused(Box<SqlRefusal>),
    #[error("{}", UNEXPECTED)]
    Store(#[from] sqlx::Error),
    #[error("{}", UNEXPECTED)]
    Pipeline(#[source] RunError),
    #[error("Error sending email")]
    Mail(#[from] banyan_mail::MailError),
    #[error("{}", UNEXPECTED)]
    Sign(#[from] banyan_identity::KeyError),
}

/// Status, code and text.
pub(crate) struct Wire {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl AuthError {
    pub(crate) fn validation(message: impl Into<String>) -> Self {
        Self::Validation(message.into())
    }

    /// An error of a statement that changes `auth.users` or its like: what the project's triggers
    /// and constraints say is kept for the developer, everything else is a fault of the store.
    pub(crate) fn saving(error: sqlx::Error, shown: bool) -> Self {
        match SqlRefusal::of(&error, shown) {
            Some(refusal) => Self::Refused(Box::new(refusal)),
            None => Self::Store(error),
        }
    }

    /// As [`AuthError::saving`], for a pipeline.
    pub(crate) fn saving_in_pipeline(error: RunError, shown: bool) -> Self {
        match SqlRefusal::of_pipeline(&error, shown) {
            Some(refusal) => Self::Refused(Box::new(refusal)),
            None => error.into(),
        }
    }

    /// Whether what failed may have been committed all the same, because its answer was not heard.
    pub(crate) fn may_have_committed(&self) -> bool {
        use sqlx::Error::{Io, Protocol, WorkerCrashed};
        let pipeline = matches!(self, Self::Pipeline(error) if error.may_have_committed());
        pipeline || matches!(self, Self::Store(Io(_) | Protocol(_) | WorkerCrashed))
    }

    pub(crate) fn wire(&self) -> Wire {
        let (status, code) = self.status_and_code();
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Wire { status, code, message: self.to_string() }
    }

    fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::Validation(_) | Self::RefreshTokenMalformed | Self::RefreshTokenForeign => {
                (400, "validation_failed")
            }
            Self::BadJson(_) => (400, "bad_json"),
            Self::TooLarge => (413, "request_entity_too_large"),
            Self::NoAuthorization => (401, "no_authorization"),
            Self::BadJwt(_) | Self::BadClaim(_) => (403, "bad_jwt"),
            Self::SubjectNoUuid => (400, "bad_jwt"),
            Self::BearerUserNotFound => (403, "user_not_found"),
            Self::BearerSessionNotFound => (403, "session_not_found"),
            Self::BearerBanned => (403, "user_banned"),
            Self::NotAdmin | Self::AppMetadataByUser => (403, "not_admin"),
            Self::UserNotFound => (404, "user_not_found"),
            Self::PathNoUuid => (404, "validation_failed"),
            Self::OtpDisabled => (422, "otp_disabled"),
            Self::SignupDisabled => (422, "signup_disabled"),
            Self::EmailLoginsDisabled => (400, "email_provider_disabled"),
            Self::EmailDisabled => (422, "email_provider_disabled"),
            Self::PhoneDisabled => (400, "phone_provider_disabled"),
            Self::AnonymousDisabled => (422, "anonymous_provider_disabled"),
            Self::CodeRefused | Self::LinkRefused => (403, "otp_expired"),
            Self::EmailExists => (422, "email_exists"),
            Self::TooSoon(_) | Self::MailLimit { .. } => (429, "over_email_send_rate_limit"),
            Self::RequestLimit { .. } => (429, "over_request_rate_limit"),
            Self::UnsupportedGrant => (400, "invalid_credentials"),
            Self::RefreshTokenNotFound => (400, "refresh_token_not_found"),
            Self::RefreshTokenAlreadyUsed => (400, "refresh_token_already_used"),
            Self::RefreshWithoutSession => (400, "session_not_found"),
            Self::SessionExpired => (400, "session_expired"),
            Self::RefreshBanned => (400, "user_banned"),
            Self::RefreshContention => (409, "conflict"),
            Self::FlowNotFound => (404, "flow_state_not_found"),
            Self::FlowExpired => (422, "flow_state_expired"),
            Self::BadVerifier => (400, "bad_code_verifier"),
            Self::NotFound => (404, "not_found"),
            Self::Method => (405, "method_not_allowed"),
            Self::Timeout => (504, "request_timeout"),
            Self::Password(error) => error.status_and_code(),
            Self::Account(error) => error.status_and_code(),
            Self::Provider(error) => error.status_and_code(),
            Self::Identity(error) => error.status_and_code(),
            Self::Session(error) => error.status_and_code(),
            Self::Client(error) => error.status_and_code(),
            Self::OAuth(_) => (400, "validation_failed"),
            Self::IdTokenProviderDisabled(_) => (400, "provider_disabled"),
            Self::Factor(error) => error.status_and_code(),
            Self::Hook(fault) => fault.error.status_and_code(),
            Self::AttemptRejected(_) => (400, "invalid_credentials"),
            Self::Captcha(_) => (400, "captcha_failed"),
            Self::CaptchaUnavailable(_) => (500, "unexpected_failure"),
            Self::Refused(refusal) => (refusal.status(), "unexpected_failure"),
            Self::Store(_)
            | Self::Pipeline(_)
            | Self::Mail(_)
            | Self::NeedsApproval(_)
            | Self::Sign(_)
            | Self::Panicked => (500, "unexpected_failure"),
        }
    }

    /// Seconds after which a refused request may be made again.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::TooSoon(seconds) => Some(seconds.unsigned_abs()),
            Self::MailLimit { retry_after }
            | Self::RequestLimit { retry_after, .. }
            | Self::Factor(FactorError::Blocked { retry_after }) => Some(*retry_after),
            Self::Password(PasswordError::Busy) => Some(1),
            Self::Account(error) => error.retry_after(),
            _ => None,
        }
    }

    /// What the log says: the cause, where the client does not read it.
    pub(crate) fn cause(&self) -> String {
        std::error::Error::source(self).map_or_else(|| self.to_string(), ToString::to_string)
    }

    /// Why a hook failed, beyond what the client reads; none for what it decided.
    pub(crate) fn cause_of_hook(&self) -> Option<String> {
        let Self::Hook(fault) = self else { return None };
        fault.error.cause()
    }

    /// Writes the cause of a 5xx into the log, with the request's id.
    pub(crate) fn log(&self, request_id: &str) {
        match self {
            Self::Provider(error) if error.cause().is_some() => tracing::warn!(
                request.id = request_id,
                cause = error.cause(),
                "a sign-in with a provider failed: {error}"
            ),
            Self::Refused(refusal) => tracing::error!(
                request.id = request_id,
                db.sqlstate = refusal.sqlstate,
                db.message = refusal.message,
                db.detail = refusal.detail,
                db.table = refusal.table,
                "a trigger or constraint of the project refused a change of a user"
            ),
            Self::Store(cause) => {
                tracing::error!(request.id = request_id, error = %cause, "the auth store failed");
            }
            Self::Pipeline(cause) => {
                tracing::error!(request.id = request_id, error = %cause, "the auth store failed");
            }
            Self::Mail(_) | Self::Sign(_) => {
                tracing::error!(request.id = request_id, error = self.cause(), "an auth request failed");
            }
            Self::NeedsApproval(_) => {
                tracing::error!(request.id = request_id, "a new account was not judged");
            }
            Self::Panicked => tracing::error!(request.id = request_id, "an auth request panicked"),
            Self::Hook(fault) => {
                if let Some(cause) = self.cause_of_hook() {
                    tracing::error!(
                        request.id = request_id,
                        hook.point = fault.point,
                        hook.target = fault.target,
                        error = cause,
                        "a hook failed"
                    );
                }
            }
            Self::Factor(FactorError::WebauthnFailed(cause)) => {
                tracing::info!(request.id = request_id, error = cause, "a security key was refused");
            }
            Self::Factor(FactorError::NoRelyingParty) => tracing::error!(
                request.id = request_id,
                "security keys need [auth.webauthn] in config.toml: rp_id and rp_origins"
            ),
            Self::CaptchaUnavailable(cause) => {
                tracing::error!(
                    request.id = request_id,
                    error = cause,
                    "the captcha service could not be asked"
                );
            }
            Self::Password(PasswordError::LeakCheck(cause)) => {
                tracing::error!(
                    request.id = request_id,
                    error = cause,
                    "leaked passwords could not be asked for"
                );
            }
            Self::Password(PasswordError::ThreadLost) => {
                tracing::error!(request.id = request_id, "a hashing thread ended");
            }
            _ => {}
        }
    }
}

impl From<RunError> for AuthError {
    /// Who waited too long for a lock may ask again: nothing was done.
    fn from(error: RunError) -> Self {
        if error.is_lock_timeout() { Self::Timeout } else { Self::Pipeline(error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: E6
    #[test]
    fn a_fault_of_the_service_shows_its_cause_to_the_log_alone() {
        let fault = AuthError::Store(sqlx::Error::ColumnNotFound("secret".to_owned()));
        assert_eq!(fault.wire().message, UNEXPECTED);
        assert!(fault.cause().contains("secret"), "{}", fault.cause());
        assert_eq!(AuthError::Panicked.wire().message, UNEXPECTED);
        assert_eq!(AuthError::from(PasswordError::ThreadLost).wire().message, UNEXPECTED);
    }
}
