//! The data API's options in PostgREST's own words (rest/CONTRACT.md config db-uri): its file
//! format, its `PGRST_` variables, and the settings `pgrst.*` of the database, which win over the
//! environment, which wins over the file.

/// The file format: `name = "value"`.
mod file;

/// Options by name, from whichever place says them.
mod layers;

/// Checks options.
mod check;

use std::{path::PathBuf, time::Duration};

use secrecy::SecretString;

pub use layers::Layers;

/// Every option of the data API, checked. Names in the documentation are those of the file.
#[derive(Debug, Clone)]
pub struct DataApi {
    /// `app.settings.*`, by full name.
    pub app_settings: Vec<(String, String)>,
    /// `client-error-verbosity = "verbose"`: errors carry `details` and `hint`.
    pub verbose_errors: bool,
    /// `db-aggregates-enabled`.
    pub aggregates: bool,
    /// `db-anon-role`.
    pub anonymous_role: Option<String>,
    /// `db-channel`.
    pub channel: String,
    /// `db-channel-enabled`.
    pub channel_enabled: bool,
    /// `db-config`: whether the settings `pgrst.*` of the database count.
    pub in_database: bool,
    /// `db-pre-config`: a function called before those settings are read.
    pub pre_config: Option<String>,
    /// `db-extra-search-path`.
    pub extra_search_path: Vec<String>,
    /// `db-hoisted-tx-settings`.
    pub hoisted_settings: Vec<String>,
    /// `db-max-rows`.
    pub max_rows: Option<i64>,
    /// `db-plan-enabled`.
    pub plans: bool,
    /// `db-pool` and its siblings.
    pub pool: Pool,
    /// `db-pre-request`.
    pub pre_request: Option<String>,
    /// `db-prepared-statements`.
    pub prepared_statements: bool,
    /// `db-root-spec`.
    pub root_spec: Option<String>,
    /// `db-schemas`, at least one.
    pub schemas: Vec<String>,
    /// `db-tx-end`.
    pub transaction_end: TransactionEnd,
    /// `db-uri`: a URI or `key=value` words, as libpq takes them.
    pub database: SecretString,
    /// `jwt-*`.
    pub tokens: Tokens,
    /// `log-level`.
    pub log_level: LogLevel,
    /// `log-query`.
    pub log_query: bool,
    /// `openapi-mode`.
    pub document: DocumentMode,
    /// `openapi-security-active`.
    pub document_security: bool,
    /// `openapi-server-proxy-uri`.
    pub public_url: Option<String>,
    /// `server-cors-allowed-origins`; none allows every origin.
    pub allowed_origins: Option<Vec<String>>,
    /// `server-timing-enabled`.
    pub timing: bool,
    /// `server-trace-header`.
    pub trace_header: Option<String>,
    /// `url-use-legacy-target-names`.
    pub legacy_target_names: bool,
    /// `db-unfiltered-writes`, an option of ours: whether PATCH and DELETE may do without a filter.
    pub unfiltered_writes: bool,
    /// `server-host`, `server-port`, `server-unix-socket`, `server-unix-socket-mode`.
    pub listener: Listener,
    /// `server-reuseport`: several processes may listen on one port.
    pub reuse_port: bool,
    /// `admin-server-*`; none without a port and without a socket.
    pub admin: Option<Listener>,
}

/// Bounds of the connections to PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    /// `db-pool`.
    pub size: u32,
    /// `db-pool-acquisition-timeout`.
    pub acquisition_timeout: Duration,
    /// `db-pool-max-lifetime`.
    pub max_lifetime: Duration,
    /// `db-pool-max-idletime`.
    pub max_idletime: Duration,
    /// `db-pool-automatic-recovery`: false ends the process when PostgreSQL goes away.
    pub automatic_recovery: bool,
}

/// How a transaction ends, and whether `Prefer: tx` may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionEnd {
    /// `rollback…`.
    pub rollback: bool,
    /// `…-allow-override`.
    pub choice: bool,
}

/// Rules for tokens: which are accepted, and which role they name.
#[derive(Debug, Clone)]
pub struct Tokens {
    /// `jwt-secret`: the bytes of a secret, a JWK or a JWKS, read from its file and decoded.
    pub secret: Option<secrecy::SecretSlice<u8>>,
    /// `jwt-aud`.
    pub audience: Option<String>,
    /// `jwt-role-claim-key`.
    pub role_claim: String,
    /// `jwt-cache-max-entries`; 0 remembers no token.
    pub cache_entries: usize,
}

/// The least severe level that is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// No request.
    Critical,
    /// Requests answered with 500 and above.
    Error,
    /// Requests answered with 400 and above.
    Warning,
    /// Every request.
    Info,
    /// Every request, and what happens inside.
    Debug,
}

/// The role whose rights the root document shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentMode {
    /// `follow-privileges`.
    FollowPrivileges,
    /// `ignore-privileges`.
    IgnorePrivileges,
    /// `disabled`.
    Disabled,
}

/// The address to listen on; a socket wins over host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// A name or address, or one of `*`, `*4`, `!4`, `*6`, `!6`: any, any but prefer or take only
    /// IPv4 or IPv6.
    pub host: String,
    /// The port; 0 lets the system choose.
    pub port: u16,
    /// A Unix socket and its file mode.
    pub socket: Option<(PathBuf, u32)>,
}

impl Listener {
    /// `host:port` as people write it: the words for any address are the address that they stand
    /// for.
    #[must_use]
    pub fn place(&self) -> String {
        let host = match self.host.as_str() {
            "*" | "*4" | "!4" => "0.0.0.0",
            "*6" | "!6" => "[::]",
            host => host,
        };
        format!("{host}:{}", self.port)
    }
}

#[cfg(test)]
mod tests;
