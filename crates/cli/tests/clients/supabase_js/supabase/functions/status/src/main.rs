//! Says that all is well.

use std::time::SystemTime;

use serde_json::json;
use wstd::http::{Body, Error, Request, Response, StatusCode};

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    shared::serve(request, async |_| {
        let status = json!({
            "status": "ok",
            "timestamp": shared::timestamp(),
            "environment": std::env::var("ENVIRONMENT").unwrap_or_else(|_| "development".to_owned()),
            "version": "1.0.0",
            "uptime": SystemTime::UNIX_EPOCH.elapsed()?.as_secs(),
        });
        Ok(shared::json_of(StatusCode::OK, &status))
    })
    .await
}
