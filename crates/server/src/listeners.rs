//! What listens, and how it stops: no new connections, then a grace time for requests and upgraded
//! connections.

use std::{convert::Infallible, future::ready, pin::pin, sync::Arc, time::Duration};

use banyan_identity::Peer;
use banyan_web::Body;
use http::{Request, Response, header::X_CONTENT_TYPE_OPTIONS};
use hyper::{body::Incoming, ext::ReasonPhrase, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpStream, UnixStream},
    task::JoinHandle,
};
use tokio_util::{either::Either, sync::CancellationToken, task::TaskTracker};

use crate::{
    NOSNIFF,
    connections::Connections,
    lingering_close::{LIMITS, read_to_end},
    malformed,
    sockets::Socket,
    upgrades::{Upgradable, UpgradableStream},
    uri_escaping::Escaping,
};

/// Largest head of a request in bytes: the longest target that hyper reads, and two tokens of 16
/// KiB. A larger one is refused with 431.
const LARGEST_HEAD: usize = 96 << 10;
/// A client that sends no complete head in this time is closed.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// After the cut, upgraded connections have this long to end before the database closes.
const AFTER_CUT: Duration = Duration::from_secs(1);
/// Time before the next try to accept: out of file descriptors, say, but without spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The listeners of a process, and the tasks that end with them.
pub(crate) struct Listeners {
    stop: CancellationToken,
    drain: Duration,
    tasks: Vec<JoinHandle<()>>,
}

impl Listeners {
    /// At the stop, what runs has `drain` to end.
    pub(crate) fn new(drain: Duration) -> Self {
        Self { stop: CancellationToken::new(), drain, tasks: Vec::new() }
    }

    /// Cancelled when the stop begins.
    pub(crate) fn stopping(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Runs a task that ends by itself once the stop begins.
    pub(crate) fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.push(tokio::spawn(task));
    }

    /// Takes connections on a socket. `answer` is called for each request of each connection.
    pub(crate) fn listen<S, F>(
        &mut self,
        listening: (Socket, Connections),
        service: &Arc<S>,
        answer: fn(Arc<S>, Request<Body>, Peer) -> F,
    ) where
        S: Send + Sync + 'static,
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        self.spawn(serve(listening, Arc::clone(service), answer, self.stopping(), self.drain));
    }

    /// Stops in order: no new connections, then a grace time for what runs.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        for task in self.tasks {
            if tokio::time::timeout(self.drain + AFTER_CUT * 2, task).await.is_err() {
                tracing::warn!("a task did not stop in time");
            }
        }
    }
}

/// Takes connections until `stop`. Then what runs has `drain` to end; upgraded connections that are
/// left are cut.
async fn serve<S, F>(
    (socket, connections): (Socket, Connections),
    service: Arc<S>,
    answer: fn(Arc<S>, Request<Body>, Peer) -> F,
    stop: CancellationToken,
    drain: Duration,
) where
    S: Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let (running, upgraded, cut) = (TaskTracker::new(), TaskTracker::new(), CancellationToken::new());
    let builder = connection_builder();
    while let Some((stream, peer)) = next(&socket, &stop).await {
        let Some(permit) = connections.permit(&peer) else { continue };
        let upgradable = Upgradable::new(&upgraded, &cut);
        let (stream, parser) = Escaping::new(UpgradableStream::new(stream, upgradable.clone()));
        let (service, stopping) = (Arc::clone(&service), stop.clone());
        let respond = service_fn(move |mut request: Request<Incoming>| {
            parser.has_read(&request);
            upgradable.attach_to(&mut request);
            let malformed = malformed::refusal(&request);
            let request = read_to_end(request, LIMITS, &stopping);
            let answered = match malformed {
                Some(refusal) => Either::Left(ready(refusal.response())),
                None => Either::Right(answer(Arc::clone(&service), request, peer.clone())),
            };
            async move { Ok::<_, Infallible>(leaving(answered.await)) }
        });
        let connection = builder.serve_connection(TokioIo::new(stream), respond).with_upgrades();
        let stop = stop.clone();
        running.spawn(async move {
            let _permit = permit;
            let mut connection = pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = stop.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(error = %error, "a connection ended early");
            }
        });
    }
    drop(socket);
    running.close();
    upgraded.close();
    // The last request may upgrade its connection.
    let all = async {
        running.wait().await;
        upgraded.wait().await;
    };
    if tokio::time::timeout(drain, all).await.is_err() {
        tracing::warn!("requests were still running at the end of the grace time");
        cut.cancel();
        let _ = tokio::time::timeout(AFTER_CUT, upgraded.wait()).await;
    }
}

/// The next connection; none once `stop` is said.
async fn next(socket: &Socket, stop: &CancellationToken) -> Option<(Either<TcpStream, UnixStream>, Peer)> {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return None,
            accepted = socket.accept() => accepted,
        };
        match accepted {
            Ok(accepted) => return Some(accepted),
            Err(error) => {
                tracing::warn!(error = %error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// What every answer leaves with: `nosniff` (CONTRACT.md GW-NOSNIFF), and some words for a status
/// that HTTP has none for, such as 546 of functions.
fn leaving(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().entry(X_CONTENT_TYPE_OPTIONS).or_insert(NOSNIFF);
    if response.status().canonical_reason().is_none() {
        response.extensions_mut().insert(ReasonPhrase::from_static(b"Unassigned"));
    }
    response
}

/// HTTP/2 needs TLS with every client of ours, which ends before this listener; to tell the two
/// apart would mean waiting for bytes without a time limit.
fn connection_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_header_size(LARGEST_HEAD);
    // No larger than a head may be: many uploads at a time hold a buffer each.
    builder.max_buf_size(LARGEST_HEAD);
    builder
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        time::sleep,
    };

    use super::*;
    use crate::refusal::Refusal;

    async fn refuse(_: Arc<()>, _: Request<Body>, _: Peer) -> Response<Body> {
        Refusal::NoAccessToken.response()
    }

    /// All that a server says to these bytes, until it closes.
    async fn answer_to(sent: &[u8]) -> String {
        let (socket, address) = Socket::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a port");
        let listening = (socket, Connections::from_anywhere());
        tokio::spawn(serve(listening, Arc::new(()), refuse, CancellationToken::new(), Duration::ZERO));
        let mut stream = TcpStream::connect(address).await.expect("connected");
        stream.write_all(sent).await.expect("taken");
        let mut answer = Vec::new();
        // A server that closes with bytes unread resets the connection.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    // rows: GW-HEAD
    #[tokio::test]
    async fn a_head_beyond_its_bound_is_refused_with_431() {
        let head = |length: usize| {
            let rest = "host: x\r\nconnection: close\r\n";
            format!("GET / HTTP/1.1\r\n{rest}x: {}\r\n\r\n", "x".repeat(length))
        };
        let small = answer_to(head(LARGEST_HEAD - 100).as_bytes()).await;
        assert!(small.starts_with("HTTP/1.1 401"), "{small}");
        let large = answer_to(head(LARGEST_HEAD).as_bytes()).await;
        assert!(large.starts_with("HTTP/1.1 431"), "{large}");
    }

    // rows: GW-NOSNIFF
    #[test]
    fn every_answer_leaves_with_nosniff_whoever_made_it() {
        let bare = leaving(Response::new(banyan_web::full("{}")));
        assert_eq!(bare.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
    }

    // rows: GW-NOSNIFF
    #[tokio::test]
    async fn what_is_no_request_is_refused_without_a_body() {
        let large = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "x".repeat(LARGEST_HEAD));
        for sent in [
            "GET\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: +1\r\n\r\nx",
            &large,
        ] {
            let answer = answer_to(sent.as_bytes()).await;
            let (head, body) =
                answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{sent:.80}: {answer}"));
            assert!(
                head.starts_with("HTTP/1.1 4") && head.contains("content-length: 0"),
                "{sent:.80}: {answer}"
            );
            assert_eq!(body, "", "{sent:.80}");
        }
        let known = answer_to(b"GET / HTTP/1.1\r\nhost: a/b\r\nconnection: close\r\n\r\n").await;
        assert!(
            known.starts_with("HTTP/1.1 400") && known.contains("x-content-type-options: nosniff"),
            "{known}"
        );
    }

    // rows: GW-HTTP
    #[tokio::test]
    async fn a_request_that_two_readers_may_read_in_two_ways_is_refused() {
        for (headers, status) in [
            ("host: a\r\nhost: a", 400),
            ("host: a/b", 400),
            ("x: y", 400),
            ("host: a\r\ncontent-length: 1\r\ncontent-length: 2", 400),
            ("host: a\r\ncontent-length: 1, 2", 400),
            ("host: a\r\ntransfer-encoding: chunked, identity", 400),
            ("host: a\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked", 400),
            ("host: a\r\ntransfer-encoding: gzip, chunked", 501),
            ("host: a\r\ncontent-length: 0", 401),
        ] {
            let sent = format!("POST / HTTP/1.1\r\n{headers}\r\nconnection: close\r\n\r\n0\r\n\r\n");
            let answer = answer_to(sent.as_bytes()).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{headers}: {answer}");
        }
    }

    #[tokio::test]
    async fn nothing_is_read_behind_a_request_with_both_lengths() {
        let both = "host: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked";
        let sent =
            format!("POST / HTTP/1.1\r\n{both}\r\n\r\n0\r\n\r\nGET /inner HTTP/1.1\r\nhost: a\r\n\r\n");
        let answer = answer_to(sent.as_bytes()).await;
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
        assert!(answer.contains("connection: close"), "{answer}");
    }

    // rows: GW-DRAINED
    #[tokio::test]
    async fn a_client_that_is_refused_while_it_sends_keeps_its_connection() {
        let (socket, address) = Socket::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a port");
        let listening = (socket, Connections::from_anywhere());
        tokio::spawn(serve(listening, Arc::new(()), refuse, CancellationToken::new(), Duration::ZERO));
        let mut stream = TcpStream::connect(address).await.expect("connected");
        for _ in 0..2 {
            let head = b"POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 4000000\r\n\r\n";
            stream.write_all(head).await.expect("the head is taken");
            let mut answer = [0; 4096];
            let read = stream.read(&mut answer).await.expect("an answer");
            assert!(answer[..read].starts_with(b"HTTP/1.1 401"), "{}", String::from_utf8_lossy(&answer));
            for _ in 0..4 {
                sleep(Duration::from_millis(20)).await;
                stream.write_all(&[b'x'; 1_000_000]).await.expect("the body is taken");
            }
        }
    }
}
