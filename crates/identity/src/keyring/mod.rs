//! Keys that sign and verify, and the tokens already checked.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, jwk::Jwk};
use p256::pkcs8::EncodePrivateKey;
use quick_cache::sync::Cache;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use crate::{ApiKeys, Caller, Claims, Credentials, Identified, KeyError, TokenError};

/// Tokens remembered; each costs about one kilobyte.
const REMEMBERED_TOKENS: usize = 10_000;
/// Longer tokens are refused unread.
const LONGEST_TOKEN: usize = 16 * 1024;

/// Signs the tokens of auth and checks the tokens of everybody.
///
/// A token is verified once and remembered by its SHA-256; its times are checked on every use.
pub struct Keyring {
    signing: SigningKey,
    verifying: Vec<VerifyingKey>,
    secret: DecodingKey,
    jwks: String,
    checked: Cache<[u8; 32], Arc<Claims>>,
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyring").field("kid", &self.signing.id).finish_non_exhaustive()
    }
}

struct SigningKey {
    id: Option<String>,
    key: EncodingKey,
}

struct VerifyingKey {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Keyring {
    /// A keyring of the project's keys.
    ///
    /// # Errors
    /// [`KeyError::Jwk`] when a signing key is no EC P-256 private JWK.
    pub fn new(keys: &banyan_config::Keys) -> Result<Self, KeyError> {
        let jwks = keys
            .signing_keys
            .iter()
            .enumerate()
            .map(|(i, key)| parse(i, key))
            .collect::<Result<Vec<_>, _>>()?;
        let signing = jwks.first().ok_or_else(|| KeyError::Jwk { index: 0, message: "missing".into() })?;
        let mut public: Vec<Value> = jwks.iter().map(public_part).collect();
        let published_secret =
            json!({"kty": "oct", "k": URL_SAFE_NO_PAD.encode(keys.jwt_secret.expose_secret())});
        let verifying =
            public.iter().enumerate().map(|(i, key)| verifying_key(i, key)).collect::<Result<_, _>>()?;
        if keys.own_signing_keys {
            public.retain(|key| key["kty"] != "oct");
        }
        let with_secret = public.iter().cloned().chain((!keys.own_signing_keys).then_some(published_secret));
        Ok(Self {
            signing: signing_key(signing)?,
            verifying,
            secret: DecodingKey::from_secret(keys.jwt_secret.expose_secret().as_bytes()),
            jwks: json!({"keys": with_secret.collect::<Vec<_>>()}).to_string(),
            checked: Cache::new(REMEMBERED_TOKENS),
        })
    }

    /// The set handed to the stack's own services and functions: public parts, and locally the shared secret
    /// (stack.md 3.4). It must never be served to the public: see [`Keyring::public_jwks`].
    #[must_use]
    pub fn jwks(&self) -> &str {
        &self.jwks
    }

    /// The set served at `/.well-known/jwks.json`: public parts only.
    #[must_use]
    pub fn public_jwks(&self) -> Value {
        let mut set: Value = serde_json::from_str(&self.jwks).expect("made by this keyring");
        if let Some(keys) = set["keys"].as_array_mut() {
            keys.retain(|key| key["kty"] != "oct");
        }
        set
    }

    /// Signs claims with the first key, ES256.
    ///
    /// # Errors
    /// [`KeyError::Sign`] when the claims cannot be written as JSON.
    pub fn sign(&self, claims: &impl serde::Serialize) -> Result<String, KeyError> {
        let mut header = Header::new(Algorithm::ES256);
        header.kid.clone_from(&self.signing.id);
        jsonwebtoken::encode(&header, claims, &self.signing.key).map_err(KeyError::Sign)
    }

    /// Turns the headers of a request into its caller.
    ///
    /// # Errors
    /// [`TokenError`] when a token was presented and is refused, or a required key is missing.
    pub fn identify(&self, keys: &ApiKeys, headers: &http::HeaderMap, now: OffsetDateTime) -> Identified {
        match keys.credentials(headers)? {
            Credentials::None | Credentials::Publishable => Ok(Caller::anonymous()),
            Credentials::Secret => Ok(Caller::service()),
            Credentials::Token(token) => Ok(Caller::new(self.verify(token, now)?, "anon")),
        }
    }

    /// Checks a token's signature, then its times.
    ///
    /// # Errors
    /// [`TokenError`]; nothing refused is remembered.
    pub fn verify(&self, token: &str, now: OffsetDateTime) -> Result<Arc<Claims>, TokenError> {
        if token.len() > LONGEST_TOKEN {
            return Err(TokenError::Signature);
        }
        let key: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        if let Some(claims) = self.checked.get(&key) {
            claims.check_times(now).inspect_err(|_| {
                self.checked.remove(&key);
            })?;
            return Ok(claims);
        }
        let claims = Arc::new(self.check_signature(token)?);
        claims.check_times(now)?;
        self.checked.insert(key, Arc::clone(&claims));
        Ok(claims)
    }

    fn check_signature(&self, token: &str) -> Result<Claims, TokenError> {
        match token.split('.').count() {
            3 => {}
            parts => return Err(TokenError::Parts(parts)),
        }
        let header = header(token)?;
        if header.algorithm == Algorithm::HS256 {
            return decode(token, Algorithm::HS256, &self.secret);
        }
        let fits = |key: &&VerifyingKey| {
            key.algorithm == header.algorithm
                && (header.kid.is_none() || key.id.is_none() || key.id == header.kid)
        };
        let mut refused = TokenError::NoKey;
        for key in self.verifying.iter().filter(fits) {
            match decode(token, header.algorithm, &key.key) {
                Ok(claims) => return Ok(claims),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }
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
    let name = header.get("alg").and_then(Value::as_str).unwrap_or("none");
    let algorithm = match name {
        "HS256" => Algorithm::HS256,
        "ES256" => Algorithm::ES256,
        "RS256" => Algorithm::RS256,
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
            jsonwebtoken::errors::ErrorKind::InvalidSignature => TokenError::WrongKey,
            _ => TokenError::Signature,
        })?
        .claims;
    match value {
        Value::Object(map) => Ok(Claims::from_map(map)),
        _ => Err(TokenError::Claims),
    }
}

fn parse(index: usize, key: &SecretString) -> Result<Value, KeyError> {
    let key: Value = serde_json::from_str(key.expose_secret())
        .map_err(|_| KeyError::Jwk { index, message: "it is not JSON".into() })?;
    match (key["kty"].as_str(), key["crv"].as_str(), key["d"].as_str()) {
        (Some("EC"), Some("P-256"), Some(_)) => Ok(key),
        _ => Err(KeyError::Jwk {
            index,
            message: "only EC keys on P-256 with their private part can sign".into(),
        }),
    }
}

fn public_part(key: &Value) -> Value {
    let mut public = Map::new();
    for name in ["kty", "kid", "use", "alg", "ext", "crv", "x", "y"] {
        if let Some(value) = key.get(name) {
            public.insert(name.to_owned(), value.clone());
        }
    }
    public.insert("key_ops".to_owned(), json!(["verify"]));
    Value::Object(public)
}

fn verifying_key(index: usize, public: &Value) -> Result<VerifyingKey, KeyError> {
    let wrong = |message: String| KeyError::Jwk { index, message };
    let jwk: Jwk = serde_json::from_value(public.clone()).map_err(|error| wrong(error.to_string()))?;
    let key = DecodingKey::from_jwk(&jwk).map_err(|error| wrong(error.to_string()))?;
    Ok(VerifyingKey { id: jwk.common.key_id, algorithm: Algorithm::ES256, key })
}

fn signing_key(key: &Value) -> Result<SigningKey, KeyError> {
    let wrong = |message: &str| KeyError::Jwk { index: 0, message: message.to_owned() };
    let scalar = URL_SAFE_NO_PAD
        .decode(key["d"].as_str().unwrap_or_default())
        .map_err(|_| wrong("`d` is not base64url"))?;
    let secret = p256::SecretKey::from_slice(&scalar).map_err(|_| wrong("`d` is no scalar of P-256"))?;
    let der = secret.to_pkcs8_der().map_err(|_| wrong("`d` cannot be encoded"))?;
    let id = key["kid"].as_str().map(str::to_owned);
    Ok(SigningKey { id, key: EncodingKey::from_ec_der(der.as_bytes()) })
}

#[cfg(test)]
mod tests;
