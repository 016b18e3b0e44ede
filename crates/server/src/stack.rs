//! The public and the admin listener, and how they stop.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use crate::{
    Parts, ServerError, admin,
    assemble::{self, Assembled},
    background::Background,
    connections::Connections,
    functions::Functions,
    gateway::Gateway,
    listeners::Listeners,
    sockets::Socket,
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
    listeners: Listeners,
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
    let (api_socket, api) = Socket::bind(SocketAddr::new(server.host, parts.config.api.port))?;
    let (admin_socket, admin) = Socket::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, server.admin_port)))?;
    let addresses = Addresses { api, admin };
    let mut listeners = Listeners::new(server.drain);
    let assembled = Box::pin(assemble::build(parts, addresses.api, listeners.stopping())).await?;
    let Assembled { gateway, admin, background } = assembled;
    listeners.listen((api_socket, connections), &gateway, Gateway::answer);
    // Only this machine reaches it.
    listeners.listen((admin_socket, Connections::from_anywhere()), &admin, admin::answer);
    Ok(Running { addresses, listeners, background, drain: server.drain })
}

impl Running {
    /// The functions, whose configuration may change while they run.
    #[must_use]
    pub fn functions(&self) -> Functions {
        self.background.functions.clone()
    }

    /// Whether the data API knows the schema. Until then it answers 503 and tries again.
    #[must_use]
    pub fn data_api_is_ready(&self) -> bool {
        self.background.readiness.rest.is_ready()
    }

    /// Where the server listens.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Stops in order: no new connections, what runs gets its grace, then the background tasks end.
    pub async fn stop(self) {
        self.listeners.stop().await;
        self.background.stop(self.drain).await;
    }
}
