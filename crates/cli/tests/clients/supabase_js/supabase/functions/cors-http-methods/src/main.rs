//! Takes every method, with a body or without.

use serde_json::json;
use wstd::http::{Body, Error, Method, Request, Response, StatusCode};

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    shared::serve(request, async |request| {
        let method = request.method().clone();
        if method == Method::HEAD {
            return Ok(shared::empty(StatusCode::OK));
        }
        let body = shared::body(request).await?.unwrap_or_default();
        let told = json!({
            "success": true,
            "method": method.as_str(),
            "receivedBody": body,
            "timestamp": shared::timestamp(),
        });
        Ok(shared::json_of(StatusCode::OK, &told))
    })
    .await
}
