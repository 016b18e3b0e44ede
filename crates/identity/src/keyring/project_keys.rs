//! The keys of a project: its list of signing keys, and the secret of legacy keys and tokens
//! (auth/CONTRACT.md J2 to J5).

use banyan_config::Keys;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, jwk::Jwk};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};

use super::{
    key_set::{KeySet, VerifyingKey},
    signing_key::{SigningKey, member},
};
use crate::KeyError;

/// The algorithms of a project's keys (auth/CONTRACT.md J3).
const ALGORITHMS: [Algorithm; 5] =
    [Algorithm::HS256, Algorithm::ES256, Algorithm::RS256, Algorithm::RS512, Algorithm::EdDSA];
/// Members of a JWK that anybody may know.
const PUBLIC_MEMBERS: [&str; 10] = ["kty", "kid", "use", "alg", "ext", "crv", "x", "y", "n", "e"];

/// Reads the keys. The first private key that may sign does so. All others only verify: standby
/// keys before a rotation, earlier ones after it.
///
/// # Errors
/// [`KeyError::Jwk`] for a key that cannot be used, an `alg` that does not fit its type, or an id
/// given twice, and [`KeyError::NoneSigns`] for a list in which nothing can sign.
pub(super) fn read(keys: &Keys) -> Result<KeySet, KeyError> {
    let jwks =
        keys.signing_keys.iter().enumerate().map(|(i, key)| parse(i, key)).collect::<Result<Vec<_>, _>>()?;
    check_ids(&jwks)?;
    let signer = jwks.iter().position(may_sign).ok_or(KeyError::NoneSigns)?;
    let verifying = jwks.iter().enumerate().map(|(i, key)| verifying_key(key).map_err(wrong(i)));
    let mut verifying = verifying.collect::<Result<Vec<_>, _>>()?;
    let secret = keys.jwt_secret.expose_secret().as_bytes();
    if keys.legacy {
        verifying.push(legacy_key(secret));
    }
    Ok(KeySet {
        signing: Some(signing_key(&jwks[signer]).map_err(wrong(signer))?),
        signing_for_purposes: keys.legacy.then(|| SigningKey::of_secret(secret)),
        verifying,
        accepted: Some(&ALGORITHMS),
        refuses_legacy: !keys.legacy,
        jwks: json!({"keys": published(keys, &jwks)}).to_string(),
    })
}

/// Says which key of the list something is wrong with.
fn wrong(index: usize) -> impl Fn(String) -> KeyError {
    move |message| KeyError::Jwk { index, message }
}

fn parse(index: usize, key: &SecretString) -> Result<Value, KeyError> {
    let key = serde_json::from_str(key.expose_secret()).map_err(|_| "it is not JSON".to_owned());
    let key: Value = key.map_err(wrong(index))?;
    algorithm_of(&key).map_err(wrong(index))?;
    Ok(key)
}

/// Two keys of one id could not be told apart.
fn check_ids(keys: &[Value]) -> Result<(), KeyError> {
    for (i, key) in keys.iter().enumerate() {
        if key["kid"].is_string() && keys[..i].iter().any(|earlier| earlier["kid"] == key["kid"]) {
            return Err(wrong(i)("its `kid` is that of another key".to_owned()));
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

fn signing_key(key: &Value) -> Result<SigningKey, String> {
    SigningKey::of_jwk(key, algorithm_of(key)?)
}

fn verifying_key(key: &Value) -> Result<VerifyingKey, String> {
    let algorithm = algorithm_of(key)?;
    let decoding = match algorithm {
        Algorithm::HS256 => DecodingKey::from_secret(&member(key, "k")?),
        _ => public_key(key).map_err(|error| error.to_string())?,
    };
    let id = key["kid"].as_str().map(str::to_owned);
    Ok(VerifyingKey { id, algorithms: vec![algorithm], is_legacy: false, key: decoding })
}

fn public_key(key: &Value) -> Result<DecodingKey, jsonwebtoken::errors::Error> {
    let jwk: Jwk = serde_json::from_value(public_part(key))?;
    DecodingKey::from_jwk(&jwk)
}

/// The secret of legacy keys and tokens (auth/CONTRACT.md J4).
fn legacy_key(secret: &[u8]) -> VerifyingKey {
    let key = DecodingKey::from_secret(secret);
    VerifyingKey { id: None, algorithms: vec![Algorithm::HS256], is_legacy: true, key }
}

/// The set for the stack's own parts (server/CONTRACT.md GW-JWKS).
fn published(keys: &Keys, jwks: &[Value]) -> Vec<Value> {
    let mut published: Vec<Value> = jwks.iter().filter(|key| key["kty"] != "oct").map(public_part).collect();
    if !keys.own_signing_keys && keys.legacy {
        let secret = URL_SAFE_NO_PAD.encode(keys.jwt_secret.expose_secret());
        published.push(json!({"kty": "oct", "k": secret}));
    }
    published
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
