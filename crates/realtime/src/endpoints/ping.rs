//! `GET /api/ping` and `GET /healthcheck`: the service runs.

use banyan_web::{Body, empty, json_response};
use http::{Response, StatusCode};
use serde_json::json;

/// CONTRACT.md M1
pub(crate) fn ping() -> Response<Body> {
    json_response(StatusCode::OK, &json!({"message": "Success"}))
}

/// CONTRACT.md M2
pub(crate) fn healthcheck() -> Response<Body> {
    Response::new(empty())
}
