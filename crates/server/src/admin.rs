//! What the admin port answers: `/live`, `/ready`, `/metrics` (stack.md section 6, decisions P03).

use http::{HeaderValue, Method, Request, Response, StatusCode, header::CONTENT_TYPE};
use serde_json::json;

use crate::{Body, full, gateway::Gateway};

/// Answers the admin port; it listens on loopback only.
pub(crate) async fn answer<B>(gateway: &Gateway, request: &Request<B>) -> Response<Body> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return status(StatusCode::METHOD_NOT_ALLOWED);
    }
    match request.uri().path() {
        "/live" | "/health" => status(StatusCode::OK),
        "/ready" => ready(gateway).await,
        "/metrics" => {
            let mut response = Response::new(full(gateway.metrics().render()));
            let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
            response.headers_mut().insert(CONTENT_TYPE, kind);
            response
        }
        _ => status(StatusCode::NOT_FOUND),
    }
}

/// 200 once every part answers, else 503; the body names the parts.
pub(crate) async fn ready(gateway: &Gateway) -> Response<Body> {
    let parts = gateway.ready().await;
    let all = parts.iter().all(|(_, ready)| *ready);
    let body =
        json!({"ready": all, "parts": parts.into_iter().collect::<std::collections::BTreeMap<_, _>>()});
    let mut response = Response::new(full(body.to_string()));
    if !all {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(full(""));
    *response.status_mut() = status;
    response
}
