//! The keys of one list: which one signs, which verify, what is published
//! (auth/CONTRACT.md J2 to J5).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, jwk::Jwk};
use p256::{elliptic_curve::sec1::ToEncodedPoint, pkcs8::EncodePrivateKey};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use rsa::{BigUint, RsaPrivateKey, pkcs1::EncodeRsaPrivateKey};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};

use crate::{KeyError, TokenError};

/// What precedes the seed of an Ed25519 key in PKCS#8 (RFC 8410 section 7).
const ED25519_PKCS8: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/// Members of a JWK that anybody may know.
const PUBLIC_MEMBERS: [&str; 10] = ["kty", "kid", "use", "alg", "ext", "crv", "x", "y", "n", "e"];

/// The keys that count at one time; a rotation replaces the whole.
pub(super) struct KeySet {
    pub(super) signing: SigningKey,
    pub(super) verifying: Vec<VerifyingKey>,
    /// The HS256 secret of legacy keys and tokens (auth/CONTRACT.md J4), unless these are switched
    /// off.
    pub(super) secret: Option<DecodingKey>,
    /// Public parts, and locally the shared secret (server/CONTRACT.md GW-JWKS).
    pub(super) jwks: String,
}

/// The key that signs.
pub(super) struct SigningKey {
    pub(super) id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) key: EncodingKey,
    /// The same key of P-256, ready to sign and by a faster hand: every sign-in and refresh signs a token.
    pub(super) ready: Option<EcdsaKeyPair>,
}

/// A key that tokens may be signed with.
pub(super) struct VerifyingKey {
    pub(super) id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) key: DecodingKey,
}

impl KeySet {
    /// Reads a list. The first private key that may sign does so; all others only verify: standby keys before a
    /// rotation, earlier ones after it.
    ///
    /// # Errors
    /// [`KeyError::Jwk`] for a key that cannot be used, an `alg` that does not fit its type, or an id given twice, and
    /// [`KeyError::NoneSigns`] for a list in which nothing can sign.
    pub(super) fn new(keys: &banyan_config::Keys) -> Result<Self, KeyError> {
        let jwks = keys
            .signing_keys
            .iter()
            .enumerate()
            .map(|(i, key)| parse(i, key))
            .collect::<Result<Vec<_>, _>>()?;
        check_ids(&jwks)?;
        let signer = jwks.iter().position(may_sign).ok_or(KeyError::NoneSigns)?;
        let verifying =
            jwks.iter().enumerate().map(|(i, key)| verifying_key(i, key)).collect::<Result<_, _>>()?;
        let mut published: Vec<Value> =
            jwks.iter().filter(|key| key["kty"] != "oct").map(public_part).collect();
        let secret = keys.jwt_secret.expose_secret();
        if !keys.own_signing_keys && keys.legacy {
            published.push(json!({"kty": "oct", "k": URL_SAFE_NO_PAD.encode(secret)}));
        }
        Ok(Self {
            signing: signing_key(signer, &jwks[signer])?,
            verifying,
            secret: keys.legacy.then(|| DecodingKey::from_secret(secret.as_bytes())),
            jwks: json!({"keys": published}).to_string(),
        })
    }

    /// The keys that a token's header points to (auth/CONTRACT.md B3). An HMAC token without a
    /// known id is held against the secret, never against a public key: each key has one algorithm.
    pub(super) fn fitting(&self, algorithm: Algorithm, id: Option<&str>) -> Vec<&DecodingKey> {
        let of_algorithm = || self.verifying.iter().filter(|key| key.algorithm == algorithm);
        let named: Vec<_> = of_algorithm()
            .filter(|key| id.is_some() && key.id.as_deref() == id)
            .map(|key| &key.key)
            .collect();
        match (algorithm, id) {
            _ if !named.is_empty() => named,
            (Algorithm::HS256, _) => self.secret.iter().collect(),
            (_, None) => of_algorithm().map(|key| &key.key).collect(),
            (_, Some(_)) => of_algorithm().filter(|key| key.id.is_none()).map(|key| &key.key).collect(),
        }
    }

    /// Why a token is refused that no key of these fits.
    pub(super) fn without_key(&self, algorithm: Algorithm) -> TokenError {
        match algorithm {
            Algorithm::HS256 if self.secret.is_none() => TokenError::LegacyOff,
            _ => TokenError::NoKey,
        }
    }
}

fn wrong(index: usize, message: impl Into<String>) -> KeyError {
    KeyError::Jwk { index, message: message.into() }
}

fn parse(index: usize, key: &SecretString) -> Result<Value, KeyError> {
    let key: Value = serde_json::from_str(key.expose_secret()).map_err(|_| wrong(index, "it is not JSON"))?;
    algorithm_of(&key).map_err(|message| wrong(index, message))?;
    Ok(key)
}

/// Two keys of one id could not be told apart.
fn check_ids(keys: &[Value]) -> Result<(), KeyError> {
    for (i, key) in keys.iter().enumerate() {
        if key["kid"].is_string() && keys[..i].iter().any(|earlier| earlier["kid"] == key["kid"]) {
            return Err(wrong(i, "its `kid` is that of another key"));
        }
    }
    Ok(())
}

/// The one algorithm of a key: its type decides, and `alg` must agree (auth/CONTRACT.md J3).
fn algorithm_of(key: &Value) -> Result<Algorithm, String> {
    let kind = (key["kty"].as_str().unwrap_or_default(), key["crv"].as_str().unwrap_or_default());
    match (kind, key["alg"].as_str()) {
        (("EC", "P-256"), None | Some("ES256")) => Ok(Algorithm::ES256),
        (("RSA", _), None | Some("RS256")) => Ok(Algorithm::RS256),
        (("RSA", _), Some("RS512")) => Ok(Algorithm::RS512),
        (("OKP", "Ed25519"), None | Some("EdDSA")) => Ok(Algorithm::EdDSA),
        (("oct", _), None | Some("HS256")) => Ok(Algorithm::HS256),
        (("", _), _) => Err("`kty` is missing".to_owned()),
        ((kind, curve), algorithm) => {
            let named = [kind, curve, algorithm.unwrap_or_default()].join(" ");
            Err(format!(
                "`{}` is none of ES256, RS256, RS512, EdDSA, HS256 with a fitting type",
                named.trim()
            ))
        }
    }
}

/// Whether a key holds its private part and is not kept for verifying.
fn may_sign(key: &Value) -> bool {
    let private = key["d"].is_string() || key["kty"] == "oct" && key["k"].is_string();
    let operations = key["key_ops"].as_array();
    private && operations.is_none_or(|names| names.is_empty() || names.iter().any(|name| name == "sign"))
}

fn public_part(key: &Value) -> Value {
    let members =
        PUBLIC_MEMBERS.iter().filter_map(|name| Some(((*name).to_owned(), key.get(*name)?.clone())));
    let mut public: Map<String, Value> = members.collect();
    public.entry("use").or_insert_with(|| json!("sig"));
    if let (Ok(algorithm), false) = (algorithm_of(key), public.contains_key("alg")) {
        public.insert("alg".to_owned(), json!(format!("{algorithm:?}")));
    }
    public.insert("key_ops".to_owned(), json!(["verify"]));
    Value::Object(public)
}

fn verifying_key(index: usize, key: &Value) -> Result<VerifyingKey, KeyError> {
    let algorithm = algorithm_of(key).map_err(|message| wrong(index, message))?;
    let id = key["kid"].as_str().map(str::to_owned);
    if algorithm == Algorithm::HS256 {
        let secret = member(key, "k").map_err(|message| wrong(index, message))?;
        return Ok(VerifyingKey { id, algorithm, key: DecodingKey::from_secret(&secret) });
    }
    let jwk: Jwk =
        serde_json::from_value(public_part(key)).map_err(|error| wrong(index, error.to_string()))?;
    let key = DecodingKey::from_jwk(&jwk).map_err(|error| wrong(index, error.to_string()))?;
    Ok(VerifyingKey { id, algorithm, key })
}

fn signing_key(index: usize, key: &Value) -> Result<SigningKey, KeyError> {
    let algorithm = algorithm_of(key).map_err(|message| wrong(index, message))?;
    let scalar = if algorithm == Algorithm::ES256 { Some(scalar(key)) } else { None };
    let scalar = scalar.transpose().map_err(|message| wrong(index, message))?;
    let encoding = match algorithm {
        Algorithm::ES256 => ec(scalar.as_ref()),
        Algorithm::EdDSA => ed25519(key),
        Algorithm::HS256 => member(key, "k").map(|secret| EncodingKey::from_secret(&secret)),
        _ => rsa(key),
    };
    let id = key["kid"].as_str().map(str::to_owned);
    let encoding = encoding.map_err(|message| wrong(index, message))?;
    let ready = scalar.as_ref().map(ready).transpose().map_err(|message| wrong(index, message))?;
    Ok(SigningKey { id, algorithm, key: encoding, ready })
}

fn ready(scalar: &p256::SecretKey) -> Result<EcdsaKeyPair, String> {
    EcdsaKeyPair::from_private_key_and_public_key(
        &ECDSA_P256_SHA256_FIXED_SIGNING,
        &scalar.to_bytes(),
        scalar.public_key().to_encoded_point(false).as_bytes(),
        &SystemRandom::new(),
    )
    .map_err(|error| error.to_string())
}

/// The private part of a key of P-256.
fn scalar(key: &Value) -> Result<p256::SecretKey, String> {
    p256::SecretKey::from_slice(&member(key, "d")?).map_err(|_| "`d` is no scalar of P-256".to_owned())
}

fn ec(scalar: Option<&p256::SecretKey>) -> Result<EncodingKey, String> {
    let der = scalar.ok_or("`d` is missing")?.to_pkcs8_der().map_err(|_| "`d` cannot be encoded")?;
    Ok(EncodingKey::from_ec_der(der.as_bytes()))
}

fn ed25519(key: &Value) -> Result<EncodingKey, String> {
    let seed: [u8; 32] = member(key, "d")?.try_into().map_err(|_| "`d` has not 32 bytes")?;
    Ok(EncodingKey::from_ed_der(&[&ED25519_PKCS8[..], &seed].concat()))
}

fn rsa(key: &Value) -> Result<EncodingKey, String> {
    let number = |name: &str| member(key, name).map(|bytes| BigUint::from_bytes_be(&bytes));
    let primes = vec![number("p")?, number("q")?];
    let private = RsaPrivateKey::from_components(number("n")?, number("e")?, number("d")?, primes)
        .map_err(|_| "its numbers are no RSA key")?;
    let der = private.to_pkcs1_der().map_err(|_| "it cannot be encoded")?;
    Ok(EncodingKey::from_rsa_der(der.as_bytes()))
}

fn member(key: &Value, name: &str) -> Result<Vec<u8>, String> {
    let text = key[name].as_str().ok_or_else(|| format!("`{name}` is missing"))?;
    URL_SAFE_NO_PAD.decode(text).map_err(|_| format!("`{name}` is not base64url"))
}
