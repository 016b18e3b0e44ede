//! The pooled client. It resolves a name once, checks every address, and connects to a checked one;
//! TLS and `Host` keep the name. It follows no redirect (CONTRACT.md H03, H04).

use std::{
    io,
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use banyan_web::{
    BoxError,
    tls_client::{self, Client, Versions},
};
use futures_util::{
    future::BoxFuture,
    stream::{FuturesUnordered, StreamExt},
};
use http::Uri;
use hyper_util::{client::legacy, rt::TokioIo};
use socket2::SockRef;
use tokio::{
    net::TcpStream,
    time::{sleep, timeout},
};
use tower_service::Service;
use wasmtime_wasi_http::{Error, WasiBody};

use super::{
    address::is_public,
    lookup::{CALLING_FUNCTION, Resolver},
};

/// Longest time for resolving and connecting (H09).
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest head of an answer in bytes (H09).
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Time between attempts at the addresses of one name. Earlier attempts go on, because an address
/// may not answer.
const ATTEMPT_INTERVAL: Duration = Duration::from_millis(300);
/// How long sent data may stay unacknowledged.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(20);

pub(super) type HttpClient = Client<WasiBody, Dialer>;

/// A client that connects to public addresses only.
pub(super) fn public(resolve: Resolver) -> HttpClient {
    client(Dialer { resolve, public_only: true })
}

/// A client for addresses that were listed literally.
pub(super) fn listed(resolve: Resolver) -> HttpClient {
    client(Dialer { resolve, public_only: false })
}

fn client(dialer: Dialer) -> HttpClient {
    // With HTTP/2 all functions would share one connection to a host. Bodies that one function
    // leaves unread would fill the window for all.
    let connector = tls_client::connector(dialer, Versions::Http1);
    tls_client::pool().pool_max_idle_per_host(64).http1_max_buf_size(MAX_HEAD_BYTES).build(connector)
}

/// Why no connection was made.
#[derive(Debug, thiserror::Error)]
pub(super) enum DialError {
    #[error("the address is no URL with a host")]
    NoHost,
    #[error("the host's address is private or special")]
    Prohibited,
    #[error("the host has no address")]
    NotFound(#[source] io::Error),
    #[error("looking up the host took too long")]
    LookupTimeout,
    #[error("connecting took too long")]
    Timeout,
    #[error("the connection was refused")]
    Refused(#[source] io::Error),
}

/// Opens connections to addresses that it has checked.
#[derive(Clone)]
pub(super) struct Dialer {
    resolve: Resolver,
    public_only: bool,
}

impl Service<Uri> for Dialer {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialer = self.clone();
        let dial = async move {
            let stream =
                timeout(CONNECT_TIMEOUT, dialer.dial(&uri)).await.map_err(|_| DialError::Timeout)??;
            Ok::<_, BoxError>(TokioIo::new(stream))
        };
        // The client may go on with the connection in a task of its own.
        match CALLING_FUNCTION.try_with(Arc::clone) {
            Ok(function) => Box::pin(CALLING_FUNCTION.scope(function, dial)),
            Err(_) => Box::pin(dial),
        }
    }
}

impl Dialer {
    async fn dial(&self, uri: &Uri) -> Result<TcpStream, DialError> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        let begin = |(at, address)| async move {
            sleep(ATTEMPT_INTERVAL * at).await;
            TcpStream::connect(address).await
        };
        let mut attempts: FuturesUnordered<_> = (0..).zip(self.addresses(uri).await?).map(begin).collect();
        while let Some(attempt) = attempts.next().await {
            match attempt {
                Ok(stream) => {
                    // Small requests must not wait for a full packet. A socket without the option
                    // works as well.
                    let _ = stream.set_nodelay(true);
                    // The next call must not wait for a connection whose other end is gone.
                    let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(TCP_USER_TIMEOUT));
                    return Ok(stream);
                }
                Err(error) => last = error,
            }
        }
        Err(DialError::Refused(last))
    }

    /// The addresses to connect to: resolved once, and all of them checked. One prohibited address
    /// denies the name.
    async fn addresses(&self, uri: &Uri) -> Result<Vec<SocketAddr>, DialError> {
        let host = uri.host().ok_or(DialError::NoHost)?.trim_start_matches('[').trim_end_matches(']');
        let default_port = if uri.scheme_str() == Some("http") { 80 } else { 443 };
        let port = uri.port_u16().unwrap_or(default_port);
        let found = (self.resolve)(host.to_owned(), port).await;
        let addresses = found.map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => DialError::LookupTimeout,
            _ => DialError::NotFound(error),
        })?;
        if self.public_only && !addresses.iter().all(|address| is_public(address.ip())) {
            return Err(DialError::Prohibited);
        }
        Ok(addresses)
    }
}

/// The error that the guest sees for a failed call.
pub(super) fn cause(error: &legacy::Error) -> Error {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<DialError>() {
            return dial_cause(error);
        }
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return tls_cause(error);
        }
        if let Some(error) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref)
            && let Some(error) = error.downcast_ref::<rustls::Error>()
        {
            return tls_cause(error);
        }
        source = error.source();
    }
    if error.is_connect() { Error::DestinationUnavailable } else { Error::ConnectionTerminated }
}

fn dial_cause(error: &DialError) -> Error {
    match error {
        DialError::NoHost => Error::HttpRequestUriInvalid,
        DialError::Prohibited => Error::HttpRequestDenied,
        DialError::NotFound(_) => Error::DestinationNotFound,
        DialError::LookupTimeout => Error::DnsTimeout,
        DialError::Timeout => Error::ConnectionTimeout,
        DialError::Refused(_) => Error::ConnectionRefused,
    }
}

fn tls_cause(error: &rustls::Error) -> Error {
    match error {
        rustls::Error::InvalidCertificate(_) => Error::TlsCertificateError,
        _ => Error::TlsProtocolError,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers the first question with the first answer and later ones with the second. Counts the
    /// questions.
    fn changing(answers: [Vec<SocketAddr>; 2]) -> (Resolver, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let resolver: Resolver = Arc::new(move |_, _| {
            let answer = answers[count.fetch_add(1, Ordering::SeqCst).min(1)].clone();
            Box::pin(std::future::ready(Ok(answer)))
        });
        (resolver, asked)
    }

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    // rows: H03
    #[tokio::test]
    async fn one_private_address_among_several_condemns_the_name() {
        let (resolve, _) = changing([vec![address("1.1.1.1:443"), address("10.0.0.1:443")], vec![]]);
        let dialer = Dialer { resolve, public_only: true };
        let error = dialer.addresses(&"https://api.example.com/".parse().unwrap()).await.unwrap_err();
        assert!(matches!(error, DialError::Prohibited), "{error}");
    }

    // rows: H04 X09
    #[tokio::test]
    async fn a_name_is_resolved_once_so_a_changed_answer_cannot_slip_in() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let honest = listener.local_addr().unwrap();
        let (resolve, asked) = changing([vec![honest], vec![address("127.0.0.1:1")]]);
        let stream = Dialer { resolve, public_only: false }
            .dial(&"http://rebind.example/".parse().unwrap())
            .await
            .unwrap();
        assert_eq!(stream.peer_addr().unwrap(), honest);
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }
}
