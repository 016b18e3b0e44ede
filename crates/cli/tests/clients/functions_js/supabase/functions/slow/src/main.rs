//! Takes three seconds, for time-outs and aborts of the client.

use wstd::{
    http::{Body, Error, Request, Response},
    time::Duration,
};

#[wstd::http_server]
async fn main(_request: Request<Body>) -> Result<Response<Body>, Error> {
    wstd::task::sleep(Duration::from_secs(3)).await;
    Ok(Response::builder().header("content-type", "text/plain;charset=UTF-8").body("Slow Response".into())?)
}
