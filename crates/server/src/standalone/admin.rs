//! What the admin listener answers (rest/CONTRACT.md Z02 to Z06): nothing of the configuration
//! (V07).

use std::sync::Arc;

use arc_swap::ArcSwap;
use banyan_identity::{Peer, Verifier};
use banyan_web::{Body, full};
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};

use super::metrics::Metrics;
use crate::sockets::Reachable;

/// What the admin listener works with.
pub(super) struct Admin {
    pub(super) rest: Arc<banyan_rest::State>,
    /// Where the API listens.
    pub(super) api: Reachable,
    pub(super) metrics: Arc<Metrics>,
    pub(super) verifier: Arc<ArcSwap<Verifier>>,
}

/// Answers one request.
pub(super) async fn answer(admin: Arc<Admin>, request: Request<Body>, _peer: Peer) -> Response<Body> {
    match request.uri().path() {
        "/live" => empty(if admin.api.is_reached().await {
            StatusCode::OK
        } else {
            StatusCode::INTERNAL_SERVER_ERROR
        }),
        "/ready" => empty(readiness(&admin).await),
        "/metrics" => text("text/plain; charset=utf-8", metrics(&admin)),
        "/schema_cache" => match admin.rest.known_schema() {
            Some(schema) => text("application/json; charset=utf-8", schema.to_string()),
            None => empty(StatusCode::OK),
        },
        _ => empty(StatusCode::NOT_FOUND),
    }
}

/// 503 while schema or connection is pending, 500 when the API's socket is gone.
async fn readiness(admin: &Admin) -> StatusCode {
    if !admin.rest.is_ready() {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    if admin.api.is_reached().await { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR }
}

/// The text that Prometheus reads (rest/CONTRACT.md Z04).
fn metrics(admin: &Admin) -> String {
    let (pool, lookups) = (admin.rest.database().status(), admin.verifier.load().lookups());
    admin.metrics.render(pool, admin.rest.load_statistics(), lookups)
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(full(""));
    *response.status_mut() = status;
    response
}

fn text(kind: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(full(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
