//! Checks options. An unknown word of a choice is refused. A number or truth value that cannot be
//! read counts as not given, as in the reference.

use std::{path::Path, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use secrecy::{SecretSlice, SecretString};

use super::{DataApi, DocumentMode, Listener, LogLevel, Pool, Tokens, TransactionEnd, layers::Lookup};
use crate::ConfigError;

/// A shorter secret can be guessed (rest/CONTRACT.md T04, V05).
const SHORTEST_SECRET: usize = 32;

pub(super) fn check(options: &Lookup<'_>) -> Result<DataApi, ConfigError> {
    let text = |names: &[&str]| options.text(names).map(str::to_owned);
    let switch = |name: &str, default: bool| options.boolean(&[name]).unwrap_or(default);
    let listener = listener(options, "server-host", "server-port", "server-unix-socket")?;
    Ok(DataApi {
        app_settings: options.app_settings(),
        verbose_errors: choose(options, "client-error-verbosity", &[("verbose", true), ("minimal", false)])?,
        aggregates: switch("db-aggregates-enabled", false),
        anonymous_role: text(&["db-anon-role"]),
        channel: text(&["db-channel"]).unwrap_or_else(|| "pgrst".to_owned()),
        channel_enabled: switch("db-channel-enabled", true),
        in_database: switch("db-config", true),
        pre_config: text(&["db-pre-config"]),
        extra_search_path: options
            .raw("db-extra-search-path")
            .map_or_else(|| vec!["public".to_owned()], list),
        hoisted_settings: list(text(&["db-hoisted-tx-settings"]).as_deref().unwrap_or(HOISTED)),
        max_rows: options.number(&["db-max-rows", "max-rows"]),
        plans: switch("db-plan-enabled", false),
        pool: pool(options),
        pre_request: text(&["db-pre-request", "pre-request"]),
        prepared_statements: switch("db-prepared-statements", true),
        root_spec: text(&["db-root-spec", "root-spec"]),
        schemas: schemas(options)?,
        transaction_end: choose(options, "db-tx-end", &TRANSACTION_ENDS)?,
        database: database(options)?,
        tokens: tokens(options)?,
        log_level: choose(options, "log-level", &LOG_LEVELS)?,
        log_query: switch("log-query", false),
        document: choose(options, "openapi-mode", &DOCUMENT_MODES)?,
        document_security: switch("openapi-security-active", false),
        public_url: public_url(options)?,
        allowed_origins: text(&["server-cors-allowed-origins"]).map(|origins| list(&origins)),
        timing: switch("server-timing-enabled", false),
        trace_header: text(&["server-trace-header"]),
        legacy_target_names: switch("url-use-legacy-target-names", true),
        unfiltered_writes: switch("db-unfiltered-writes", true),
        admin: admin(options, &listener)?,
        listener,
        reuse_port: switch("server-reuseport", false),
    })
}

const HOISTED: &str = "statement_timeout,plan_filter.statement_cost_limit,default_transaction_isolation";

/// The first of each list is the default.
const TRANSACTION_ENDS: [(&str, TransactionEnd); 4] = [
    ("commit", TransactionEnd { rollback: false, choice: false }),
    ("commit-allow-override", TransactionEnd { rollback: false, choice: true }),
    ("rollback", TransactionEnd { rollback: true, choice: false }),
    ("rollback-allow-override", TransactionEnd { rollback: true, choice: true }),
];

const LOG_LEVELS: [(&str, LogLevel); 5] = [
    ("error", LogLevel::Error),
    ("crit", LogLevel::Critical),
    ("warn", LogLevel::Warning),
    ("info", LogLevel::Info),
    ("debug", LogLevel::Debug),
];

const DOCUMENT_MODES: [(&str, DocumentMode); 3] = [
    ("follow-privileges", DocumentMode::FollowPrivileges),
    ("ignore-privileges", DocumentMode::IgnorePrivileges),
    ("disabled", DocumentMode::Disabled),
];

fn choose<T: Copy>(options: &Lookup<'_>, name: &str, words: &[(&str, T)]) -> Result<T, ConfigError> {
    let Some(word) = options.text(&[name]) else { return Ok(words[0].1) };
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        ConfigError::value(name, format!("\"{word}\" is none of {}", known.join(", ")))
    })
}

/// Names parted by commas; no words at all are no names.
fn list(words: &str) -> Vec<String> {
    match words {
        "" => Vec::new(),
        words => words.split(',').map(|name| name.trim().to_owned()).collect(),
    }
}

fn schemas(options: &Lookup<'_>) -> Result<Vec<String>, ConfigError> {
    let schemas = list(options.text(&["db-schemas", "db-schema"]).unwrap_or("public"));
    // Schemas that PostgreSQL reserves are no API (rest/CONTRACT.md K07).
    match schemas.iter().find(|schema| matches!(schema.as_str(), "pg_catalog" | "information_schema")) {
        Some(schema) => {
            Err(ConfigError::value("db-schemas", format!("db-schemas does not allow schema: '{schema}'")))
        }
        None => Ok(schemas),
    }
}

fn pool(options: &Lookup<'_>) -> Pool {
    let seconds = |names: &[&str], default| Duration::from_secs(options.number(names).unwrap_or(default));
    Pool {
        size: options.number(&["db-pool"]).unwrap_or(10),
        acquisition_timeout: seconds(&["db-pool-acquisition-timeout"], 10),
        max_lifetime: seconds(&["db-pool-max-lifetime"], 1800),
        max_idletime: seconds(&["db-pool-timeout", "db-pool-max-idletime"], 30),
        automatic_recovery: options.boolean(&["db-pool-automatic-recovery"]).unwrap_or(true),
    }
}

fn database(options: &Lookup<'_>) -> Result<SecretString, ConfigError> {
    let words = options.text(&["db-uri"]).unwrap_or("postgresql://");
    match words.strip_prefix('@') {
        Some(path) => Ok(String::from_utf8_lossy(&contents(path)?).trim().into()),
        None => Ok(words.into()),
    }
}

fn contents(path: &str) -> Result<Vec<u8>, ConfigError> {
    std::fs::read(path).map_err(|source| ConfigError::Read { path: Path::new(path).to_owned(), source })
}

fn tokens(options: &Lookup<'_>) -> Result<Tokens, ConfigError> {
    if options.is_in_database("jwt-secret")
        && options.text(&["jwt-secret"]).is_some_and(|it| it.starts_with('@'))
    {
        return Err(ConfigError::value("jwt-secret", "only a file or the environment may name a file"));
    }
    let secret = options.text(&["jwt-secret"]).map(|words| secret(options, words)).transpose()?;
    Ok(Tokens {
        secret,
        audience: audience(options)?,
        role_claim: options.text(&["jwt-role-claim-key", "role-claim-key"]).unwrap_or("$.role").to_owned(),
        cache_entries: options
            .number::<i64>(&["jwt-cache-max-entries"])
            .map_or(1000, |entries| usize::try_from(entries).unwrap_or(0)),
    })
}

/// rest/CONTRACT.md T04
fn secret(options: &Lookup<'_>, words: &str) -> Result<SecretSlice<u8>, ConfigError> {
    let mut bytes = match words.strip_prefix('@') {
        Some(path) => contents(path)?,
        None => words.as_bytes().to_vec(),
    };
    if words.starts_with('@') && bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    if options.boolean(&["jwt-secret-is-base64", "secret-is-base64"]).unwrap_or(false) {
        let standard: Vec<u8> = bytes.trim_ascii().iter().map(of_standard_alphabet).collect();
        bytes = STANDARD.decode(standard).map_err(|_| {
            ConfigError::value("jwt-secret", "it is not base64, as jwt-secret-is-base64 says")
        })?;
    }
    if !is_key(&bytes) && bytes.len() < SHORTEST_SECRET {
        return Err(ConfigError::value("jwt-secret", "The JWT secret must be at least 32 characters long."));
    }
    Ok(bytes.into())
}

fn of_standard_alphabet(sign: &u8) -> u8 {
    match sign {
        b'_' => b'/',
        b'-' => b'+',
        b'.' => b'=',
        other => *other,
    }
}

/// Returns whether a text is a JWK or a JWKS.
fn is_key(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(bytes)
        .is_ok_and(|value| value.get("kty").is_some() || value.get("keys").is_some())
}

/// A text, which must be a URI where it has a colon.
fn audience(options: &Lookup<'_>) -> Result<Option<String>, ConfigError> {
    match options.text(&["jwt-aud"]) {
        Some(words) if words.contains(':') && url::Url::parse(words).is_err() => {
            Err(ConfigError::value("jwt-aud", "jwt-aud should be a string or a valid URI"))
        }
        words => Ok(words.map(str::to_owned)),
    }
}

fn public_url(options: &Lookup<'_>) -> Result<Option<String>, ConfigError> {
    let Some(words) = options.text(&["openapi-server-proxy-uri"]) else { return Ok(None) };
    match url::Url::parse(words) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(Some(words.to_owned())),
        _ => Err(ConfigError::value(
            "openapi-server-proxy-uri",
            "Malformed proxy uri, a correct example: https://example.com:8443/basePath",
        )),
    }
}

fn listener(options: &Lookup<'_>, host: &str, port: &str, socket: &str) -> Result<Listener, ConfigError> {
    let path = options.text(&[socket]);
    let mode = socket_mode(options, &format!("{socket}-mode"))?;
    Ok(Listener {
        host: options.text(&[host, "server-host"]).unwrap_or("!4").to_owned(),
        port: options.number(&[port]).unwrap_or(3000),
        socket: path.map(|path| (path.into(), mode)),
    })
}

fn socket_mode(options: &Lookup<'_>, name: &str) -> Result<u32, ConfigError> {
    let words = options.text(&[name]).unwrap_or("660");
    match u32::from_str_radix(words, 8) {
        Ok(mode) if (0o600..=0o777).contains(&mode) => Ok(mode),
        Ok(_) => Err(ConfigError::value(name, "needs to be between 600 and 777")),
        Err(_) => Err(ConfigError::value(name, "not an octal")),
    }
}

/// rest/CONTRACT.md Z01
fn admin(options: &Lookup<'_>, main: &Listener) -> Result<Option<Listener>, ConfigError> {
    let mut admin = listener(options, "admin-server-host", "admin-server-port", "admin-server-unix-socket")?;
    let port: Option<u16> = options.number(&["admin-server-port"]);
    if port.is_some_and(|port| port == main.port && port != 0) {
        return Err(ConfigError::value(
            "admin-server-port",
            "admin-server-port cannot be the same as server-port",
        ));
    }
    admin.port = port.unwrap_or_default();
    Ok((port.is_some() || admin.socket.is_some()).then_some(admin))
}
