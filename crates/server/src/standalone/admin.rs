//! What the admin listener answers (rest/CONTRACT.md Z02 to Z06): nothing of the configuration
//! (V07).

use std::sync::Arc;

use banyan_identity::Peer;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};

use super::service::Service;
use crate::{Body, full};

/// Answers one request.
pub(super) async fn answer(service: Arc<Service>, request: Request<Body>, _peer: Peer) -> Response<Body> {
    match request.uri().path() {
        "/live" => {
            empty(if service.is_live().await { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR })
        }
        "/ready" => empty(readiness(&service).await),
        "/metrics" => text("text/plain; charset=utf-8", service.metrics()),
        "/schema_cache" => match service.rest().known_schema() {
            Some(schema) => text("application/json; charset=utf-8", schema.to_string()),
            None => empty(StatusCode::OK),
        },
        _ => empty(StatusCode::NOT_FOUND),
    }
}

/// 503 while schema or connection is pending, 500 when the API's socket is gone.
async fn readiness(service: &Service) -> StatusCode {
    if !service.rest().is_ready() {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    if service.is_live().await { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR }
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
