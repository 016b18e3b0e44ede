//! Stands for a function that would take the connection over, which none can here.

use wstd::http::{Body, Error, Request, Response, StatusCode};

#[wstd::http_server]
async fn main(_request: Request<Body>) -> Result<Response<Body>, Error> {
    let refused = Response::builder().status(StatusCode::NOT_IMPLEMENTED);
    Ok(refused.body("a function cannot take a connection over".into())?)
}
