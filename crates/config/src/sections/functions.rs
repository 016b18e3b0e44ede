//! `[edge_runtime]` and `[functions.*]` of config.toml and banyan.toml.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use secrecy::SecretString;

use crate::{
    ConfigError, Environment,
    environment::read_env_file,
    raw::{RawEdgeRuntime, RawFunction},
};

/// What all functions share.
#[derive(Debug, Clone)]
pub struct EdgeRuntime {
    /// Whether functions are served.
    pub enabled: bool,
    /// Secrets every function sees: `[edge_runtime.secrets]`, then `supabase/functions/.env` (functions.md V05).
    pub secrets: BTreeMap<String, SecretString>,
}

/// One function's policy.
#[derive(Debug, Clone)]
pub struct Function {
    /// Disabled functions answer as unknown ones (functions.md F05).
    pub enabled: bool,
    /// Whether a valid token is needed (functions.md J01).
    pub verify_jwt: bool,
    /// Roles that may call; empty means any (functions.md J09).
    pub roles: Vec<String>,
    /// Variables of this function alone (functions.md V07).
    pub env: BTreeMap<String, SecretString>,
    /// A prebuilt component instead of a crate (decisions P05).
    pub component: Option<PathBuf>,
    /// Hosts it may call (functions.md H02); the stack's own API always.
    pub outbound_hosts: Vec<OutboundHost>,
    /// Largest linear memory in MiB.
    pub memory_mb: u32,
    /// CPU time for one request.
    pub cpu: Duration,
    /// Wall-clock time for one request with its background work.
    pub wall_clock: Duration,
    /// Requests at a time; more wait.
    pub concurrency: u32,
    /// Called by the stack itself at this interval as service_role (product decision D17).
    pub schedule: Option<Schedule>,
}

/// How often a function is called by the stack itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Time between two calls.
    pub every: Duration,
}

/// A host that a function may call: `https://api.example.com`, `*.example.com`, `http://127.0.0.1:9999`.
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
            schedule: None,
        }
    }
}

impl Function {
    pub(crate) fn check(
        name: &str,
        raw: RawFunction,
        folder: &std::path::Path,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let key = |part: &str| format!("functions.{name}.{part}");
        let default = Self::default();
        let memory_mb = raw.memory_mb.unwrap_or(default.memory_mb);
        if !(1..=256).contains(&memory_mb) {
            return Err(ConfigError::value(&key("memory_mb"), "must be from 1 to 256"));
        }
        let concurrency = raw.concurrency.unwrap_or(default.concurrency);
        if concurrency == 0 {
            return Err(ConfigError::value(&key("concurrency"), "must be at least 1"));
        }
        let span = |part: &str, text: Option<String>| {
            text.map(|text| super::duration(&key(part), &text)).transpose()
        };
        Ok(Self {
            enabled: raw.enabled,
            verify_jwt: raw.verify_jwt,
            roles: raw.roles.unwrap_or_default(),
            env: secrets(raw.env),
            component: raw.component.map(|path| folder.join(path)),
            outbound_hosts: raw
                .outbound_hosts
                .unwrap_or_default()
                .iter()
                .filter_map(|host| substitute(host, environment))
                .map(|host| OutboundHost::parse(&key("outbound_hosts"), &host))
                .collect::<Result<_, _>>()?,
            memory_mb,
            cpu: raw.cpu_ms.map_or(default.cpu, Duration::from_millis),
            wall_clock: span("wall_clock", raw.wall_clock)?.unwrap_or(default.wall_clock),
            concurrency,
            schedule: span("schedule", raw.schedule)?.map(|every| Schedule { every }),
        })
    }
}

/// A host written as `env(NAME)` that is not set is left out: nothing to call, nothing allowed.
fn substitute(text: &str, environment: &Environment) -> Option<String> {
    match text.strip_prefix("env(").and_then(|rest| rest.strip_suffix(')')) {
        None => Some(text.to_owned()),
        Some(name) => environment.get(name).map(str::to_owned),
    }
}

impl OutboundHost {
    fn parse(key: &str, text: &str) -> Result<Self, ConfigError> {
        let wrong =
            || ConfigError::value(key, format!("`{text}` is no host such as https://api.example.com"));
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme @ ("http" | "https"), rest)) => (Some(scheme.to_owned()), rest),
            Some(_) => return Err(wrong()),
            None => (None, text),
        };
        let authority = rest.split('/').next().unwrap_or_default();
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') && !port.contains(']') => {
                (host, Some(port.parse().map_err(|_| wrong())?))
            }
            _ => (authority, None),
        };
        if host.is_empty() || host.contains(['@', ' ']) || host == "*" {
            return Err(wrong());
        }
        Ok(Self { scheme, host: host.to_ascii_lowercase(), port })
    }
}

impl EdgeRuntime {
    pub(crate) fn check(raw: RawEdgeRuntime, folder: &std::path::Path) -> Result<Self, ConfigError> {
        let mut all = raw.secrets;
        for (name, value) in read_env_file(&folder.join("functions/.env"))? {
            all.entry(name).or_insert(value);
        }
        all.retain(|name, value| {
            let reserved = name.starts_with("SUPABASE_");
            if reserved {
                tracing::warn!(secret.name = %name, "a secret may not start with SUPABASE_ and is ignored");
            }
            // An unset `env(NAME)` stays as written; a function must not take it for a value.
            let unset = value.starts_with("env(") && value.ends_with(')');
            !reserved && !unset
        });
        Ok(Self { enabled: raw.enabled, secrets: secrets(all) })
    }
}

fn secrets(raw: BTreeMap<String, String>) -> BTreeMap<String, SecretString> {
    raw.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_with_scheme_and_port() {
        let parse = |text| OutboundHost::parse("k", text);
        let host = |scheme: Option<&str>, host: &str, port| OutboundHost {
            scheme: scheme.map(str::to_owned),
            host: host.to_owned(),
            port,
        };
        assert_eq!(
            parse("https://Api.Example.com/v1").ok(),
            Some(host(Some("https"), "api.example.com", None))
        );
        assert_eq!(parse("*.example.com").ok(), Some(host(None, "*.example.com", None)));
        assert_eq!(parse("http://127.0.0.1:9999").ok(), Some(host(Some("http"), "127.0.0.1", Some(9999))));
        for wrong in ["", "*", "ftp://x", "a b", "user@host", "https://x:99999"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
