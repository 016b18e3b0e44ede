//! What the SDK's door makes of calls and answers. The last path segment chooses; a query is an
//! address that is called by work beside the answer.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use banyan_sdk::guest::{Answer, Call};
use futures_lite::stream;
use futures_util::future::Either;
use http::{
    HeaderValue, Response, StatusCode,
    header::{CONTENT_LENGTH, SET_COOKIE, TRANSFER_ENCODING},
};
use wstd::http::{Body, Client, Error};

/// More than the host takes in one go.
const LARGE: usize = 3 << 20;
/// Most bytes of a body that are read.
const LIMIT: usize = 100_000;

/// Calls that this instance has answered.
static CALLS: AtomicU32 = AtomicU32::new(0);

banyan_sdk::http_function!(door);

async fn door(call: Call) -> Result<impl Answer, Error> {
    let path = call.path();
    let (path, target) = path.split_once('?').unwrap_or((&path, ""));
    if !target.is_empty() {
        later(target.to_owned());
    }
    let whole = match path.rsplit('/').next().unwrap_or_default() {
        "calls" => Response::new((CALLS.fetch_add(1, Relaxed) + 1).to_string().into_bytes()),
        "echo" => {
            let incoming = call.receive(LIMIT).await?;
            let told = incoming.headers.get_all("x-told").iter().map(HeaderValue::len).sum::<usize>();
            let length = incoming.body.map_or("too large".to_owned(), |body| body.len().to_string());
            Response::new(format!("{} {told} {length}", incoming.method).into_bytes())
        }
        "large" => Response::new(vec![b'x'; LARGE]),
        "empty" => Response::builder().status(StatusCode::NO_CONTENT).body(Vec::new())?,
        "no-content" => Response::builder().status(StatusCode::NO_CONTENT).body(b"bytes".to_vec())?,
        "long" => Response::builder().header(CONTENT_LENGTH, 10).body(b"bytes".to_vec())?,
        "short" => Response::builder().header(CONTENT_LENGTH, 2).body(b"bytes".to_vec())?,
        "head" => Response::builder().header(CONTENT_LENGTH, 10).body(Vec::new())?,
        "cookies" => Response::builder()
            .header(SET_COOKIE, "a=1")
            .header(SET_COOKIE, "b=2")
            .header("x-name", HeaderValue::from_bytes("Zoë".as_bytes())?)
            .body(Vec::new())?,
        "breaks-off" => {
            let pieces = stream::unfold(0, |sent| async move {
                if sent == 1 {
                    wstd::task::sleep(wstd::time::Duration::from_millis(100)).await;
                    return Some((Err(std::io::Error::other("no more of it")), 2));
                }
                (sent == 0).then_some((Ok("one "), 1))
            });
            return Ok(Either::Right(Response::new(Body::from_try_stream(pieces))));
        }
        "forbidden" => Response::builder().header(TRANSFER_ENCODING, "chunked").body(Vec::new())?,
        "endless" => {
            let pieces = Body::from_stream(stream::repeat(vec![b'x'; LARGE]));
            return Ok(Either::Right(Response::new(pieces)));
        }
        "streamed" => {
            let pieces = Body::from_stream(stream::iter(["one ", "two"]));
            return Ok(Either::Right(Response::new(pieces)));
        }
        "through" => return Ok(Either::Right(Response::new(call.into_request()?.into_body()))),
        _ => return Err(Error::msg("on purpose")),
    };
    Ok(Either::Left(whole))
}

/// Work that goes on beside the answer and calls at its end.
fn later(target: String) {
    let work = async move {
        wstd::task::sleep(wstd::time::Duration::from_millis(300)).await;
        let request = http::Request::get(target).body(Body::empty()).expect("the test gives a target");
        let _ = Client::new().send(request).await;
    };
    wstd::runtime::spawn(work).detach();
}

fn main() {}
