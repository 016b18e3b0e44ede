/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A port is taken or not allowed.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The built site cannot be read.
    #[error("cannot read the built app")]
    Site(#[source] std::io::Error),
    /// A service cannot start; the message names it.
    #[error("{service} cannot start: {message}")]
    Service {
        /// Name of the service.
        service: &'static str,
        /// Why not.
        message: String,
    },
}
