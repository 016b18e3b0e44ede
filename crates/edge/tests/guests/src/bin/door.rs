//! What the SDK's door makes of calls and answers. The last path segment chooses.

use banyan_sdk::guest::{Answer, Call};
use futures_lite::stream;
use futures_util::future::Either;
use http::{HeaderValue, Response, StatusCode, header::TRANSFER_ENCODING};
use wstd::http::{Body, Error};

/// More than the host takes in one go.
const LARGE: usize = 3 << 20;
/// Most bytes of a body that are read.
const LIMIT: usize = 100_000;

banyan_sdk::http_function!(door);

async fn door(call: Call) -> Result<impl Answer, Error> {
    let path = call.path();
    let whole = match path.rsplit('/').next().unwrap_or_default() {
        "echo" => {
            let incoming = call.receive(LIMIT).await?;
            let told = incoming.headers.get_all("x-told").iter().map(HeaderValue::len).sum::<usize>();
            let length = incoming.body.map_or("too large".to_owned(), |body| body.len().to_string());
            Response::new(format!("{} {told} {length}", incoming.method).into_bytes())
        }
        "large" => Response::new(vec![b'x'; LARGE]),
        "empty" => Response::builder().status(StatusCode::NO_CONTENT).body(Vec::new())?,
        "forbidden" => Response::builder().header(TRANSFER_ENCODING, "chunked").body(Vec::new())?,
        "streamed" => {
            let pieces = Body::from_stream(stream::iter(["one ", "two"]));
            return Ok(Either::Right(Response::new(pieces)));
        }
        "through" => return Ok(Either::Right(Response::new(call.into_request()?.into_body()))),
        _ => return Err(Error::msg("on purpose")),
    };
    Ok(Either::Left(whole))
}

fn main() {}
