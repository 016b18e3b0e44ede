//! `[server]` of banyan.toml: settings for which the official file has no key.

use std::{net::IpAddr, path::PathBuf, time::Duration};

use crate::{ConfigError, paths::join, raw::RawServer};

/// Bind address, static site and limits of the listener.
#[derive(Debug, Clone)]
pub struct Server {
    /// Address of both listeners; anything but loopback refuses to start with a demo key, unless
    /// `demo_keys` says so.
    pub host: IpAddr,
    /// Port of the admin listener, always on loopback: `/metrics`, `/health`, `/ready`
    /// (server/CONTRACT.md GW-ADMIN).
    pub admin_port: u16,
    /// Folder of the built single-page application, served on every path that is no service.
    pub site: Option<PathBuf>,
    /// `true`: the public demo keys may be used even if others can reach the stack. For a
    /// demonstration that holds no data.
    pub demo_keys: bool,
    /// `true`: a request without `apikey` is refused. This is the default on any listener but
    /// loopback (server/CONTRACT.md GW-NO-KEY).
    pub require_api_key: bool,
    /// Largest request body in bytes.
    pub max_body: u64,
    /// Connections that one address may hold, or one /64 of IPv6. This machine and trusted proxies
    /// may hold all that there are.
    pub connections_per_address: usize,
    /// Longest wait for the first byte of an answer.
    pub request_timeout: Duration,
    /// Time running requests get after SIGTERM.
    pub drain: Duration,
}

impl Server {
    pub(crate) fn check(
        raw: RawServer,
        folder: &std::path::Path,
        port_offset: u16,
    ) -> Result<Self, ConfigError> {
        let host: IpAddr = raw
            .host
            .parse()
            .map_err(|_| ConfigError::value("server.host", format!("`{}` is no IP address", raw.host)))?;
        if raw.connections_per_address == 0 {
            return Err(ConfigError::value("server.connections_per_address", "must be 1 or more"));
        }
        let admin_port = match raw.admin_port {
            0 => 0,
            port => super::offset("server.admin_port", port, port_offset)?,
        };
        Ok(Self {
            host,
            admin_port,
            demo_keys: raw.demo_keys,
            site: raw.site.map(|site| join(folder, site)),
            require_api_key: raw.require_api_key.unwrap_or(!host.is_loopback()),
            max_body: super::bytes("server.max_body", &raw.max_body)?,
            connections_per_address: usize::try_from(raw.connections_per_address).unwrap_or(usize::MAX),
            request_timeout: super::duration("server.request_timeout", &raw.request_timeout)?,
            drain: super::duration("server.drain", &raw.drain)?,
        })
    }
}
