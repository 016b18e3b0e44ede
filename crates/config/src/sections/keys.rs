//! API keys and token keys (CONTRACT.md CFG-KEYS to CFG-DEMO-KEYS).

use std::path::{Path, PathBuf};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sha2::Sha256;

use crate::{
    ConfigError,
    env_reference::{unset as not_set, variable},
    paths::join,
    raw::RawAuth,
};

/// The HS256 secret that every local Supabase stack shares. Public knowledge: good for loopback
/// only.
pub const DEMO_JWT_SECRET: &str = "super-secret-jwt-token-with-at-least-32-characters-long";
const DEMO_PUBLISHABLE_KEY: &str = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
const DEMO_SECRET_KEY: &str = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz";

/// The signing key that every local Supabase stack shares, as a private JWK. Public knowledge: good
/// for loopback only.
pub const DEMO_SIGNING_KEY: &str = include_str!("demo_signing_key.json");

/// Keys of the project. Debug output hides every secret.
#[derive(Debug, Clone)]
pub struct Keys {
    /// HS256 secret of legacy tokens.
    pub jwt_secret: SecretString,
    /// `true`: tokens signed with that secret are accepted, legacy keys among them
    /// (`auth.legacy_keys` of banyan.toml).
    pub legacy: bool,
    /// Legacy key with role `anon`; public. If config.toml has none, it is made from the secret,
    /// and so is `service_role_key`. If legacy keys are off, this field holds the publishable key
    /// and `service_role_key` the secret key, so that programs which read these names get keys that
    /// work.
    pub anon_key: String,
    /// Legacy key with role `service_role`.
    pub service_role_key: SecretString,
    /// `sb_publishable_…`; public.
    pub publishable_key: String,
    /// `sb_secret_…`.
    pub secret_key: SecretString,
    /// JWKs: the first that may sign does, all verify (auth/CONTRACT.md J2).
    pub signing_keys: Vec<SecretString>,
    /// `true`: `signing_keys_path` was given, so the HS256 secret is not published as a key
    /// (server/CONTRACT.md GW-JWKS).
    pub own_signing_keys: bool,
    /// The file of `signing_keys_path`; a rotation changes it while the stack runs
    /// (auth/CONTRACT.md J7).
    pub signing_keys_file: Option<PathBuf>,
}

/// Reads the keys in `[auth]`.
pub(crate) const KEYS: [&str; 6] =
    ["jwt_secret", "secret_key", "service_role_key", "publishable_key", "anon_key", "signing_keys_path"];

/// Bytes of the shortest secret that is taken.
const SHORTEST: usize = 16;
/// Bytes of the shortest secret that signs by HS256 (RFC 7518 section 3.2).
const SHORTEST_OCT: usize = 32;
const TAKE_OUT: &str = "take the demo key, which everybody has, out of the file";

/// How keys of one's own are made, for a shell.
const RECIPES: [(&str, &str); 3] = [
    ("jwt_secret", "$(openssl rand -hex 32)"),
    ("secret_key", "sb_secret_$(openssl rand -hex 24)"),
    ("publishable_key", "sb_publishable_$(openssl rand -hex 16)"),
];

impl Keys {
    /// `others` says by what others than this machine reach the stack, where they must not find the
    /// demo keys.
    pub(crate) fn check(
        raw: &RawAuth,
        legacy: bool,
        folder: &Path,
        others: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let mut errors = unset(raw);
        let jwt_secret = raw.jwt_secret.clone().unwrap_or_else(|| DEMO_JWT_SECRET.to_owned());
        let text = |value: &Option<String>, default: &str| {
            value.clone().filter(|text| !text.is_empty()).unwrap_or_else(|| default.to_owned())
        };
        let (publishable_key, secret_key) =
            (text(&raw.publishable_key, DEMO_PUBLISHABLE_KEY), text(&raw.secret_key, DEMO_SECRET_KEY));
        let old = |value: &Option<String>, role, instead: &String| match legacy {
            true => value.clone().unwrap_or_else(|| legacy_key(&jwt_secret, role)),
            false => instead.clone(),
        };
        let signing_keys_file = Self::signing_keys_file(raw, folder);
        let signing_keys_file = signing_keys_file.map_err(|error| errors.push(error)).unwrap_or_default();
        let signing_keys = signing_keys(signing_keys_file.as_deref());
        let signing_keys = signing_keys.map_err(|error| errors.push(error)).unwrap_or_default();
        let keys = Self {
            legacy,
            anon_key: old(&raw.anon_key, "anon", &publishable_key),
            service_role_key: SecretString::from(old(&raw.service_role_key, "service_role", &secret_key)),
            jwt_secret: SecretString::from(jwt_secret),
            publishable_key,
            secret_key: SecretString::from(secret_key),
            signing_keys,
            own_signing_keys: signing_keys_file.is_some(),
            signing_keys_file,
        };
        errors.extend(keys.unfit());
        errors.extend(others.and_then(|others| keys.refuse_demo(others, raw)));
        if errors.is_empty() { Ok(keys) } else { Err(ConfigError::all(errors)) }
    }

    /// The file of `signing_keys_path`, whether or not it exists yet. A variable that is not set
    /// names none, least of all one of the name `env(…)`.
    pub(crate) fn signing_keys_file(raw: &RawAuth, folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
        let Some(path) = raw.signing_keys_path.as_ref().filter(|path| !path.is_empty()) else {
            return Ok(None);
        };
        match variable(path) {
            Some(name) => Err(no_keys(not_set(name))),
            None => Ok(Some(join(folder, path))),
        }
    }

    /// Returns the keys that are there, for commands that make the others. An unset variable does
    /// not fail, and neither does a stack that others can reach.
    pub(crate) fn so_far(raw: RawAuth, legacy: bool, folder: &Path) -> Result<Self, ConfigError> {
        let made = |key: Option<String>| key.filter(|text| variable(text).is_none());
        let raw = RawAuth {
            jwt_secret: made(raw.jwt_secret),
            secret_key: made(raw.secret_key),
            service_role_key: made(raw.service_role_key),
            publishable_key: made(raw.publishable_key),
            anon_key: made(raw.anon_key),
            ..raw
        };
        Self::check(&raw, legacy, folder, None)
    }

    /// These keys with the signing keys as their file holds them now.
    ///
    /// # Errors
    /// [`ConfigError`] when the file cannot be read, holds no list of keys, or the demo key where
    /// there was none.
    pub fn with_signing_keys_of_now(&self) -> Result<Self, ConfigError> {
        let mut keys = self.clone();
        if let Some(file) = &self.signing_keys_file {
            keys.signing_keys = signing_keys(Some(file))?;
        }
        if keys.accepts_demo_tokens() && !self.accepts_demo_tokens() {
            return Err(no_keys(TAKE_OUT.to_owned()));
        }
        Ok(keys)
    }

    /// Returns whether anybody can sign a token that these keys accept: a signing key is the demo
    /// key or the demo secret, at any position and under any name.
    fn accepts_demo_tokens(&self) -> bool {
        let demo: Value = serde_json::from_str(DEMO_SIGNING_KEY).expect("the demo key is JSON");
        let secret = BASE64_URL_SAFE_NO_PAD.encode(DEMO_JWT_SECRET);
        self.signing_keys.iter().any(|key| {
            let key: Value = serde_json::from_str(key.expose_secret()).unwrap_or_default();
            key["x"] == demo["x"] || key["k"] == secret.as_str()
        })
    }

    /// Keys that are too short, or stand in each other's place: the secret one must never be one
    /// that browsers are given.
    fn unfit(&self) -> Vec<ConfigError> {
        let (secret, publishable) = (self.secret_key.expose_secret(), self.publishable_key.as_str());
        let faults = [
            (
                "jwt_secret",
                self.jwt_secret.expose_secret().len() < SHORTEST,
                "must have 16 characters or more",
            ),
            ("secret_key", secret.len() < SHORTEST, "must have 16 characters or more"),
            ("secret_key", secret == publishable, "must be another than publishable_key, which is public"),
            ("secret_key", secret.starts_with("sb_publishable_"), "is a publishable key, which is public"),
            (
                "publishable_key",
                publishable.starts_with("sb_secret_"),
                "is a secret key, and would be public",
            ),
        ];
        let faults = faults.into_iter().filter(|(_, is_at_fault, _)| *is_at_fault);
        faults.map(|(key, _, message)| ConfigError::value(&format!("auth.{key}"), message)).collect()
    }

    /// The first of the secrets, as a key of config.toml, that is a public demo value.
    #[must_use]
    pub fn everybody_knows(&self) -> Option<&'static str> {
        self.known().next()
    }

    /// Returns whether the secret key is the public demo key.
    #[must_use]
    pub fn has_demo_secret_key(&self) -> bool {
        self.secret_key.expose_secret() == DEMO_SECRET_KEY
    }

    fn known(&self) -> impl Iterator<Item = &'static str> {
        let known = [
            ("auth.jwt_secret", self.jwt_secret.expose_secret() == DEMO_JWT_SECRET),
            (
                "auth.service_role_key",
                self.service_role_key.expose_secret() == legacy_key(DEMO_JWT_SECRET, "service_role"),
            ),
            ("auth.secret_key", self.has_demo_secret_key()),
            ("auth.signing_keys_path", self.accepts_demo_tokens()),
        ];
        known.into_iter().filter(|(_, is_known)| *is_known).map(|(key, _)| key)
    }

    /// Refuses the public demo keys where others can reach the stack, all in one with what makes
    /// others.
    fn refuse_demo(&self, others: &str, raw: &RawAuth) -> Option<ConfigError> {
        let lines: Vec<String> = self.known().filter_map(|key| way_out(key, raw)).collect();
        let message = format!(
            "others reach this stack by {others}, and these of its keys are public demo values, which are only for a stack on this machine. \
             In supabase/config.toml, below [auth], each is to be one of its own, by the command beside it:\n{}\n\
             anon_key and service_role_key are made of jwt_secret where they are not set, and publishable_key is no secret. \
             (`[server] demo_keys = true` in banyan.toml allows the demo values, for a demonstration that holds nothing.)",
            lines.join("\n")
        );
        (!lines.is_empty()).then(|| ConfigError::value("auth", message))
    }
}

/// Says what to set in place of a demo value, and how to make it. None if it is made from another
/// value.
fn way_out(key: &str, raw: &RawAuth) -> Option<String> {
    let (setting, how) = match key.strip_prefix("auth.")? {
        "service_role_key" if raw.service_role_key.is_none() => return None,
        "service_role_key" => ("service_role_key".to_owned(), "strike it out".to_owned()),
        "signing_keys_path" if raw.signing_keys_path.as_ref().is_some_and(|path| !path.is_empty()) => {
            ("signing_keys_path".to_owned(), TAKE_OUT.to_owned())
        }
        "signing_keys_path" => (
            "signing_keys_path = \"./signing_keys.json\"".to_owned(),
            "banyan gen signing-key --append".to_owned(),
        ),
        name => (format!("{name} = \"env({0})\"", name.to_uppercase()), recipe(name, &name.to_uppercase())?),
    };
    Some(format!("  {setting:<43}  {how}"))
}

/// The command that puts a new key into a variable.
fn recipe(key: &str, variable: &str) -> Option<String> {
    let (_, value) = RECIPES.iter().find(|(name, _)| *name == key)?;
    Some(format!("echo \"{variable}={value}\" >> supabase/.env.local"))
}

/// Keys in whose place a variable is named, and none is found: the text would be the key then, and
/// anybody could write that.
fn unset(raw: &RawAuth) -> Vec<ConfigError> {
    let keys = [
        ("jwt_secret", &raw.jwt_secret),
        ("secret_key", &raw.secret_key),
        ("service_role_key", &raw.service_role_key),
        ("publishable_key", &raw.publishable_key),
        ("anon_key", &raw.anon_key),
    ];
    let faults =
        keys.into_iter().filter_map(|(key, value)| Some((key, without_value(key, value.as_deref()?)?)));
    faults.map(|(key, message)| ConfigError::value(&format!("auth.{key}"), message)).collect()
}

/// The message for a key that names a variable and holds no value.
fn without_value(key: &str, text: &str) -> Option<String> {
    if is_meant_as_variable(text) {
        return Some("looks like the name of a variable; write it as env(NAME), without spaces".to_owned());
    }
    let name = variable(text)?;
    let way = recipe(key, name).map_or_else(
        || "strike the key out: it is made of jwt_secret then".to_owned(),
        |command| format!("`{command}` makes one"),
    );
    Some(format!("environment variable {name} is not set, or empty: {way}"))
}

/// Returns whether a text was meant to name a variable, though not in the form that [`variable`]
/// reads. Otherwise the text itself would become the key.
fn is_meant_as_variable(text: &str) -> bool {
    let shell =
        text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).or_else(|| text.strip_prefix('$'));
    let is_call = text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("env("));
    shell.is_some_and(is_name) || (is_call && !variable(text).is_some_and(is_name))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The legacy key of a role where config.toml names none: the token that the supabase CLI makes of
/// the secret. It ends in November 2032.
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

/// Returns the keys of the file, at least one. Without a file it returns the demo key.
fn signing_keys(file: Option<&Path>) -> Result<Vec<SecretString>, ConfigError> {
    let Some(file) = file else { return Ok(vec![SecretString::from(DEMO_SIGNING_KEY.trim())]) };
    let keys = read_signing_keys(file)?;
    if keys.is_empty() {
        return Err(no_keys(format!("{} holds no key; {WRITES_KEYS}", file.display())));
    }
    if keys.iter().any(is_short) {
        let message = format!(
            "{} holds a key of type oct with fewer than 32 bytes, which can be guessed",
            file.display()
        );
        return Err(no_keys(message));
    }
    Ok(keys)
}

/// Returns whether a key is a secret that can be guessed.
fn is_short(key: &SecretString) -> bool {
    let key: Value = serde_json::from_str(key.expose_secret()).unwrap_or_default();
    let bytes = key["k"].as_str().and_then(|text| BASE64_URL_SAFE_NO_PAD.decode(text).ok());
    key["kty"] == "oct" && bytes.is_none_or(|bytes| bytes.len() < SHORTEST_OCT)
}

const WRITES_KEYS: &str = "`banyan gen signing-key --append` writes one";

fn no_keys(message: String) -> ConfigError {
    ConfigError::value("auth.signing_keys_path", message)
}

/// The keys in a file.
///
/// # Errors
/// [`ConfigError`] when it cannot be read or holds no list of keys.
pub fn read_signing_keys(path: &Path) -> Result<Vec<SecretString>, ConfigError> {
    let text = crate::text_file::read(path)
        .map_err(|error| no_keys(format!("cannot read {}: {error}; {WRITES_KEYS}", path.display())))?;
    let keys: Vec<Value> = serde_json::from_str(&text).map_err(|error| {
        let form = "must hold a list of keys, [ {…} ], as `banyan gen signing-key --append` writes it";
        // Its text quotes what it did not expect, which may be a key.
        no_keys(format!("{} {form}; line {}, column {}", path.display(), error.line(), error.column()))
    })?;
    Ok(keys.into_iter().map(|key| SecretString::from(key.to_string())).collect())
}
