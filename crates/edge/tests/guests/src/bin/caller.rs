//! Calls the address in its variable `TARGET` with its own token, and answers with what it heard.

use serde_json::json;
use wstd::http::{Body, Client, Error, Request, Response};

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    let token = request.headers().get("authorization").cloned();
    let mut outgoing = Request::post(std::env::var("TARGET")?).body(Body::empty())?;
    if let Some(token) = token {
        outgoing.headers_mut().insert("authorization", token);
    }
    let mut heard = Client::new().send(outgoing).await?;
    let status = heard.status().as_u16();
    let body = heard.body_mut().str_contents().await?;
    Ok(Response::new(json!({"status": status, "body": body}).to_string().into()))
}
