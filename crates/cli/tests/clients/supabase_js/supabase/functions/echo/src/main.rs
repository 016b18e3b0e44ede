//! Sends the body back, with how it was asked.

use serde_json::json;
use wstd::http::{Body, Error, Request, Response, StatusCode};

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    shared::serve(request, async |request| {
        let (method, url) = (request.method().to_string(), request.uri().to_string());
        Ok(match shared::body(request).await? {
            Ok(body) => {
                let told =
                    json!({"echo": body, "method": method, "url": url, "timestamp": shared::timestamp()});
                shared::json_of(StatusCode::OK, &told)
            }
            Err(error) => shared::refused(&error),
        })
    })
    .await
}
