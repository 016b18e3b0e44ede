//! Keys of a secret, a JWK or a JWKS, and the tokens already checked by them.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse},
};
use quick_cache::{Weighter, sync::Cache};
use secrecy::{ExposeSecret, SecretSlice};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{Claims, KeyError, TokenError};

/// Longer tokens are refused unread.
const LONGEST_TOKEN: usize = 16 * 1024;

/// Bytes that one of the remembered tokens may take; a longer one counts as several.
const OF_ONE: u64 = 4 * 1024;

/// Counts what is remembered, by its size where that is unusual.
#[derive(Clone)]
struct BySize;

impl Weighter<[u8; 32], Arc<Claims>> for BySize {
    fn weight(&self, _: &[u8; 32], claims: &Arc<Claims>) -> u64 {
        claims.weight().div_ceil(OF_ONE)
    }
}

/// Keys, and the claims of tokens whose signature they proved.
pub(super) struct Keys {
    secret: SecretSlice<u8>,
    keys: Vec<Key>,
    entries: usize,
    checked: Option<Cache<[u8; 32], Arc<Claims>, BySize>>,
    requests: AtomicU64,
    hits: AtomicU64,
    kept: AtomicU64,
}

/// Counts of the memory of checked tokens (rest/CONTRACT.md Z04).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lookups {
    /// Tokens looked for.
    pub requests: u64,
    /// Tokens found.
    pub hits: u64,
    /// Tokens that had to give way to others.
    pub evictions: u64,
}

struct Key {
    id: Option<String>,
    /// What the key is good for; the token only chooses among these (rest/CONTRACT.md V05).
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").field("keys", &self.keys.len()).finish_non_exhaustive()
    }
}

impl Keys {
    pub(super) fn new(secret: &SecretSlice<u8>, entries: usize) -> Result<Self, KeyError> {
        Ok(Self {
            keys: read(secret.expose_secret())?,
            secret: secret.clone(),
            entries,
            checked: (entries > 0).then(|| Cache::with_weighter(entries, entries as u64, BySize)),
            requests: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            kept: AtomicU64::new(0),
        })
    }

    pub(super) fn are_of(&self, secret: &SecretSlice<u8>, entries: usize) -> bool {
        self.entries == entries && bool::from(self.secret.expose_secret().ct_eq(secret.expose_secret()))
    }

    pub(super) fn lookups(&self) -> Lookups {
        let held = self.checked.as_ref().map_or(0, Cache::len);
        let kept = self.kept.load(Ordering::Relaxed);
        Lookups {
            requests: self.requests.load(Ordering::Relaxed),
            hits: self.hits.load(Ordering::Relaxed),
            evictions: kept.saturating_sub(u64::try_from(held).unwrap_or(u64::MAX)),
        }
    }

    /// Claims of a token with a good signature, whatever they say; nothing refused is remembered.
    pub(super) fn verify(&self, token: &str) -> Result<Arc<Claims>, TokenError> {
        let Some(checked) = &self.checked else { return Ok(Arc::new(self.check(token)?)) };
        let id: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        self.requests.fetch_add(1, Ordering::Relaxed);
        if let Some(claims) = checked.get(&id) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(claims);
        }
        let claims = Arc::new(self.check(token)?);
        checked.insert(id, Arc::clone(&claims));
        self.kept.fetch_add(1, Ordering::Relaxed);
        Ok(claims)
    }

    fn check(&self, token: &str) -> Result<Claims, TokenError> {
        if token.is_empty() {
            return Err(TokenError::Empty);
        }
        let parts: Vec<&str> = token.split('.').collect();
        let [head, payload, signature] = parts[..] else { return Err(TokenError::Parts(parts.len())) };
        if token.len() > LONGEST_TOKEN {
            return Err(TokenError::Signature);
        }
        let head = Head::read(head)?;
        let signed = &token[..token.len() - signature.len() - 1];
        let mut refused = TokenError::NoKey;
        for key in self.keys.iter().filter(|key| key.fits(&head)) {
            match jsonwebtoken::crypto::verify(signature, signed.as_bytes(), &key.key, head.algorithm) {
                Ok(true) => return claims(payload),
                Ok(false) | Err(_) => refused = TokenError::WrongKey,
            }
        }
        Err(refused)
    }
}

impl Key {
    /// rest/CONTRACT.md T07
    fn fits(&self, head: &Head) -> bool {
        self.algorithms.contains(&head.algorithm) && (head.kid.is_none() || head.kid == self.id)
    }
}

struct Head {
    algorithm: Algorithm,
    kid: Option<String>,
}

impl Head {
    fn read(part: &str) -> Result<Self, TokenError> {
        let head: Map<String, Value> = json(part).ok_or(TokenError::Signature)?;
        if head.contains_key("enc") {
            return Err(TokenError::Encrypted);
        }
        // RFC 7515 section 4.1.11: a header that must be understood, and is not.
        if head.contains_key("crit") {
            return Err(TokenError::Signature);
        }
        let name = head.get("alg").and_then(Value::as_str).unwrap_or("none");
        let algorithm =
            name.parse().map_err(|_| TokenError::Algorithm(name.chars().take(20).collect::<String>()))?;
        Ok(Self { algorithm, kid: head.get("kid").and_then(Value::as_str).map(str::to_owned) })
    }
}

fn json<T: serde::de::DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

fn claims(payload: &str) -> Result<Claims, TokenError> {
    json(payload).map(Claims::from_map).ok_or(TokenError::Claims)
}

/// A JWKS, a JWK, or else the text itself (rest/CONTRACT.md T04).
fn read(secret: &[u8]) -> Result<Vec<Key>, KeyError> {
    let value: Option<Value> = serde_json::from_slice(secret).ok();
    let keys = match value {
        Some(Value::Object(set)) if set.contains_key("keys") => {
            let keys = set.get("keys").and_then(Value::as_array).cloned().unwrap_or_default();
            // A set may hold keys for other purposes, or of kinds that came later.
            keys.into_iter().filter_map(key).collect()
        }
        Some(jwk @ Value::Object(_)) if jwk.get("kty").is_some() => key(jwk).into_iter().collect(),
        _ => {
            let key = DecodingKey::from_secret(secret);
            vec![Key { id: None, algorithms: vec![Algorithm::HS256], key }]
        }
    };
    if keys.is_empty() { Err(KeyError::Unusable) } else { Ok(keys) }
}

fn key(value: Value) -> Option<Key> {
    let jwk: Jwk = serde_json::from_value(value).ok()?;
    if jwk.common.public_key_use == Some(PublicKeyUse::Encryption) {
        return None;
    }
    let of_kind = match &jwk.algorithm {
        AlgorithmParameters::OctetKey(_) => vec![Algorithm::HS256, Algorithm::HS384, Algorithm::HS512],
        AlgorithmParameters::RSA(_) => vec![Algorithm::RS256, Algorithm::RS384, Algorithm::RS512],
        AlgorithmParameters::EllipticCurve(curve) => match curve.curve {
            EllipticCurve::P256 => vec![Algorithm::ES256],
            EllipticCurve::P384 => vec![Algorithm::ES384],
            _ => return None,
        },
        AlgorithmParameters::OctetKeyPair(_) => vec![Algorithm::EdDSA],
        _ => return None,
    };
    let algorithms = match &jwk.common.key_algorithm {
        None => of_kind,
        Some(named) => {
            let named: Algorithm = named.to_string().parse().ok()?;
            let is_of_rsa = matches!(jwk.algorithm, AlgorithmParameters::RSA(_));
            let is_pss = matches!(named, Algorithm::PS256 | Algorithm::PS384 | Algorithm::PS512);
            (of_kind.contains(&named) || is_of_rsa && is_pss).then(|| vec![named])?
        }
    };
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    Some(Key { id: jwk.common.key_id, algorithms, key })
}
