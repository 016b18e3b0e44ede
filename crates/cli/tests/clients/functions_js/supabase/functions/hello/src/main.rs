//! Says hello.

use wstd::http::{Body, Error, Request, Response};

#[wstd::http_server]
async fn main(_request: Request<Body>) -> Result<Response<Body>, Error> {
    Ok(Response::builder().header("content-type", "text/plain;charset=UTF-8").body("Hello World".into())?)
}
