//! Lingering close: the rest of a request body that its handler does not read is read and
//! discarded.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use banyan_web::{Body, BoxError};
use bytes::Bytes;
use http::{
    HeaderMap, Request,
    header::{EXPECT, HeaderValue},
};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::{
    runtime::Handle,
    time::{Instant, timeout, timeout_at},
};

use tokio_util::sync::CancellationToken;

/// How long an unwanted body is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Between two pieces of the body.
    pub(crate) pause: Duration,
    /// In all.
    pub(crate) longest: Duration,
    /// Bytes in all.
    pub(crate) most: usize,
}

/// Enough for the half megabyte of a photograph on a slow mobile line, and for a large document on
/// a fast one.
pub(crate) const LIMITS: Limits =
    Limits { pause: Duration::from_secs(30), longest: Duration::from_secs(60), most: 64 << 20 };

/// The request. Body bytes that no handler reads are discarded as they arrive. A client that is
/// answered early, because its token has expired or its body is too large, still writes: without
/// this it would see a reset connection in place of the answer. From `stop` on nothing more is
/// read.
pub(crate) fn read_to_end(
    request: Request<Incoming>,
    limits: Limits,
    stop: &CancellationToken,
) -> Request<Body> {
    // Most have no body, and so nothing that could be left.
    if request.body().is_end_stream() {
        return request.map(|body| body.map_err(Into::into).boxed_unsync());
    }
    let awaits_continue = awaits_continue(request.headers());
    let stop = stop.clone();
    request.map(|body| LingeringBody { body: Some(body), awaits_continue, limits, stop }.boxed_unsync())
}

/// Whether the client sends its body only after `100 Continue`.
fn awaits_continue(headers: &HeaderMap) -> bool {
    headers.get(EXPECT).map(HeaderValue::as_bytes).is_some_and(|it| it.eq_ignore_ascii_case(b"100-continue"))
}

struct LingeringBody {
    /// None once its end was read.
    body: Option<Incoming>,
    /// Reading from the body makes hyper send `100 Continue`.
    awaits_continue: bool,
    limits: Limits,
    stop: CancellationToken,
}

impl Drop for LingeringBody {
    fn drop(&mut self) {
        let unread = self.body.take().filter(|body| !self.awaits_continue && !body.is_end_stream());
        if let (Some(body), Ok(runtime)) = (unread, Handle::try_current()) {
            let stopped = self.stop.clone().cancelled_owned();
            let read = discard(body, self.limits);
            runtime.spawn(async move {
                tokio::select! {
                    () = stopped => {}
                    () = read => {}
                }
            });
        }
    }
}

/// Reads a body to its end, or until its client is too slow or has sent too much.
async fn discard(mut body: Incoming, limits: Limits) {
    let read = async {
        let mut bytes = 0;
        while let Ok(Some(Ok(frame))) = timeout(limits.pause, body.frame()).await {
            bytes += frame.data_ref().map_or(0, Bytes::len);
            if bytes > limits.most {
                break;
            }
        }
    };
    // What does not end in this time ends with its connection.
    let _ = timeout_at(Instant::now() + limits.longest, read).await;
}

impl HttpBody for LingeringBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.awaits_continue = false;
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

#[cfg(test)]
mod tests {
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::{TcpListener, TcpStream},
        time::sleep,
    };

    use super::*;
    use crate::refusal::Refusal;

    const SHORT: Limits =
        Limits { pause: Duration::from_millis(300), longest: Duration::from_millis(1200), most: 1 << 20 };

    /// A connection to a server that refuses whoever asks, and reads nothing of a body.
    async fn refused(limits: Limits) -> TcpStream {
        refused_until(limits, CancellationToken::new()).await
    }

    /// The same on a server that stops.
    async fn refused_until(limits: Limits, stop: CancellationToken) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let stream = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("connected");
        let (served, _) = listener.accept().await.expect("taken");
        let service = service_fn(move |request: Request<Incoming>| {
            drop(read_to_end(request, limits, &stop));
            std::future::ready(Ok::<_, std::convert::Infallible>(Refusal::NoAccessToken.response()))
        });
        tokio::spawn(async move {
            // How a connection ends is what the tests look at.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(served), service)
                .await;
        });
        stream
    }

    async fn answer(stream: &mut TcpStream) -> String {
        let mut text = vec![0; 4096];
        let read = timeout(Duration::from_secs(10), stream.read(&mut text)).await;
        let read = read.expect("an answer in time").expect("an answer");
        String::from_utf8_lossy(&text[..read]).into_owned()
    }

    fn post(headers: &str) -> String {
        format!("POST /x HTTP/1.1\r\nhost: x\r\n{headers}\r\n\r\n")
    }

    /// How long the connection is held for a client that sends a byte at a time.
    async fn held_for(between: Duration) -> Duration {
        let mut stream = refused(SHORT).await;
        // Before the server can have read the head, from when on it counts.
        let began = Instant::now();
        stream.write_all(post("content-length: 4000000").as_bytes()).await.expect("the head is taken");
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 401"));
        while stream.write_all(b"x").await.is_ok() && began.elapsed() < Duration::from_secs(10) {
            sleep(between).await;
        }
        began.elapsed()
    }

    // rows: GW-DRAINED
    #[tokio::test]
    async fn a_client_that_sends_byte_by_byte_is_read_for_a_while_and_no_longer() {
        let held = held_for(SHORT.pause / 6).await;
        assert!((SHORT.longest..SHORT.longest * 4).contains(&held), "{held:?}");
    }

    #[tokio::test]
    async fn a_client_that_sends_nothing_more_is_read_no_longer_than_a_pause() {
        let mut stream = refused(SHORT).await;
        stream.write_all(post("content-length: 4000000").as_bytes()).await.expect("the head is taken");
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 401"));
        let began = Instant::now();
        assert_eq!(answer(&mut stream).await, "", "closed after a pause");
        assert!(began.elapsed() < SHORT.longest, "{:?}", began.elapsed());
    }

    /// Whether the server closes while a client that has got its answer goes on sending.
    async fn is_closed(stream: &mut TcpStream, piece: &[u8], between: Duration, most: Duration) -> bool {
        let began = Instant::now();
        while stream.write_all(piece).await.is_ok() {
            if began.elapsed() > most {
                return false;
            }
            sleep(between).await;
        }
        true
    }

    #[tokio::test]
    async fn a_client_that_sends_very_much_is_read_to_a_bound() {
        let mut stream = refused(Limits { most: 1 << 20, ..LIMITS }).await;
        stream.write_all(post("content-length: 1000000000000").as_bytes()).await.expect("the head is taken");
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 401"));
        let pause = Duration::from_millis(1);
        assert!(is_closed(&mut stream, &[0; 64 << 10], pause, Duration::from_secs(20)).await);
    }

    #[tokio::test]
    async fn a_server_that_stops_reads_no_body_on() {
        let stop = CancellationToken::new();
        let mut stream = refused_until(LIMITS, stop.clone()).await;
        stream.write_all(post("content-length: 4000000").as_bytes()).await.expect("the head is taken");
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 401"));
        let pause = Duration::from_millis(20);
        assert!(!is_closed(&mut stream, b"x", pause, Duration::from_millis(300)).await);
        stop.cancel();
        assert!(is_closed(&mut stream, b"x", pause, Duration::from_secs(10)).await);
    }

    #[tokio::test]
    async fn a_client_that_waits_for_100_continue_is_not_asked_for_an_unwanted_body() {
        let mut stream = refused(LIMITS).await;
        let head = post("content-length: 4000000\r\nexpect: 100-continue");
        stream.write_all(head.as_bytes()).await.expect("the head is taken");
        let mut all = String::new();
        let read = timeout(Duration::from_secs(10), stream.read_to_string(&mut all)).await;
        read.expect("closed in time").expect("an answer");
        assert!(all.starts_with("HTTP/1.1 401") && !all.contains("100 Continue"), "{all}");
    }
}
