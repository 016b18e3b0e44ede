//! What the admin port answers: `/live`, `/ready`, `/metrics` (CONTRACT.md GW-ADMIN), and to who
//! has the access token `/v1/projects/...`, by which functions are deployed (edge/CONTRACT.md G09).

use std::sync::Arc;

use banyan_identity::{Clock, Peer};
use banyan_web::{Body, full};
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use crate::{
    loopback_host::is_asked_for, metrics::Metrics, readiness::Readiness, refusal::Refusal,
    wrong_access_tokens::WrongAccessTokens,
};

/// What the admin port works with.
pub(crate) struct Admin {
    pub(crate) readiness: Readiness,
    /// What management commands are for. None where functions are switched off.
    pub(crate) edge: Option<Arc<banyan_edge::State>>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: Clock,
    /// What management commands present; an empty one opens nothing.
    pub(crate) access_token: SecretString,
    pub(crate) wrong_access_tokens: WrongAccessTokens,
    /// Whether only names of this machine are answered, whoever asks.
    pub(crate) loopback_only: bool,
}

/// Answers the admin port; it listens on loopback only.
pub(crate) async fn answer(admin: Arc<Admin>, request: Request<Body>, _peer: Peer) -> Response<Body> {
    if request.uri().path().starts_with("/v1/projects/") {
        return manage(&admin, request).await;
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return status(StatusCode::METHOD_NOT_ALLOWED);
    }
    if !is_asked_for(request.headers()) || was_passed_on(request.headers()) {
        return status(StatusCode::MISDIRECTED_REQUEST);
    }
    match request.uri().path() {
        "/live" | "/health" => status(StatusCode::OK),
        "/ready" => admin.readiness.of_stack().await,
        "/metrics" => {
            let mut response = Response::new(full(admin.metrics.render()));
            let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
            response.headers_mut().insert(CONTENT_TYPE, kind);
            response
        }
        _ => status(StatusCode::NOT_FOUND),
    }
}

/// Whether a public server stands before this one. What needs no token is then not for its clients,
/// whatever name it gives them.
fn was_passed_on(headers: &HeaderMap) -> bool {
    ["forwarded", "via", "x-forwarded-for", "x-forwarded-proto", "x-real-ip"]
        .iter()
        .any(|name| headers.contains_key(*name))
}

/// Passes a management command on to the functions. A page that rebinds its own name does not have
/// the token, so who has it may come by any name, as through a public server that passes it on;
/// with the demo keys nothing is public.
async fn manage(admin: &Admin, request: Request<Body>) -> Response<Body> {
    if admin.loopback_only && !is_asked_for(request.headers()) {
        return Refusal::ForeignHost.response();
    }
    if !presents(request.headers(), &admin.access_token) {
        admin.wrong_access_tokens.note(request.headers());
        return Refusal::NoAccessToken.response();
    }
    match &admin.edge {
        Some(edge) => banyan_edge::management::handle(edge, request, admin.clock.now()).await,
        None => Refusal::FunctionsOff.response(),
    }
}

/// Whether the request carries the access token; the comparison takes equal time.
fn presents(headers: &HeaderMap, token: &SecretString) -> bool {
    let presented = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    let wanted = format!("Bearer {}", token.expose_secret());
    !token.expose_secret().is_empty() && bool::from(presented.ct_eq(wanted.as_bytes()))
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(full(""));
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: GW-ADMIN
    #[test]
    fn what_needs_no_token_is_not_answered_through_a_public_server() {
        let headers = |name: &'static str| [(name.parse().unwrap(), HeaderValue::from_static("x"))];
        for name in ["forwarded", "via", "x-forwarded-for", "x-real-ip"] {
            assert!(was_passed_on(&headers(name).into_iter().collect()), "{name}");
        }
        assert!(!was_passed_on(&headers("host").into_iter().collect()));
    }

    // rows: edge/G09
    #[test]
    fn only_the_whole_access_token_opens_the_management_api() {
        let token = SecretString::from("sbp_0123");
        let headers =
            |value: &'static str| [(AUTHORIZATION, HeaderValue::from_static(value))].into_iter().collect();
        assert!(presents(&headers("Bearer sbp_0123"), &token));
        for wrong in ["", "Bearer ", "Bearer sbp_012", "Bearer sbp_01234", "sbp_0123", "Basic sbp_0123"] {
            assert!(!presents(&headers(wrong), &token), "{wrong}");
        }
        assert!(!presents(&HeaderMap::new(), &token));
        assert!(!presents(&headers("Bearer "), &SecretString::from("")), "no token opens nothing");
    }
}
