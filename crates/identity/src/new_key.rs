//! New signing keys, in the form that the supabase CLI writes them (cli/CONTRACT.md
//! CLI-SIGNING-KEY).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use p256::elliptic_curve::sec1::ToEncodedPoint;
use rsa::{
    RsaPrivateKey,
    rand_core::CryptoRngCore,
    traits::{PrivateKeyParts, PublicKeyParts},
};
use serde_json::{Value, json};

use crate::KeyError;

/// Bits of a new RSA key.
const RSA_BITS: usize = 2048;

/// What a new key signs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewKey {
    /// ECDSA on P-256.
    Es256,
    /// RSA with SHA-256.
    Rs256,
}

impl NewKey {
    /// Makes a private JWK with this id. `rng` must be the system's randomness.
    ///
    /// # Errors
    /// [`KeyError::Jwk`] when the randomness gave numbers that are no key, which does not happen in
    /// practice.
    pub fn make(self, id: uuid::Uuid, rng: &mut impl CryptoRngCore) -> Result<Value, KeyError> {
        let mut key = match self {
            Self::Es256 => es256(rng),
            Self::Rs256 => rs256(rng)?,
        };
        key["kid"] = json!(id);
        key["use"] = json!("sig");
        key["key_ops"] = json!(["sign", "verify"]);
        key["ext"] = json!(true);
        Ok(key)
    }
}

fn es256(rng: &mut impl CryptoRngCore) -> Value {
    let secret = p256::SecretKey::random(rng);
    let point = secret.public_key().to_encoded_point(false);
    let coordinate = |bytes: Option<&p256::FieldBytes>| bytes.map(|bytes| text(bytes)).unwrap_or_default();
    json!({
        "kty": "EC",
        "alg": "ES256",
        "crv": "P-256",
        "x": coordinate(point.x()),
        "y": coordinate(point.y()),
        "d": text(&secret.to_bytes()),
    })
}

fn rs256(rng: &mut impl CryptoRngCore) -> Result<Value, KeyError> {
    let failed = |what: &str| KeyError::Jwk { index: 0, message: what.to_owned() };
    let mut key = RsaPrivateKey::new(rng, RSA_BITS).map_err(|error| failed(&error.to_string()))?;
    key.precompute().map_err(|error| failed(&error.to_string()))?;
    let number = |value: Option<&rsa::BigUint>| {
        value.map(|value| text(&value.to_bytes_be())).ok_or_else(|| failed("a number of the key is missing"))
    };
    Ok(json!({
        "kty": "RSA",
        "alg": "RS256",
        "n": number(Some(key.n()))?,
        "e": number(Some(key.e()))?,
        "d": number(Some(key.d()))?,
        "p": number(key.primes().first())?,
        "q": number(key.primes().get(1))?,
        "dp": number(key.dp())?,
        "dq": number(key.dq())?,
        "qi": number(key.crt_coefficient().as_ref())?,
    }))
}

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
