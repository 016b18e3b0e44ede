//! Sockets, TCP and Unix, and how they stop.

use std::{
    convert::Infallible,
    fmt::Display,
    future::{Future, ready},
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    os::unix::fs::{FileTypeExt, PermissionsExt},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use banyan_config::postgrest::Listener;
use banyan_identity::Peer;
use http::{Request, Response, header::X_CONTENT_TYPE_OPTIONS};
use hyper::{body::Incoming, ext::ReasonPhrase, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use socket2::SockRef;
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};
use tokio_util::{either::Either, sync::CancellationToken};

use crate::{
    Body, NOSNIFF, ServerError,
    connections::Connections,
    lingering_close::{LIMITS, read_to_end},
    malformed,
    uri_escaping::Escaping,
};

/// Connections that wait to be taken.
const BACKLOG: u32 = 1024;
/// Largest head of a request in bytes: the longest target that hyper reads, and two tokens of 16
/// KiB. A larger one is refused with 431.
const LARGEST_HEAD: usize = 96 << 10;
/// A client that sends no complete head in this time is closed.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// A client that takes nothing of an answer for so long is given up.
const LONGEST_STALL: Duration = Duration::from_secs(60);
/// Time before the next try to accept: out of file descriptors, say, but without spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A socket that listens.
pub(crate) enum Socket {
    Tcp(TcpListener, SocketAddr),
    /// Its file is removed at the end.
    Unix(UnixListener, PathBuf),
}

/// Where a socket is reached from this machine.
#[derive(Debug, Clone)]
pub(crate) enum Reachable {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl Reachable {
    /// Whether somebody takes connections there.
    pub(crate) async fn is_reached(&self) -> bool {
        let connected = async {
            match self {
                Self::Tcp(address) => TcpStream::connect(address).await.is_ok(),
                Self::Unix(path) => UnixStream::connect(path).await.is_ok(),
            }
        };
        tokio::time::timeout(Duration::from_secs(1), connected).await.unwrap_or(false)
    }
}

impl Socket {
    /// Opens the socket that the options ask for; a Unix socket wins over host and port.
    pub(crate) async fn open(listener: &Listener, reuse_port: bool) -> Result<Self, ServerError> {
        match &listener.socket {
            Some((path, mode)) => unix(path.clone(), *mode).map_err(|source| failed(path.display(), source)),
            None => {
                let place = listener.place();
                tcp(&listener.host, listener.port, reuse_port).await.map_err(|source| failed(place, source))
            }
        }
    }

    /// Opens `address`; says which port it got where 0 was asked for.
    pub(crate) fn bind(address: SocketAddr) -> Result<(Self, SocketAddr), ServerError> {
        let listening = listen(address, false).and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (bound, listener) = listening.map_err(|source| ServerError::Listen { address, source })?;
        Ok((Self::Tcp(listener, bound), bound))
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Tcp(_, address) => address.to_string(),
            Self::Unix(_, path) => path.display().to_string(),
        }
    }

    pub(crate) fn reachable(&self) -> Reachable {
        match self {
            Self::Unix(_, path) => Reachable::Unix(path.clone()),
            Self::Tcp(_, address) => {
                let ip = match address.ip() {
                    IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
                    IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
                    ip => ip,
                };
                Reachable::Tcp(SocketAddr::new(ip, address.port()))
            }
        }
    }

    async fn accept(&self) -> io::Result<(Either<TcpStream, UnixStream>, Peer)> {
        match self {
            Self::Tcp(listener, _) => {
                let (stream, peer) = listener.accept().await?;
                let _ = stream.set_nodelay(true);
                let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(LONGEST_STALL));
                Ok((Either::Left(stream), Peer::Tcp(peer)))
            }
            Self::Unix(listener, _) => Ok((Either::Right(listener.accept().await?.0), Peer::Unix)),
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            // Somebody may have removed it before.
            let _ = std::fs::remove_file(path);
        }
    }
}

fn failed(place: impl Display, source: io::Error) -> ServerError {
    let advice = match source.kind() {
        io::ErrorKind::AddrInUse => "; end what listens there, or choose another port",
        io::ErrorKind::PermissionDenied => "; choose a port above 1023, or a folder that may be written to",
        _ => "",
    };
    ServerError::Service {
        service: "the data API",
        message: format!("cannot listen on {place}: {source}{advice}"),
    }
}

/// A socket left behind by a process that is gone gives way; any other file stays.
fn unix(path: PathBuf, mode: u32) -> io::Result<Socket> {
    if std::fs::symlink_metadata(&path).is_ok_and(|it| it.file_type().is_socket()) {
        std::fs::remove_file(&path)?;
    }
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
    Ok(Socket::Unix(listener, path))
}

async fn tcp(host: &str, port: u16, reuse_port: bool) -> io::Result<Socket> {
    let any_v4 = SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
    let any_v6 = SocketAddr::from((Ipv6Addr::UNSPECIFIED, port));
    let candidates = match host {
        "!4" => vec![any_v4],
        "!6" => vec![any_v6],
        "*4" => vec![any_v4, any_v6],
        "*" | "*6" => vec![any_v6, any_v4],
        host => tokio::net::lookup_host((host.trim_matches(['[', ']']), port)).await?.collect(),
    };
    let mut refused = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in candidates {
        match listen(address, reuse_port) {
            Ok(listener) => {
                let address = listener.local_addr()?;
                return Ok(Socket::Tcp(listener, address));
            }
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

fn listen(address: SocketAddr, reuse_port: bool) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(reuse_port)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Takes connections until `stop`, then lets the requests that run end within `drain`. `answer` is called for each
/// request of each connection.
pub(crate) async fn serve<S, F>(
    (socket, connections): (Socket, Connections),
    service: Arc<S>,
    answer: fn(Arc<S>, Request<Body>, Peer) -> F,
    stop: CancellationToken,
    drain: Duration,
) where
    S: Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let running = GracefulShutdown::new();
    let builder = connection_builder();
    while let Some((stream, peer)) = next(&socket, &stop).await {
        let Some(permit) = connections.permit(&peer) else { continue };
        let (service, stop) = (Arc::clone(&service), stop.clone());
        let (stream, parser) = Escaping::new(stream);
        let respond = service_fn(move |request: Request<Incoming>| {
            parser.has_read(&request);
            let malformed = malformed::refusal(&request);
            let request = read_to_end(request, LIMITS, &stop);
            let answered = match malformed {
                Some(refusal) => Either::Left(ready(refusal.response())),
                None => Either::Right(answer(Arc::clone(&service), request, peer.clone())),
            };
            async move { Ok::<_, Infallible>(leaving(answered.await)) }
        });
        let connection = builder.serve_connection(TokioIo::new(stream), respond);
        let watched = running.watch(connection);
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(error) = watched.await {
                tracing::debug!(error = %error, "a connection ended early");
            }
        });
    }
    drop(socket);
    if tokio::time::timeout(drain, running.shutdown()).await.is_err() {
        tracing::warn!("requests were still running at the end of the grace time");
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

/// HTTP/2 needs TLS with every client of ours, which ends before this listener; to tell the two apart would mean
/// waiting for bytes without a time limit.
fn connection_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_header_size(LARGEST_HEAD);
    builder
}

#[cfg(test)]
mod tests {
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
        let bare = leaving(Response::new(crate::full("{}")));
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
