//! Greets whom the body names.

use serde_json::json;
use wstd::http::{Body, Error, Request, Response, StatusCode};

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    shared::serve(request, async |request| {
        Ok(match shared::body(request).await? {
            Ok(body) => {
                let name = body["name"].as_str().filter(|name| !name.is_empty()).unwrap_or("World");
                let greeting = json!({"message": format!("Hello {name}!"), "timestamp": shared::timestamp()});
                shared::json_of(StatusCode::OK, &greeting)
            }
            Err(error) => shared::refused(&error),
        })
    })
    .await
}
