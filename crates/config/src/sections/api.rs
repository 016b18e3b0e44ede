//! `[api]`: the public listener and the data API's schemas.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::{
    ConfigError,
    raw::{RawApi, RawBanyanApi},
};

/// The public listener and the data API's schemas.
#[derive(Debug, Clone)]
pub struct Api {
    /// `true`: the gateway answers `/rest/v1`. The listener runs in any case.
    pub enabled: bool,
    /// Port of the one public listener; 0 lets the system choose (tests).
    pub port: u16,
    /// Schemas that the data API shows; the first is the default.
    pub schemas: Vec<String>,
    /// Schemas added to the search path of each request.
    pub extra_search_path: Vec<String>,
    /// Most rows a read may return.
    pub max_rows: u64,
    /// Origin under which clients reach the stack, without a trailing slash.
    pub external_url: String,
    /// False, as when it is unset, revokes the default grants on new tables from the API roles
    /// (CONTRACT.md CFG-EXPOSE).
    pub auto_expose_new_tables: bool,
    /// `true`: PATCH and DELETE without a filter change every row. Otherwise they are refused
    /// (CONTRACT.md CFG-FILTER, rest/CONTRACT.md M10).
    pub unfiltered_writes: bool,
}

impl Api {
    /// `host` is the address of the listener.
    pub(crate) fn check(
        raw: RawApi,
        banyan: &RawBanyanApi,
        host: IpAddr,
        port_offset: u16,
    ) -> Result<Self, ConfigError> {
        if raw.schemas.is_empty() {
            return Err(ConfigError::value("api.schemas", "name at least one schema, such as \"public\""));
        }
        let port = if raw.port == 0 { 0 } else { super::offset("api.port", raw.port, port_offset)? };
        let external_url = raw.external_url.unwrap_or_else(|| origin(host, port));
        Ok(Self {
            enabled: raw.enabled,
            port,
            schemas: raw.schemas,
            extra_search_path: raw.extra_search_path,
            max_rows: raw.max_rows,
            external_url: external_url.trim_end_matches('/').to_owned(),
            auto_expose_new_tables: raw.auto_expose_new_tables.unwrap_or(false),
            unfiltered_writes: banyan.unfiltered_writes,
        })
    }
}

/// The origin by which this machine reaches a listener: its own address, but where it listens on
/// all of them.
pub(crate) fn origin(host: IpAddr, port: u16) -> String {
    let host = if host.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { host };
    format!("http://{}", SocketAddr::new(host, port))
}
