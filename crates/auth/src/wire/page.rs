//! Pages for a browser that has nowhere to go back to (CONTRACT.md C14), or for a decision of a
//! person. They run and load nothing, and no site may frame them.

use axum::response::{Html, IntoResponse, Response};
use banyan_web::escape_html;
use http::{HeaderMap, HeaderValue, header};

use crate::wire::error::AuthError;

/// Whether a person sees the answer: a browser that navigates asks for HTML, a script for anything.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.split(',').any(|kind| kind.trim().split(';').next() == Some("text/html"))
}

/// A page about an error, with its status and code.
pub(crate) fn of(error: &AuthError) -> Response {
    error.log("");
    let wire = error.wire();
    let body =
        format!("<p>{}</p>\n<p><small>{}</small></p>", escape_html(&wire.message), escape_html(wire.code));
    let text = frame("Sign-in is not possible", &body);
    let mut response = (wire.status, Html(text)).into_response();
    guard(&mut response, "");
    response.headers_mut().insert("x-sb-error-code", HeaderValue::from_static(wire.code));
    response
}

/// A page with a title and a body of HTML.
pub(crate) fn frame(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<h1>{title}</h1>\n{body}\n\
         </html>\n"
    )
}

/// Sets the headers of a page: it runs, loads and frames nothing, no cache keeps it, and no site
/// learns its address. `more` adds to the policy.
pub(crate) fn guard(response: &mut Response, more: &str) {
    let policy = format!("default-src 'none'; base-uri 'none'; frame-ancestors 'none'{more}");
    // A target that does not fit a header leads nowhere from here.
    let policy = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
