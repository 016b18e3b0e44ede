//! What the bench measures besides `hello`. The last path segment chooses.

use futures_lite::stream;
use serde_json::Value;
use wstd::http::{Body, Client, Error, Request, Response};

/// Bytes of one chunk of the long answer, and how many there are.
const CHUNK: usize = 64 << 10;
const CHUNKS: usize = 160;

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    match request.uri().path().rsplit('/').next().unwrap_or_default() {
        "json" => {
            let mut body = request.into_body();
            let value: Value = serde_json::from_slice(body.contents().await?)?;
            let answer = Response::builder().header("content-type", "application/json");
            Ok(answer.body(value.to_string().into())?)
        }
        "fetch" => {
            let outgoing = Request::get(std::env::var("TARGET")?).body(Body::empty())?;
            Ok(Client::new().send(outgoing).await?)
        }
        _ => Ok(Response::new(Body::from_stream(stream::iter((0..CHUNKS).map(|_| vec![b'x'; CHUNK]))))),
    }
}
