//! Keys that sign and verify, and the tokens already checked.

/// The keys of one list.
mod keys;

/// Keys of a configuration that nobody could use.
mod misfits;

use std::sync::Arc;

use arc_swap::ArcSwap;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, errors::ErrorKind};
use quick_cache::{Weighter, sync::Cache};
use ring::{rand::SystemRandom, signature::EcdsaKeyPair};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use self::keys::KeySet;
pub use self::misfits::{Misfit, misfits};
use crate::{ApiKeys, Caller, Claims, Credentials, Identified, KeyError, Proof, TokenError};

/// Tokens remembered, as many as there usually are.
const REMEMBERED_TOKENS: usize = 10_000;
/// Bytes that they take at most.
const REMEMBERED_BYTES: u64 = 16 * 1024 * 1024;
/// Longer tokens are refused unread.
const LONGEST_TOKEN: usize = 16 * 1024;

/// Signs the tokens of auth and checks the tokens of everybody.
///
/// A token is verified once and remembered by its SHA-256; its times are checked on every use. The keys can be replaced
/// while requests run (auth/CONTRACT.md J7).
pub struct Keyring {
    keys: ArcSwap<KeySet>,
    checked: Cache<[u8; 32], Checked, ByBytes>,
}

/// Bounds what is remembered by its size: a token may be a hundred times as long as another.
#[derive(Clone)]
struct ByBytes;

impl Weighter<[u8; 32], Checked> for ByBytes {
    fn weight(&self, _: &[u8; 32], checked: &Checked) -> u64 {
        checked.claims.weight()
    }
}

/// A token whose signature was checked, and the keys it was checked by.
#[derive(Clone)]
struct Checked {
    claims: Arc<Claims>,
    by: Arc<KeySet>,
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyring").field("kid", &self.keys.load().signing.id).finish_non_exhaustive()
    }
}

impl Keyring {
    /// A keyring of the project's keys.
    ///
    /// # Errors
    /// [`KeyError::Jwk`] when a key of the list cannot be used, [`KeyError::NoneSigns`] when none
    /// can sign (auth/CONTRACT.md J2, J3).
    pub fn new(keys: &banyan_config::Keys) -> Result<Self, KeyError> {
        let keys = ArcSwap::from_pointee(KeySet::new(keys)?);
        Ok(Self { keys, checked: Cache::with_weighter(REMEMBERED_TOKENS, REMEMBERED_BYTES, ByBytes) })
    }

    /// Takes over another list: what its first key signs from now on, and what a key that is gone had signed is refused
    /// at once, by every service that holds this keyring (auth/CONTRACT.md J5, J7).
    ///
    /// # Errors
    /// As [`Keyring::new`]; the keys stay as they were.
    pub fn replace(&self, keys: &banyan_config::Keys) -> Result<(), KeyError> {
        self.keys.store(Arc::new(KeySet::new(keys)?));
        Ok(())
    }

    /// The set handed to the stack's own services and functions: public parts, and locally the shared secret
    /// (server/CONTRACT.md GW-JWKS). It must never be served to the public: see
    /// [`Keyring::public_jwks`].
    #[must_use]
    pub fn jwks(&self) -> String {
        self.keys.load().jwks.clone()
    }

    /// The set served at `/.well-known/jwks.json`: public parts only.
    #[must_use]
    pub fn public_jwks(&self) -> Value {
        let mut set: Value = serde_json::from_str(&self.keys.load().jwks).expect("made by this keyring");
        if let Some(keys) = set["keys"].as_array_mut() {
            keys.retain(|key| key["kty"] != "oct");
        }
        set
    }

    /// The algorithm that tokens are signed with, in the words of JWA: `ES256`.
    #[must_use]
    pub fn algorithm(&self) -> String {
        format!("{:?}", self.keys.load().signing.algorithm)
    }

    /// Signs claims with the key that signs, and names it in the header.
    ///
    /// # Errors
    /// [`KeyError::Sign`] when the claims cannot be written as JSON.
    pub fn sign(&self, claims: &impl serde::Serialize) -> Result<String, KeyError> {
        let keys = self.keys.load();
        let mut header = Header::new(keys.signing.algorithm);
        header.kid.clone_from(&keys.signing.id);
        match &keys.signing.ready {
            Some(key) => written(&header, claims, key).map_err(KeyError::Sign),
            None => jsonwebtoken::encode(&header, claims, &keys.signing.key).map_err(KeyError::Sign),
        }
    }

    /// Turns the headers of a request into its caller.
    ///
    /// # Errors
    /// [`TokenError`] when a token was presented and is refused, or a required key is missing.
    pub fn identify(&self, keys: &ApiKeys, headers: &http::HeaderMap, now: OffsetDateTime) -> Identified {
        match keys.credentials(headers)? {
            Credentials::None => Ok(Caller::anonymous()),
            Credentials::Publishable => Ok(Caller::anonymous().proven_by(Proof::PublishableKey)),
            Credentials::Secret => Ok(Caller::service().proven_by(Proof::SecretKey)),
            Credentials::Bearer(token) => self.of_token(token, Proof::Authorization, now),
            Credentials::ApiKey(token) => self.of_token(token, Proof::ApiKey, now),
        }
    }

    fn of_token(&self, token: &str, proof: Proof, now: OffsetDateTime) -> Identified {
        Ok(Caller::new(self.verify(token, now)?, "anon").proven_by(proof))
    }

    /// Checks a token's signature, then its times.
    ///
    /// # Errors
    /// [`TokenError`]; nothing refused is remembered.
    pub fn verify(&self, token: &str, now: OffsetDateTime) -> Result<Arc<Claims>, TokenError> {
        if token.len() > LONGEST_TOKEN {
            return Err(TokenError::Signature);
        }
        let keys = self.keys.load_full();
        let key: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        if let Some(Checked { claims, by }) = self.checked.get(&key)
            && Arc::ptr_eq(&by, &keys)
        {
            claims.check_times(now).inspect_err(|_| {
                self.checked.remove(&key);
            })?;
            return Ok(claims);
        }
        let claims = Arc::new(check_signature(&keys, token)?);
        claims.check_times(now)?;
        self.checked.insert(key, Checked { claims: Arc::clone(&claims), by: keys });
        Ok(claims)
    }
}

/// As `jsonwebtoken::encode`, with a key that is ready: RFC 7515 section 3.1 and RFC 7518 section 3.4.
fn written(
    header: &Header,
    claims: &impl serde::Serialize,
    key: &EcdsaKeyPair,
) -> Result<String, jsonwebtoken::errors::Error> {
    let mut token = URL_SAFE_NO_PAD.encode(serde_json::to_vec(header)?);
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(serde_json::to_vec(claims)?, &mut token);
    let signature = key.sign(&SystemRandom::new(), token.as_bytes());
    let signature = signature.map_err(|_| ErrorKind::InvalidEcdsaKey)?;
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut token);
    Ok(token)
}

fn check_signature(keys: &KeySet, token: &str) -> Result<Claims, TokenError> {
    match token.split('.').count() {
        3 => {}
        parts => return Err(TokenError::Parts(parts)),
    }
    let header = header(token)?;
    let mut refused = keys.without_key(header.algorithm);
    for key in keys.fitting(header.algorithm, header.kid.as_deref()) {
        match decode(token, header.algorithm, key) {
            Ok(claims) => return Ok(claims),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

struct TokenHeader {
    algorithm: Algorithm,
    kid: Option<String>,
}

/// Reads the first part by itself, so that an unknown algorithm can be named in the refusal.
fn header(token: &str) -> Result<TokenHeader, TokenError> {
    let part = token.split('.').next().unwrap_or_default();
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Signature)?;
    let header: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|_| TokenError::Signature)?;
    // RFC 7515 section 4.1.11: a header that must be understood, and is not.
    if header.contains_key("crit") {
        return Err(TokenError::Signature);
    }
    let name = header.get("alg").and_then(Value::as_str).unwrap_or("none");
    let algorithm = match name {
        "HS256" => Algorithm::HS256,
        "ES256" => Algorithm::ES256,
        "RS256" => Algorithm::RS256,
        "RS512" => Algorithm::RS512,
        "EdDSA" => Algorithm::EdDSA,
        other => return Err(TokenError::Algorithm(other.chars().take(20).collect())),
    };
    Ok(TokenHeader { algorithm, kid: header.get("kid").and_then(Value::as_str).map(str::to_owned) })
}

fn decode(token: &str, algorithm: Algorithm, key: &DecodingKey) -> Result<Claims, TokenError> {
    let mut validation = Validation::new(algorithm);
    // Times are checked by ourselves against the request's own `now`; audience is the services' business.
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    let value = jsonwebtoken::decode::<Value>(token, key, &validation)
        .map_err(|error| match error.kind() {
            ErrorKind::InvalidSignature => TokenError::WrongKey,
            _ => TokenError::Signature,
        })?
        .claims;
    match value {
        Value::Object(map) => Ok(Claims::from_map(map)),
        _ => Err(TokenError::Claims),
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod forgery_tests;
