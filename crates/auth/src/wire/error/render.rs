//! The forms of errors on the wire (CONTRACT.md E1 to E6).

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, header};
use serde_json::{Value, json};

use super::{AuthError, PasswordError, Wire};

/// An error on its way to [`render`], which knows the form that the client wants.
#[derive(Clone)]
struct UnrenderedError(Arc<AuthError>);

impl IntoResponse for AuthError {
    fn into_response(self) -> Response {
        let mut response = self.wire().status.into_response();
        response.extensions_mut().insert(UnrenderedError(Arc::new(self)));
        response
    }
}

/// First date of the header `X-Supabase-Api-Version` from which errors have the newer form
/// (CONTRACT.md E1).
const NEWER_ERRORS: &str = "2024-01-01";

/// Whether the client asked for the newer form of errors.
pub(crate) fn wants_newer_errors(headers: &HeaderMap) -> bool {
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

/// Writes a pending error in the client's form: `{code, message}` or the older
/// `{code, error_code, msg}`.
pub(crate) fn render(mut response: Response, newer: bool, request_id: &str) -> Response {
    let Some(UnrenderedError(error)) = response.extensions_mut().remove::<UnrenderedError>() else {
        return response;
    };
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
    add_particulars(&mut body, &error, newer);
    if let AuthError::OAuth(error) = &*error {
        body = error.body();
    }
    let mut rendered = (status, body.to_string()).into_response();
    let headers = rendered.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-sb-error-code", HeaderValue::from_static(code));
    if newer {
        headers.insert("x-supabase-api-version", HeaderValue::from_static(NEWER_ERRORS));
    }
    if let AuthError::RefreshTokenAlreadyUsed = &*error {
        headers.insert("sb-auth-refresh-token-rotated", HeaderValue::from_static("true"));
    }
    if let Some(seconds) = error.retry_after() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        if let AuthError::RequestLimit { limit, .. } = &*error {
            headers.insert("ratelimit-limit", HeaderValue::from(*limit));
            headers.insert("ratelimit-remaining", HeaderValue::from(0));
            headers.insert("ratelimit-reset", HeaderValue::from(seconds));
        }
    }
    rendered
}

/// What some errors say besides: the reasons against a password (CONTRACT.md E3), the words of the
/// project's SQL (E5).
fn add_particulars(body: &mut Value, error: &AuthError, newer: bool) {
    if let AuthError::Password(PasswordError::Weak(weakness)) = error {
        body["weak_password"] = json!({"reasons": weakness.reasons});
    }
    if let AuthError::Refused(refusal) = error
        && refusal.is_shown()
    {
        if !newer {
            body["code"] = json!(refusal.sqlstate);
            body["message"] = json!(refusal.message);
        }
        body["hint"] = json!(refusal.hint);
        body["detail"] = json!(refusal.detail);
    }
}
