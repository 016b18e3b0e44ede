//! API keys and token keys (stack.md 3.4).

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sha2::Sha256;

use crate::{ConfigError, load::variable, paths::join, raw::RawAuth};

const DEMO_JWT_SECRET: &str = "super-secret-jwt-token-with-at-least-32-characters-long";
const DEMO_PUBLISHABLE_KEY: &str = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
const DEMO_SECRET_KEY: &str = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz";

/// The signing key that every local Supabase stack shares, as a private JWK. Public knowledge: good for loopback only.
pub const DEMO_SIGNING_KEY: &str = include_str!("demo_signing_key.json");

/// Keys of the project. Debug output hides every secret.
#[derive(Debug, Clone)]
pub struct Keys {
    /// HS256 secret of legacy tokens.
    pub jwt_secret: SecretString,
    /// Legacy key with role `anon`; public. Made of the secret where config.toml has none, as `service_role_key` is.
    pub anon_key: String,
    /// Legacy key with role `service_role`.
    pub service_role_key: SecretString,
    /// `sb_publishable_…`; public.
    pub publishable_key: String,
    /// `sb_secret_…`.
    pub secret_key: SecretString,
    /// JWKs: the first that may sign does, all verify (auth.md J2).
    pub signing_keys: Vec<SecretString>,
    /// Whether `signing_keys_path` was given: then the HS256 secret is not published as a key (stack.md 3.4).
    pub own_signing_keys: bool,
    /// The file of `signing_keys_path`; a rotation changes it while the stack runs (auth.md J7).
    pub signing_keys_file: Option<PathBuf>,
}

impl Keys {
    pub(crate) fn check(raw: &RawAuth, folder: &Path) -> Result<Self, ConfigError> {
        refuse_unset(raw)?;
        let jwt_secret = raw.jwt_secret.clone().unwrap_or_else(|| DEMO_JWT_SECRET.to_owned());
        if jwt_secret.len() < 16 {
            return Err(ConfigError::value("auth.jwt_secret", "must have 16 characters or more"));
        }
        let text =
            |value: &Option<String>, default: &str| value.clone().unwrap_or_else(|| default.to_owned());
        let legacy =
            |value: &Option<String>, role| value.clone().unwrap_or_else(|| legacy_key(&jwt_secret, role));
        Ok(Self {
            anon_key: legacy(&raw.anon_key, "anon"),
            service_role_key: SecretString::from(legacy(&raw.service_role_key, "service_role")),
            jwt_secret: SecretString::from(jwt_secret),
            publishable_key: text(&raw.publishable_key, DEMO_PUBLISHABLE_KEY),
            secret_key: SecretString::from(text(&raw.secret_key, DEMO_SECRET_KEY)),
            signing_keys: signing_keys(raw.signing_keys_path.as_deref(), folder)?,
            own_signing_keys: raw.signing_keys_path.is_some(),
            signing_keys_file: raw.signing_keys_path.as_ref().map(|path| join(folder, path)),
        })
    }

    /// These keys with the signing keys as their file holds them now.
    ///
    /// # Errors
    /// [`ConfigError`] when the file cannot be read or holds no list of keys.
    pub fn with_signing_keys_of_now(&self) -> Result<Self, ConfigError> {
        let mut keys = self.clone();
        if let Some(file) = &self.signing_keys_file {
            keys.signing_keys = read_signing_keys(file)?;
        }
        Ok(keys)
    }

    /// Refuses the public demo keys where others can reach the stack: by its listener, or by a public server before it,
    /// whose address it gives out. Redirect targets say nothing: one list commonly serves this machine and a hosted project.
    pub(crate) fn check_audience(&self, host: IpAddr, addresses: &[&str]) -> Result<(), ConfigError> {
        let public = if host.is_loopback() {
            addresses.iter().find(|address| !crate::is_of_this_machine(address)).map(ToString::to_string)
        } else {
            Some(format!("server.host {host}"))
        };
        match public.zip(self.everybody_knows()) {
            None => Ok(()),
            Some((public, key)) => Err(ConfigError::value(
                key,
                format!(
                    "holds a public demo value, which is only for a stack on this machine; others reach this one by {public} (`[server] demo_keys = true` in banyan.toml allows it)"
                ),
            )),
        }
    }

    /// The first of the secrets, as a key of config.toml, that is a public demo value.
    #[must_use]
    pub fn everybody_knows(&self) -> Option<&'static str> {
        let demo = [
            ("auth.jwt_secret", self.jwt_secret.expose_secret() == DEMO_JWT_SECRET),
            (
                "auth.service_role_key",
                self.service_role_key.expose_secret() == legacy_key(DEMO_JWT_SECRET, "service_role"),
            ),
            ("auth.secret_key", self.secret_key.expose_secret() == DEMO_SECRET_KEY),
            ("auth.signing_keys_path", !self.own_signing_keys),
        ];
        demo.iter().find(|(_, is_demo)| *is_demo).map(|(key, _)| *key)
    }
}

/// The legacy key of a role where config.toml names none: the token that the supabase CLI makes of the secret. It ends in
/// November 2032.
fn legacy_key(jwt_secret: &str, role: &str) -> String {
    let claims = format!(r#"{{"iss":"supabase-demo","role":"{role}","exp":1983812996}}"#);
    let [head, claims] =
        [r#"{"alg":"HS256","typ":"JWT"}"#, claims.as_str()].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
    let mut signature =
        Hmac::<Sha256>::new_from_slice(jwt_secret.as_bytes()).expect("a secret may have any length");
    signature.update(format!("{head}.{claims}").as_bytes());
    let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.finalize().into_bytes());
    format!("{head}.{claims}.{signature}")
}

/// Refuses a key whose variable is not set: `env(…)` would be the key then, and anybody could write that.
fn refuse_unset(raw: &RawAuth) -> Result<(), ConfigError> {
    let keys = [
        ("auth.jwt_secret", &raw.jwt_secret),
        ("auth.secret_key", &raw.secret_key),
        ("auth.service_role_key", &raw.service_role_key),
        ("auth.publishable_key", &raw.publishable_key),
        ("auth.anon_key", &raw.anon_key),
    ];
    let unset = keys.iter().find_map(|(key, value)| Some((key, variable(value.as_deref()?)?)));
    match unset {
        None => Ok(()),
        Some((key, name)) => {
            let message =
                format!("environment variable {name} is not set, and the text that names it is no key");
            Err(ConfigError::value(key, message))
        }
    }
}

fn signing_keys(path: Option<&str>, folder: &Path) -> Result<Vec<SecretString>, ConfigError> {
    let Some(path) = path else {
        return Ok(vec![SecretString::from(DEMO_SIGNING_KEY.trim())]);
    };
    read_signing_keys(&join(folder, path))
}

fn read_signing_keys(path: &Path) -> Result<Vec<SecretString>, ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    let keys: Vec<Value> = serde_json::from_str(&text)
        .map_err(|error| ConfigError::Syntax { path: path.to_owned(), message: error.to_string() })?;
    if keys.is_empty() {
        return Err(ConfigError::value("auth.signing_keys_path", "the file holds no key"));
    }
    Ok(keys.into_iter().map(|key| SecretString::from(key.to_string())).collect())
}
