//! The public and the admin listener, and how they stop.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use banyan_identity::Peer;
use http::{Request, Response, header::X_CONTENT_TYPE_OPTIONS};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    Body, NOSNIFF, Parts, ServerError, admin,
    assemble::{self, Background, Functions},
    connections::Connections,
    gateway::Gateway,
    sockets::{self, Socket},
};

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
    let server = parts.config.server.clone();
    let proxies = parts.config.auth.client_address.trusted_proxies.clone();
    let connections = Connections::of_each_address(server.connections_per_address, proxies);
    let (api, api_address) = Socket::bind(SocketAddr::new(server.host, parts.config.api.port))?;
    let (admin, admin_address) = Socket::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, server.admin_port)))?;
    let addresses = Addresses { api: api_address, admin: admin_address };
    let stop = CancellationToken::new();
    let (gateway, background) = Box::pin(assemble::build(parts, addresses.api)).await?;
    let listeners = vec![
        tokio::spawn(sockets::serve(
            (api, connections),
            Arc::clone(&gateway),
            public,
            stop.clone(),
            server.drain,
        )),
        // Only this machine reaches it.
        tokio::spawn(sockets::serve(
            (admin, Connections::from_anywhere()),
            gateway,
            private,
            stop.clone(),
            server.drain,
        )),
    ];
    Ok(Running { addresses, stop, listeners, background, drain: server.drain })
}

impl Running {
    /// The functions, whose configuration may change while they run.
    #[must_use]
    pub fn functions(&self) -> Functions {
        self.background.functions()
    }

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

async fn public(gateway: Arc<Gateway>, request: Request<Body>, peer: Peer) -> Response<Body> {
    gateway.answer(request, peer).await
}

async fn private(gateway: Arc<Gateway>, request: Request<Body>, _peer: Peer) -> Response<Body> {
    let mut response = admin::answer(&gateway, request).await;
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    response
}
