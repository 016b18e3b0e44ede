//! Wants `wasi:sockets`, which the host does not offer: it must not load.

use std::{io::Read, net::TcpStream};

use wstd::http::{Body, Error, Request, Response};

#[wstd::http_server]
async fn main(_request: Request<Body>) -> Result<Response<Body>, Error> {
    let mut byte = [0];
    TcpStream::connect("127.0.0.1:5432")?.read_exact(&mut byte)?;
    Ok(Response::new("connected".into()))
}
