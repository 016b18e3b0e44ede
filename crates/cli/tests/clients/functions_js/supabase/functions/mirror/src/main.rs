//! Answers with what reached it. The header `response-type` says how the body is to be read:
//! `json`, `form`, else text.

use serde_json::{Value, json};
use wstd::http::{Body, Error, HeaderMap, Request, Response};

/// The origin that the suite expects in `url`.
const ORIGIN: &str = "http://localhost:8000";

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    let (head, mut body) = request.into_parts();
    let sent = body.contents().await?;
    let body = match header(&head.headers, "response-type") {
        "json" => serde_json::from_slice(sent)?,
        "form" => form(sent, header(&head.headers, "content-type")),
        _ => String::from_utf8_lossy(sent).into(),
    };
    let headers = head.headers.iter();
    let seen = json!({
        "url": format!("{ORIGIN}{}", head.uri.path_and_query().map_or("/", |path| path.as_str())),
        "method": head.method.as_str(),
        "headers": headers.map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())])).collect::<Vec<_>>(),
        "body": body,
    });
    Ok(Response::builder().header("content-type", "application/json").body(seen.to_string().into())?)
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Name and value of each text field of a multipart form.
fn form(body: &[u8], kind: &str) -> Value {
    let body = String::from_utf8_lossy(body);
    let Some((_, boundary)) = kind.split_once("boundary=") else { return json!([]) };
    let boundary = format!("--{boundary}");
    let parts = body.split(&boundary).skip(1);
    let field = |part: &str| {
        let (head, value) = part.split_once("\r\n\r\n")?;
        let name = head.split_once("name=\"")?.1.split('"').next()?;
        Some(json!([name, value.strip_suffix("\r\n").unwrap_or(value)]))
    };
    parts.filter_map(field).collect()
}
