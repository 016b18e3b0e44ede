//! What can go wrong, and how each of it is said on the wire (auth.md section 3).

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;
use std::sync::Arc;

/// Everything a client can be told.
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
    #[error("Unsupported phone provider")]
    PhoneDisabled,
    #[error("Password sign-in is not available")]
    PasswordUnavailable,
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
    RequestLimit { retry_after: u64 },
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
    /// A trigger or constraint of the project refused a change of `auth.users` (auth.md Z4, C5).
    #[error("Database error saving new user")]
    Refused(Box<Refusal>),
    #[error("the database failed")]
    Store(#[from] sqlx::Error),
    #[error("a mail could not be queued")]
    Mail(#[from] banyan_mail::MailError),
    #[error("a mail could not be written: {0}")]
    Template(String),
    #[error("a token could not be signed")]
    Sign(#[from] banyan_identity::KeyError),
}

/// What PostgreSQL said when the project's own SQL stopped a change.
#[derive(Debug)]
pub(crate) struct Refusal {
    sqlstate: String,
    message: String,
    table: Option<String>,
    /// Whether the answer may say it: only where the listener is this machine's own.
    shown: bool,
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

    /// An error of a statement that changes `auth.users` or its like: what the project's triggers and constraints
    /// say is kept for the developer, everything else is a fault of the store.
    pub(crate) fn saving(error: sqlx::Error, shown: bool) -> Self {
        let sqlx::Error::Database(database) = &error else { return Self::Store(error) };
        let sqlstate = database.code().unwrap_or_default().into_owned();
        if sqlstate.starts_with("57") || sqlstate.starts_with("40") || sqlstate.starts_with("55") {
            return Self::Store(error);
        }
        Self::Refused(Box::new(Refusal {
            sqlstate,
            message: database.message().to_owned(),
            table: database.table().map(str::to_owned),
            shown,
        }))
    }

    pub(crate) fn wire(&self) -> Wire {
        let (status, code) = self.status_and_code();
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let message = match self {
            Self::Refused(refusal) => refusal.text(),
            Self::Store(_) | Self::Sign(_) => {
                "Unexpected failure, please check server logs for more information".to_owned()
            }
            Self::Mail(_) | Self::Template(_) => "Error sending email".to_owned(),
            other => other.to_string(),
        };
        Wire { status, code, message }
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
            Self::EmailDisabled => (422, "email_provider_disabled"),
            Self::PhoneDisabled => (400, "phone_provider_disabled"),
            Self::PasswordUnavailable => (422, "email_provider_disabled"),
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
            Self::Refused(refusal) => (refusal.status(), "unexpected_failure"),
            Self::Store(_) | Self::Mail(_) | Self::Template(_) | Self::Sign(_) => (500, "unexpected_failure"),
        }
    }

    /// Seconds after which a refused request may be made again.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::TooSoon(seconds) => Some(seconds.unsigned_abs()),
            Self::MailLimit { retry_after } | Self::RequestLimit { retry_after } => Some(*retry_after),
            _ => None,
        }
    }

    /// Writes the cause of a 5xx into the log, with the request's id.
    fn log(&self, request_id: &str) {
        match self {
            Self::Refused(refusal) => tracing::error!(
                request.id = request_id,
                db.sqlstate = refusal.sqlstate,
                db.message = refusal.message,
                db.table = refusal.table,
                "a trigger or constraint of the project refused a change of a user"
            ),
            Self::Store(cause) => {
                tracing::error!(request.id = request_id, error = %cause, "the auth store failed");
            }
            Self::Mail(_) | Self::Template(_) | Self::Sign(_) => {
                tracing::error!(request.id = request_id, error = %self, "an auth request failed");
            }
            _ => {}
        }
    }
}

impl Refusal {
    /// `PTxyz` raised by the project's SQL asks for that status.
    fn status(&self) -> u16 {
        self.sqlstate.strip_prefix("PT").and_then(|status| status.parse().ok()).unwrap_or(500)
    }

    fn text(&self) -> String {
        if self.sqlstate.starts_with("PT") {
            return self.message.clone();
        }
        let general = "Database error saving new user";
        match (self.shown, &self.table) {
            (false, _) => general.to_owned(),
            (true, None) => format!("{general}: {} (SQLSTATE {})", self.message, self.sqlstate),
            (true, Some(table)) => {
                format!("{general}: {} (SQLSTATE {}, table {table})", self.message, self.sqlstate)
            }
        }
    }
}

/// An error on its way to [`render`], which knows the form that the client wants.
#[derive(Clone)]
struct Pending(Arc<AuthError>);

impl IntoResponse for AuthError {
    fn into_response(self) -> Response {
        let mut response = self.wire().status.into_response();
        response.extensions_mut().insert(Pending(Arc::new(self)));
        response
    }
}

/// First date of the header `X-Supabase-Api-Version` from which errors have the newer form (auth.md E1).
const NEWER_ERRORS: &str = "2024-01-01";

/// Whether the client asked for the newer form of errors.
pub(crate) fn wants_newer_errors(headers: &http::HeaderMap) -> bool {
    let date = headers.get("x-supabase-api-version").and_then(|value| value.to_str().ok()).unwrap_or("");
    let shape = |text: &str| {
        text.len() == 10
            && text
                .bytes()
                .enumerate()
                .all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() })
    };
    shape(date) && date >= NEWER_ERRORS
}

/// Writes a pending error in the client's form: `{code, message}` or the older `{code, error_code, msg}`.
pub(crate) fn render(mut response: Response, newer: bool, request_id: &str) -> Response {
    let Some(Pending(error)) = response.extensions_mut().remove::<Pending>() else { return response };
    error.log(request_id);
    let Wire { status, code, message } = error.wire();
    let mut body = if newer {
        json!({"code": code, "message": message})
    } else {
        json!({"code": status.as_u16(), "error_code": code, "msg": message})
    };
    if !newer && status.is_server_error() && !request_id.is_empty() {
        body["error_id"] = json!(request_id);
    }
    let mut rendered = (status, body.to_string()).into_response();
    let headers = rendered.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-sb-error-code", HeaderValue::from_static(code));
    if newer {
        headers.insert("x-supabase-api-version", HeaderValue::from_static(NEWER_ERRORS));
    }
    if let Some(seconds) = error.retry_after() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    rendered
}
