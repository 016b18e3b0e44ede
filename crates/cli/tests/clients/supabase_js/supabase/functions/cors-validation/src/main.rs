//! Tells a POST which headers reached it.

use serde_json::{Map, json};
use wstd::http::{Body, Error, Method, Request, Response, StatusCode};

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    shared::serve(request, async |request| {
        if request.method() != Method::POST {
            return Ok(shared::empty(StatusCode::METHOD_NOT_ALLOWED));
        }
        let headers = request.headers().iter();
        let headers: Map<_, _> = headers
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
            .collect();
        Ok(match shared::body(request).await? {
            Ok(body) => {
                let told = json!({
                    "receivedHeaders": headers,
                    "corsEnabled": true,
                    "message": "CORS validation successful",
                    "body": body,
                    "timestamp": shared::timestamp(),
                });
                shared::json_of(StatusCode::OK, &told)
            }
            Err(error) => shared::refused(&error),
        })
    })
    .await
}
