//! What the functions of this project have in common: JSON both ways, CORS on every answer, and the
//! time.

use std::time::SystemTime;

use serde_json::{Value, json};
use wstd::http::{Body, Error, Method, Request, Response, StatusCode};

/// The headers of `@supabase/supabase-js/cors`.
const CORS: [(&str, &str); 3] = [
    ("access-control-allow-origin", "*"),
    ("access-control-allow-headers", "authorization, x-client-info, apikey, content-type, x-retry-count"),
    ("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS"),
];

/// Answers a preflight here, and anything else with what `answer` makes of it.
pub async fn serve(
    request: Request<Body>,
    answer: impl AsyncFnOnce(Request<Body>) -> Result<Response<Body>, Error>,
) -> Result<Response<Body>, Error> {
    let mut response = match request.method() {
        &Method::OPTIONS => empty(StatusCode::NO_CONTENT),
        _ => answer(request).await?,
    };
    for (name, value) in CORS {
        response.headers_mut().insert(name, value.parse()?);
    }
    Ok(response)
}

/// An answer without a body.
pub fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// An answer in JSON.
pub fn json_of(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(value.to_string().into());
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", "application/json".parse().expect("a header's value"));
    response
}

/// The answer to a body that is no JSON: 400 with what is wrong with it.
pub fn refused(error: &serde_json::Error) -> Response<Body> {
    json_of(StatusCode::BAD_REQUEST, &json!({"error": error.to_string()}))
}

/// The request's body as JSON.
pub async fn body(request: Request<Body>) -> Result<serde_json::Result<Value>, Error> {
    let mut body = request.into_body();
    Ok(serde_json::from_slice(body.contents().await?))
}

/// This moment, such as `2026-01-31T08:15:30.250Z`.
pub fn timestamp() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}
