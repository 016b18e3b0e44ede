//! Who is at the other end of a request.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

/// Who sent a request, as its connection shows. No header is asked. A service finds it among the
/// request's extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peer {
    /// Who connected over TCP.
    Tcp(SocketAddr),
    /// Who connected over a Unix socket, which is of this machine.
    Unix,
    /// A function of this stack, by its name. Its calls never leave the process. It has no address,
    /// so it is trusted with nothing that this machine or a proxy on it is trusted with.
    Function(Arc<str>),
    /// Another part of this stack, such as auth when it calls a hook.
    Stack,
}

impl Peer {
    /// The address that connected; none for what never left the process.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            // A listener for both families names clients of IPv4 as of IPv6.
            Self::Tcp(address) => Some(address.ip().to_canonical()),
            Self::Unix => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            Self::Function(_) | Self::Stack => None,
        }
    }

    /// The name of the function that asks, if one does.
    #[must_use]
    pub fn function(&self) -> Option<&Arc<str>> {
        match self {
            Self::Function(name) => Some(name),
            Self::Tcp(_) | Self::Unix | Self::Stack => None,
        }
    }
}

/// As the first field of an access log says it.
impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{}", address.ip().to_canonical()),
            Self::Unix | Self::Function(_) | Self::Stack => f.write_str("-"),
        }
    }
}
