//! Sockets that listen, TCP and Unix: how they are opened, and how a connection is taken.

use std::{
    fmt::Display,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    os::unix::fs::{FileTypeExt, PermissionsExt},
    path::PathBuf,
    time::Duration,
};

use banyan_config::postgrest::Listener;
use banyan_identity::Peer;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

use crate::ServerError;

/// Connections that wait to be taken.
const BACKLOG: u32 = 1024;
/// A client that takes nothing of an answer for so long is given up.
const LONGEST_STALL: Duration = Duration::from_secs(60);

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

    pub(crate) async fn accept(&self) -> io::Result<(Either<TcpStream, UnixStream>, Peer)> {
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
