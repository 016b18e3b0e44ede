//! Clients with pooled connections. They follow no redirect, reach `http` and `https` addresses,
//! and trust the certificate authorities of Mozilla's list.

use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{self, Builder, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};

/// How long an unused connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// A client for requests with bodies of type `B`. `D` opens its connections.
pub type Client<B, D = HttpConnector> = legacy::Client<HttpsConnector<D>, B>;

/// Versions of HTTP that a client offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// Each request has a connection to itself.
    Http1,
    /// Requests to one host share a connection, if the host speaks HTTP/2.
    Http1And2,
}

/// The settings of the pool. `build` makes the client of them and of a [`connector`].
#[must_use]
pub fn pool() -> Builder {
    let mut builder = legacy::Client::builder(TokioExecutor::new());
    builder.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE_TIMEOUT);
    builder
}

/// Adds TLS to the connections of a dialer.
#[must_use]
pub fn connector<D>(dialer: D, versions: Versions) -> HttpsConnector<D> {
    let builder = HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
        .expect("ring knows the default versions of TLS")
        .https_or_http()
        .enable_http1();
    match versions {
        Versions::Http1 => builder.wrap_connector(dialer),
        Versions::Http1And2 => builder.enable_http2().wrap_connector(dialer),
    }
}

/// Opens connections to the addresses that the system's resolver names.
#[must_use]
pub fn dialer() -> HttpConnector {
    let mut dialer = HttpConnector::new();
    dialer.enforce_http(false);
    dialer
}

#[cfg(test)]
mod tests {
    use http::{Request, StatusCode};
    use http_body_util::Empty;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    fn client(versions: Versions) -> Client<Empty<&'static [u8]>> {
        pool().build(connector(dialer(), versions))
    }

    #[tokio::test]
    async fn requests_share_a_connection_and_a_redirect_is_an_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            for _ in 0..2 {
                assert!(stream.read(&mut request).await.unwrap() > 0);
                let answer = b"HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n";
                stream.write_all(answer).await.unwrap();
            }
        });
        let client = client(Versions::Http1And2);
        for _ in 0..2 {
            let request = Request::get(format!("http://{address}/")).body(Empty::new()).unwrap();
            assert_eq!(client.request(request).await.unwrap().status(), StatusCode::FOUND);
        }
        served.await.unwrap();
    }

    #[tokio::test]
    async fn http2_is_offered_by_clients_that_speak_it_alone() {
        for (versions, offers) in [(Versions::Http1, false), (Versions::Http1And2, true)] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let uri = format!("https://{}/", listener.local_addr().unwrap());
            let hello = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut hello = vec![0; 4096];
                let length = stream.read(&mut hello).await.unwrap();
                hello[..length].to_vec()
            });
            let request = Request::get(uri).body(Empty::new()).unwrap();
            client(versions).request(request).await.unwrap_err();
            let hello = hello.await.unwrap();
            assert_eq!(hello.windows(3).any(|offered| offered == b"\x02h2"), offers, "{versions:?}");
        }
    }
}
