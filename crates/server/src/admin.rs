//! What the admin port answers: `/live`, `/ready`, `/metrics` (stack.md section 6, decisions P03).

use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{CONTENT_TYPE, HOST},
};
use serde_json::json;

use crate::{Body, full, gateway::Gateway};

/// Answers the admin port; it listens on loopback only.
pub(crate) async fn answer<B>(gateway: &Gateway, request: &Request<B>) -> Response<Body> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return status(StatusCode::METHOD_NOT_ALLOWED);
    }
    if !is_of_this_machine(request.headers()) {
        return status(StatusCode::MISDIRECTED_REQUEST);
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

/// Whether `Host` names this machine: a page that rebinds its own name to loopback must not read what is here.
fn is_of_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else { return true };
    let host = host.to_str().unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| !port.contains(']')).map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for (host, answered) in [
            ("127.0.0.1:54328", true),
            ("localhost", true),
            ("[::1]:54328", true),
            ("evil.example", false),
            ("127.0.0.1.evil.example:80", false),
        ] {
            let headers = [(HOST, HeaderValue::from_static(host))].into_iter().collect();
            assert_eq!(is_of_this_machine(&headers), answered, "{host}");
        }
    }
}
