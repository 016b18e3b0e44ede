//! Fails as the query asks: `?error=not-found`.

use serde_json::json;
use wstd::http::{Body, Error, Request, Response, StatusCode};

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    shared::serve(request, async |request| {
        let (status, error) = match request.uri().query().and_then(|query| query.strip_prefix("error=")) {
            Some("bad-request") => (StatusCode::BAD_REQUEST, "Bad request"),
            Some("unauthorized") => (StatusCode::UNAUTHORIZED, "Unauthorized"),
            Some("not-found") => (StatusCode::NOT_FOUND, "Not found"),
            Some("server-error") => (StatusCode::INTERNAL_SERVER_ERROR, "Internal server error"),
            _ => {
                let told = json!({"success": true, "message": "No error requested"});
                return Ok(shared::json_of(StatusCode::OK, &told));
            }
        };
        Ok(shared::json_of(status, &json!({"error": error, "code": status.as_u16()})))
    })
    .await
}
