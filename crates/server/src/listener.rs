//! The public and the admin listener, and how they stop.

use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use tokio::{net::TcpListener, sync::Semaphore, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    Body, Parts, ServerError, admin,
    assemble::{self, Background},
    gateway::Gateway,
};

/// Connections held at a time on one listener.
pub(crate) const MOST_CONNECTIONS: usize = 10_000;
/// A client that sends no complete head in this time is closed.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Where the server listens.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// The public listener.
    pub api: SocketAddr,
    /// The admin listener, on loopback.
    pub admin: SocketAddr,
}

/// A running server.
pub struct Running {
    addresses: Addresses,
    stop: CancellationToken,
    listeners: Vec<JoinHandle<()>>,
    background: Background,
    drain: Duration,
}

/// Binds both listeners, builds the services and begins to answer.
///
/// # Errors
/// [`ServerError`] when a port is taken, the site cannot be read, or a service cannot start.
pub async fn start(parts: Parts) -> Result<Running, ServerError> {
    let (server, api_port) = (parts.config.server.clone(), parts.config.api.port);
    let api = bind(server.host, api_port).await?;
    let admin = bind(IpAddr::V4(Ipv4Addr::LOCALHOST), server.admin_port).await?;
    let addresses = Addresses { api: local(&api)?, admin: local(&admin)? };
    let stop = CancellationToken::new();
    let (gateway, background) = Box::pin(assemble::build(parts, addresses.api)).await?;
    let listeners = vec![
        tokio::spawn(listen(api, Arc::clone(&gateway), Side::Public, stop.clone(), server.drain)),
        tokio::spawn(listen(admin, gateway, Side::Admin, stop.clone(), server.drain)),
    ];
    Ok(Running { addresses, stop, listeners, background, drain: server.drain })
}

impl Running {
    /// Where the server listens.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Stops in order: no new connections, running requests get their grace, then the background tasks end.
    pub async fn stop(self) {
        self.stop.cancel();
        for listener in self.listeners {
            if tokio::time::timeout(self.drain + Duration::from_secs(1), listener).await.is_err() {
                tracing::warn!("a listener did not stop in time");
            }
        }
        self.background.stop(self.drain).await;
    }
}

#[derive(Debug, Clone, Copy)]
enum Side {
    Public,
    Admin,
}

async fn bind(host: IpAddr, port: u16) -> Result<TcpListener, ServerError> {
    let address = SocketAddr::new(host, port);
    TcpListener::bind(address).await.map_err(|source| ServerError::Listen { address, source })
}

fn local(listener: &TcpListener) -> Result<SocketAddr, ServerError> {
    let unknown = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    listener.local_addr().map_err(|source| ServerError::Listen { address: unknown, source })
}

async fn listen(
    listener: TcpListener,
    gateway: Arc<Gateway>,
    side: Side,
    stop: CancellationToken,
    drain: Duration,
) {
    let connections = GracefulShutdown::new();
    let builder = connection_builder();
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let (stream, peer) = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, or the client went away: try again, but do not spin.
                    tracing::warn!(error = %error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let _ = stream.set_nodelay(true);
        let gateway = Arc::clone(&gateway);
        let service = service_fn(move |request| respond(Arc::clone(&gateway), side, request, peer));
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        let watched = connections.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = watched.await {
                tracing::debug!(error = %error, "a connection ended early");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(drain, connections.shutdown()).await.is_err() {
        tracing::warn!("requests were still running at the end of the grace time");
    }
}

pub(crate) fn boxed(body: Incoming) -> Body {
    body.map_err(Into::into).boxed_unsync()
}

pub(crate) fn connection_builder() -> auto::Builder<TokioExecutor> {
    // HTTP/2 needs TLS with every client of ours, which ends before this listener; telling the two apart would wait
    // for bytes without a limit of time.
    let mut builder = auto::Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    builder
}

async fn respond(
    gateway: Arc<Gateway>,
    side: Side,
    request: Request<Incoming>,
    peer: SocketAddr,
) -> Result<Response<Body>, Infallible> {
    Ok(match side {
        Side::Public => gateway.answer(request.map(boxed), peer).await,
        Side::Admin => admin::answer(&gateway, &request).await,
    })
}
