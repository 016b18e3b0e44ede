//! The keys of `jwt-secret`: a secret, a JWK or a JWKS (rest/CONTRACT.md T04, T27).

use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse},
};
use serde_json::Value;

use super::key_set::{KeySet, VerifyingKey};
use crate::KeyError;

/// Keys that only verify; none where no secret is configured.
///
/// # Errors
/// [`KeyError::Unusable`] for a key or a set in which nothing can be used.
pub(super) fn read(secret: Option<&[u8]>) -> Result<KeySet, KeyError> {
    Ok(KeySet {
        signing: None,
        signing_for_purposes: None,
        verifying: secret.map(keys).transpose()?.unwrap_or_default(),
        accepted: None,
        refuses_legacy: false,
        jwks: String::from(r#"{"keys":[]}"#),
    })
}

fn keys(secret: &[u8]) -> Result<Vec<VerifyingKey>, KeyError> {
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
            vec![VerifyingKey { id: None, algorithms: vec![Algorithm::HS256], is_legacy: false, key }]
        }
    };
    if keys.is_empty() { Err(KeyError::Unusable) } else { Ok(keys) }
}

fn key(value: Value) -> Option<VerifyingKey> {
    let jwk: Jwk = serde_json::from_value(value).ok()?;
    if jwk.common.public_key_use == Some(PublicKeyUse::Encryption) {
        return None;
    }
    let algorithms = algorithms(&jwk)?;
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    Some(VerifyingKey { id: jwk.common.key_id, algorithms, is_legacy: false, key })
}

/// The algorithms of a key: all of its type, or the one that it names.
fn algorithms(jwk: &Jwk) -> Option<Vec<Algorithm>> {
    let of_type = match &jwk.algorithm {
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
    let Some(named) = &jwk.common.key_algorithm else { return Some(of_type) };
    let named: Algorithm = named.to_string().parse().ok()?;
    let is_of_rsa = matches!(jwk.algorithm, AlgorithmParameters::RSA(_));
    let is_pss = matches!(named, Algorithm::PS256 | Algorithm::PS384 | Algorithm::PS512);
    (of_type.contains(&named) || is_of_rsa && is_pss).then(|| vec![named])
}
