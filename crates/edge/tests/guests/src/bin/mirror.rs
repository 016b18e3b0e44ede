//! Answers with the request as the function saw it.

use serde_json::{Value, json};
use wstd::http::{Body, Error, Request, Response};

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    let (parts, mut body) = request.into_parts();
    let body = body.contents().await?.to_vec();
    let headers: Vec<Value> = parts
        .headers
        .iter()
        .map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())]))
        .collect();
    let seen = json!({
        "method": parts.method.as_str(),
        "path": parts.uri.path_and_query().map_or("", |path| path.as_str()),
        "authority": parts.uri.authority().map_or("", |authority| authority.as_str()),
        "headers": headers,
        "body": String::from_utf8_lossy(&body),
        "length": body.len(),
    });
    Ok(Response::builder().header("content-type", "application/json").body(seen.to_string().into())?)
}
