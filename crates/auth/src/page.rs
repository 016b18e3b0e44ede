//! A page for a browser that has nowhere to go back to (auth.md C14).

use axum::response::{Html, IntoResponse, Response};
use http::{HeaderMap, HeaderValue, header};

use crate::error::AuthError;

/// Whether a person looks at the answer: a browser that navigates asks for HTML, a script for anything.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.split(',').any(|kind| kind.trim().split(';').next() == Some("text/html"))
}

/// Says an error, with its status and code. Nothing in the page runs or loads.
pub(crate) fn of(error: &AuthError) -> Response {
    error.log("");
    let wire = error.wire();
    let text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Sign-in is not possible</title>\n\
         <h1>Sign-in is not possible</h1>\n<p>{}</p>\n<p><small>{}</small></p>\n</html>\n",
        escaped(&wire.message),
        escaped(wire.code),
    );
    let mut response = (wire.status, Html(text)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    headers.insert("x-sb-error-code", HeaderValue::from_static(wire.code));
    response
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
