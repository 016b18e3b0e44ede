//! `[edge_runtime]` and `[functions.*]` of config.toml and banyan.toml.

use std::{collections::BTreeMap, net::Ipv6Addr, path::PathBuf, time::Duration};

use secrecy::SecretString;

use crate::{
    ConfigError,
    env_reference::variable,
    environment::read_env_file,
    error::together,
    paths::join,
    raw::{RawBanyanEdgeRuntime, RawEdgeRuntime, RawFunction},
};

/// Settings of all functions together.
#[derive(Debug, Clone)]
pub struct EdgeRuntime {
    /// `true`: functions are served.
    pub enabled: bool,
    /// Secrets every function sees: `[edge_runtime.secrets]`, then `supabase/functions/.env`
    /// (edge/CONTRACT.md V05).
    pub secrets: BTreeMap<String, SecretString>,
    /// Memory of all instances together in bytes; none leaves it to what the machine has.
    pub memory: Option<u64>,
}

/// Smallest memory of all instances together, in bytes.
const LEAST_MEMORY: u64 = 32 << 20;

/// One function's policy.
#[derive(Debug, Clone)]
pub struct Function {
    /// Disabled functions answer as unknown ones (edge/CONTRACT.md F05).
    pub enabled: bool,
    /// `true`: a valid token is needed (edge/CONTRACT.md J01).
    pub verify_jwt: bool,
    /// Roles that may call; empty means any (edge/CONTRACT.md J09).
    pub roles: Vec<String>,
    /// Variables of this function alone (edge/CONTRACT.md V07).
    pub env: BTreeMap<String, SecretString>,
    /// A prebuilt component instead of a crate (edge/CONTRACT.md G02).
    pub component: Option<PathBuf>,
    /// Hosts it may call (edge/CONTRACT.md H02); the stack's own API always.
    pub outbound_hosts: Vec<OutboundHost>,
    /// Largest linear memory in MiB.
    pub memory_mb: u32,
    /// CPU time for one request.
    pub cpu: Duration,
    /// Wall-clock time for one request with its background work.
    pub wall_clock: Duration,
    /// Requests at a time; more wait.
    pub concurrency: u32,
    /// Largest request body in bytes; none leaves it to `server.max_body`.
    pub max_body: Option<u64>,
    /// Longest pause in a request body that the function waits for.
    pub body_idle: Duration,
    /// Outgoing calls of one request, background work included.
    pub outbound_requests: u32,
    /// `true`: an instance may answer one request after another (edge/CONTRACT.md H10). Later
    /// requests then see what the function keeps in memory.
    pub reuse: bool,
    /// `true`: the function answers its own CORS preflights instead of the gateway
    /// (edge/CONTRACT.md F06).
    pub own_preflight: bool,
    /// Called by the stack itself at this interval as service_role (product decision D17).
    pub schedule: Option<Schedule>,
}

/// How often a function is called by the stack itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Time between two calls.
    pub every: Duration,
}

/// A host that a function may call: `https://api.example.com`, `*.example.com`,
/// `http://127.0.0.1:9999`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundHost {
    /// `http` or `https`; none allows https only.
    pub scheme: Option<String>,
    /// Host name or address; a leading `*.` matches any subdomain.
    pub host: String,
    /// Port; none means the scheme's own.
    pub port: Option<u16>,
}

impl Default for Function {
    fn default() -> Self {
        Self {
            enabled: true,
            verify_jwt: true,
            roles: Vec::new(),
            env: BTreeMap::new(),
            component: None,
            outbound_hosts: Vec::new(),
            memory_mb: 128,
            cpu: Duration::from_secs(2),
            wall_clock: Duration::from_secs(400),
            concurrency: 64,
            max_body: None,
            body_idle: Duration::from_secs(30),
            outbound_requests: 1000,
            reuse: false,
            own_preflight: false,
            schedule: None,
        }
    }
}

/// Requests of one function that may run at a time; a node has twice as many places.
const MOST_AT_A_TIME: u32 = 500;

impl Function {
    pub(crate) fn check(name: &str, raw: RawFunction, folder: &std::path::Path) -> Result<Self, ConfigError> {
        let key = |part: &str| format!("functions.{name}.{part}");
        let default = Self::default();
        let memory_mb = match raw.memory_mb.unwrap_or(default.memory_mb) {
            fits @ 1..=256 => Ok(fits),
            _ => Err(ConfigError::value(&key("memory_mb"), "must be from 1 to 256")),
        };
        let concurrency = match raw.concurrency.unwrap_or(default.concurrency) {
            fits @ 1..=MOST_AT_A_TIME => Ok(fits),
            _ => Err(ConfigError::value(
                &key("concurrency"),
                format!("must be from 1 to {MOST_AT_A_TIME}, so that places are left for other functions"),
            )),
        };
        let cpu = match raw.cpu_ms {
            Some(0) => Err(ConfigError::value(&key("cpu_ms"), "must be at least 1")),
            cpu_ms => Ok(cpu_ms.map_or(default.cpu, Duration::from_millis)),
        };
        let span = |part: &str, text: Option<String>| match text {
            None => Ok(None),
            Some(text) => match super::duration(&key(part), &text)? {
                Duration::ZERO => Err(ConfigError::value(&key(part), "must be longer than nothing")),
                span => Ok(Some(span)),
            },
        };
        let (wall_clock, body_idle, schedule) = (
            span("wall_clock", raw.wall_clock),
            span("body_idle", raw.body_idle),
            span("schedule", raw.schedule),
        );
        let max_body = raw.max_body.map(|size| super::bytes(&key("max_body"), &size)).transpose();
        let own_preflight = own_preflight(&key("preflight"), raw.preflight.as_deref());
        let outbound_hosts = outbound_hosts(&key("outbound_hosts"), &raw.outbound_hosts.unwrap_or_default());
        together!(
            memory_mb,
            concurrency,
            cpu,
            wall_clock,
            body_idle,
            schedule,
            max_body,
            own_preflight,
            outbound_hosts,
        );
        Ok(Self {
            enabled: raw.enabled,
            verify_jwt: raw.verify_jwt,
            roles: raw.roles.unwrap_or_default(),
            env: secrets(raw.env),
            component: raw.component.map(|path| join(folder, path)),
            outbound_hosts,
            memory_mb,
            cpu,
            wall_clock: wall_clock.unwrap_or(default.wall_clock),
            concurrency,
            max_body,
            body_idle: body_idle.unwrap_or(default.body_idle),
            outbound_requests: raw.outbound_requests.unwrap_or(default.outbound_requests),
            reuse: raw.reuse,
            own_preflight,
            schedule: schedule.map(|every| Schedule { every }),
        })
    }
}

fn own_preflight(key: &str, answered_by: Option<&str>) -> Result<bool, ConfigError> {
    match answered_by {
        None | Some("gateway") => Ok(false),
        Some("function") => Ok(true),
        Some(_) => Err(ConfigError::value(key, "must be \"gateway\" or \"function\"")),
    }
}

/// All hosts of a list, or all that are none.
fn outbound_hosts(key: &str, texts: &[String]) -> Result<Vec<OutboundHost>, ConfigError> {
    // A host whose variable is not set is nothing to call, and nothing is allowed.
    let texts: Vec<_> = texts.iter().filter(|text| variable(text).is_none()).collect();
    let hosts: Vec<_> = texts.iter().filter_map(|text| OutboundHost::parse(text)).collect();
    if hosts.len() == texts.len() {
        return Ok(hosts);
    }
    let wrong = texts.iter().filter(|text| OutboundHost::parse(text).is_none());
    let wrong: Vec<_> = wrong.map(|text| format!("`{text}`")).collect();
    let are = if wrong.len() == 1 { "is no host" } else { "are no hosts" };
    Err(ConfigError::value(key, format!("{} {are} such as https://api.example.com", wrong.join(", "))))
}

impl OutboundHost {
    /// A path behind the host counts for nothing: addresses of APIs often have one.
    fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme @ ("http" | "https"), rest)) => (Some(scheme.to_owned()), rest),
            Some(_) => return None,
            None => (None, text),
        };
        let authority = rest.split('/').next().unwrap_or_default();
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') && !port.contains(']') => {
                (host, Some(port.parse().ok()?))
            }
            _ => (authority, None),
        };
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        is_host(&host).then_some(Self { scheme, host, port })
    }
}

/// Returns whether a host is valid: an address, or a name in ASCII form that may begin with `*.`.
fn is_host(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    address.parse::<Ipv6Addr>().is_ok() || host.strip_prefix("*.").unwrap_or(host).split('.').all(is_label)
}

impl EdgeRuntime {
    pub(crate) fn check(
        raw: RawEdgeRuntime,
        banyan: &RawBanyanEdgeRuntime,
        folder: &std::path::Path,
    ) -> Result<Self, ConfigError> {
        let key = "edge_runtime.memory";
        let memory = match banyan.memory.as_deref().map(|size| super::bytes(key, size)).transpose() {
            Ok(Some(..LEAST_MEMORY)) => Err(ConfigError::value(key, "must be at least 32MiB")),
            memory => memory,
        };
        let mut all = raw.secrets;
        let read = read_env_file(&folder.join("functions/.env"))?;
        read.doubts.iter().for_each(|doubt| tracing::warn!("{doubt}"));
        for (name, value) in read.variables {
            all.entry(name).or_insert(value);
        }
        all.retain(|name, value| {
            let reserved = name.starts_with("SUPABASE_");
            if reserved {
                tracing::warn!(secret.name = %name, "a secret may not start with SUPABASE_ and is ignored");
            }
            // An unset `env(NAME)` stays as written; a function must not take it for a value.
            !reserved && variable(value).is_none()
        });
        let checked = check_secrets(&all);
        together!(memory, checked);
        let () = checked;
        Ok(Self { enabled: raw.enabled, secrets: secrets(all), memory })
    }
}

/// Most secrets of a project (edge/CONTRACT.md LIMIT_SECRETS).
pub const MOST_SECRETS: usize = 100;
/// Longest name of a secret in bytes.
pub const LONGEST_SECRET_NAME: usize = 256;
/// Longest value of a secret in bytes.
pub const LONGEST_SECRET: usize = 48 << 10;

fn check_secrets(all: &BTreeMap<String, String>) -> Result<(), ConfigError> {
    let wrong = |message: String| Err(ConfigError::value("edge_runtime.secrets", message));
    if all.len() > MOST_SECRETS {
        return wrong(format!("must be at most {MOST_SECRETS}"));
    }
    if let Some(name) = all.keys().find(|name| name.len() > LONGEST_SECRET_NAME) {
        return wrong(format!("the name `{name}` is longer than {LONGEST_SECRET_NAME} bytes"));
    }
    match all.iter().find(|(_, value)| value.len() > LONGEST_SECRET) {
        Some((name, _)) => wrong(format!("`{name}` is longer than {LONGEST_SECRET} bytes")),
        None => Ok(()),
    }
}

fn secrets(raw: BTreeMap<String, String>) -> BTreeMap<String, SecretString> {
    raw.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/LIMIT_SECRETS
    #[test]
    fn too_many_or_too_long_are_refused_at_the_start() {
        let named = |count: usize| (0..count).map(|n| (format!("S{n}"), String::new())).collect();
        assert!(check_secrets(&named(MOST_SECRETS)).is_ok());
        assert!(check_secrets(&named(MOST_SECRETS + 1)).is_err());
        let one = |name: usize, value: usize| [("n".repeat(name), "v".repeat(value))].into();
        assert!(check_secrets(&one(LONGEST_SECRET_NAME, LONGEST_SECRET)).is_ok());
        assert!(check_secrets(&one(LONGEST_SECRET_NAME + 1, 1)).is_err());
        assert!(check_secrets(&one(1, LONGEST_SECRET + 1)).is_err());
    }

    // rows: edge/F06
    #[test]
    fn a_preflight_is_the_gateways_unless_the_function_asks_for_it() {
        assert_eq!(own_preflight("k", None).ok(), Some(false));
        assert_eq!(own_preflight("k", Some("gateway")).ok(), Some(false));
        assert_eq!(own_preflight("k", Some("function")).ok(), Some(true));
        assert!(own_preflight("k", Some("nobody")).is_err());
    }

    #[test]
    fn hosts_are_read_with_scheme_and_port() {
        let parse = OutboundHost::parse;
        let host = |scheme: Option<&str>, host: &str, port| OutboundHost {
            scheme: scheme.map(str::to_owned),
            host: host.to_owned(),
            port,
        };
        assert_eq!(parse("https://Api.Example.com/v1"), Some(host(Some("https"), "api.example.com", None)));
        assert_eq!(parse("*.example.com."), Some(host(None, "*.example.com", None)));
        assert_eq!(parse("http://127.0.0.1:9999"), Some(host(Some("http"), "127.0.0.1", Some(9999))));
        for address in ["[::1]:80", "::1", "localhost", "xn--bcher-kva.example"] {
            assert!(parse(address).is_some(), "{address}");
        }
        for wrong in [
            "",
            "*",
            "ftp://x",
            "a b",
            "user@host",
            "https://x:99999",
            "a..b",
            "*.*.example.com",
            "api*.example.com",
            "a.example,b.example",
            "bücher.example",
            "[::1",
            "https://",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        let texts = ["a b", "a.example", "env(NOBODY)", "b*"].map(str::to_owned);
        let message = outbound_hosts("k", &texts).expect_err("refused").to_string();
        assert_eq!(message, "k: `a b`, `b*` are no hosts such as https://api.example.com");
    }
}
