//! Checking id_tokens (OpenID Connect Core 1.0, section 3.1.3.7).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, jwk::Jwk};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256, Sha384, Sha512};
use subtle::ConstantTimeEq;
use time::OffsetDateTime;

use super::{Providers, discovery::KeyId, profile::is_common};
use crate::wire::error::ProviderError;

/// Clocks of two machines may differ by this many seconds.
const LEEWAY: f64 = 60.0;
/// Longest token considered.
const LONGEST: usize = 32 * 1024;

/// What an id_token has to be for.
pub(crate) struct Expected<'a> {
    pub(crate) issuer: &'a str,
    /// One of these must be in `aud`.
    pub(crate) audience: &'a [String],
    /// Compared with `at_hash`, where both are there (CONTRACT.md I3).
    pub(crate) access_token: Option<&'a str>,
}

/// Why an id_token is not believed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IdTokenError {
    #[error("the id_token cannot be read")]
    Malformed,
    #[error("the id_token's algorithm is not accepted")]
    Algorithm,
    #[error("the id_token's signature does not fit")]
    Signature,
    #[error("the id_token is of another issuer")]
    Issuer,
    #[error("the id_token is for another audience")]
    Audience(Value),
    #[error("the id_token has expired or is not valid yet")]
    Time,
    #[error("the id_token belongs to another access token")]
    AccessToken,
    #[error("the id_token has no sub")]
    Subject,
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

/// The claims of a token whose signature, issuer, audience, times and `at_hash` are right.
///
/// # Errors
/// [`IdTokenError`].
pub(crate) async fn check(
    providers: &Providers,
    token: &str,
    expected: &Expected<'_>,
    now: OffsetDateTime,
) -> Result<Map<String, Value>, IdTokenError> {
    if token.len() > LONGEST {
        return Err(IdTokenError::Malformed);
    }
    let header = header(token)?;
    // What a token says of itself is looked at first: one that cannot be right costs no call to its
    // provider.
    let said = unverified(token).ok_or(IdTokenError::Malformed)?;
    check_issuer(&said, expected.issuer)?;
    check_times(&said, now)?;
    let id = KeyId { issuer: expected.issuer, id: header.kid.as_deref() };
    let keys = providers.documents.key(&providers.outbound, id, now).await?;
    let claims = keys.iter().find_map(|key| decode(token, header.alg, key)).ok_or(IdTokenError::Signature)?;
    check_issuer(&claims, expected.issuer)?;
    check_audience(&claims, expected.audience)?;
    check_times(&claims, now)?;
    check_access_token(&claims, header.alg, expected.access_token)?;
    if text(&claims, "sub").is_none() {
        return Err(IdTokenError::Subject);
    }
    Ok(claims)
}

fn header(token: &str) -> Result<Header, IdTokenError> {
    let header = jsonwebtoken::decode_header(token).map_err(|_| IdTokenError::Malformed)?;
    // RFC 7515 section 4.1.11: a header that must be understood, and is not. The library does not
    // look at it.
    if part(token, 0).is_none_or(|all| all.contains_key("crit")) {
        return Err(IdTokenError::Malformed);
    }
    // A shared secret proves nothing here: every client of the provider's would have to know it.
    if matches!(header.alg, Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512) {
        return Err(IdTokenError::Algorithm);
    }
    Ok(header)
}

/// The issuer that a token names, unchecked.
pub(crate) fn issuer_of(token: &str) -> Option<String> {
    text(&unverified(token)?, "iss").map(str::to_owned)
}

fn unverified(token: &str) -> Option<Map<String, Value>> {
    part(token, 1)
}

/// A part of a token, as it says of itself.
fn part(token: &str, number: usize) -> Option<Map<String, Value>> {
    let part = URL_SAFE_NO_PAD.decode(token.split('.').nth(number)?).ok()?;
    serde_json::from_slice(&part).ok()
}

fn decode(token: &str, algorithm: Algorithm, key: &Jwk) -> Option<Map<String, Value>> {
    // A key that names its algorithm is used for no other.
    if key.common.key_algorithm.is_some_and(|named| named.to_string() != format!("{algorithm:?}")) {
        return None;
    }
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    let key = DecodingKey::from_jwk(key).ok()?;
    jsonwebtoken::decode::<Map<String, Value>>(token, &key, &validation).ok().map(|token| token.claims)
}

/// Google may leave the scheme out; Azure puts the tenant where its common issuer has none.
fn check_issuer(claims: &Map<String, Value>, expected: &str) -> Result<(), IdTokenError> {
    let issuer = text(claims, "iss").unwrap_or_default().trim_end_matches('/');
    let google = expected == "https://accounts.google.com" && issuer == "accounts.google.com";
    let azure = is_common(expected)
        && text(claims, "tid")
            .filter(|tenant| tenant.parse::<uuid::Uuid>().is_ok())
            .is_some_and(|tenant| issuer == expected.replace("/common/", &format!("/{tenant}/")));
    if issuer == expected || google || azure { Ok(()) } else { Err(IdTokenError::Issuer) }
}

fn check_audience(claims: &Map<String, Value>, ours: &[String]) -> Result<(), IdTokenError> {
    let is_ours = |name: &Value| name.as_str().is_some_and(|name| ours.iter().any(|id| id == name));
    let audience = claims.get("aud").cloned().unwrap_or(Value::Null);
    let fits = match &audience {
        Value::Array(names) => {
            // Several audiences: the party that asked for the token must be ours.
            names.iter().any(is_ours) && (names.len() == 1 || claims.get("azp").is_none_or(is_ours))
        }
        name => is_ours(name),
    };
    if fits { Ok(()) } else { Err(IdTokenError::Audience(audience)) }
}

fn check_times(claims: &Map<String, Value>, now: OffsetDateTime) -> Result<(), IdTokenError> {
    let now = now.unix_timestamp() as f64;
    let time = |name: &str| claims.get(name).and_then(Value::as_f64);
    let alive = time("exp").is_some_and(|exp| exp > now - LEEWAY);
    let begun = ["nbf", "iat"].iter().all(|name| time(name).is_none_or(|at| at < now + LEEWAY));
    if alive && begun { Ok(()) } else { Err(IdTokenError::Time) }
}

fn check_access_token(
    claims: &Map<String, Value>,
    algorithm: Algorithm,
    access_token: Option<&str>,
) -> Result<(), IdTokenError> {
    let (Some(token), Some(expected)) = (access_token, text(claims, "at_hash")) else { return Ok(()) };
    let hash = match algorithm {
        Algorithm::RS384 | Algorithm::ES384 | Algorithm::PS384 => Sha384::digest(token).to_vec(),
        Algorithm::RS512 | Algorithm::PS512 | Algorithm::EdDSA => Sha512::digest(token).to_vec(),
        _ => Sha256::digest(token).to_vec(),
    };
    let half = URL_SAFE_NO_PAD.encode(&hash[..hash.len() / 2]);
    if bool::from(half.as_bytes().ct_eq(expected.as_bytes())) {
        Ok(())
    } else {
        Err(IdTokenError::AccessToken)
    }
}

fn text<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    claims.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: I3
    #[test]
    fn a_token_with_a_header_that_must_be_understood_is_refused() {
        let with = |header: Value| {
            let [header, claims] = [header, json!({})].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
            super::header(&format!("{header}.{claims}.AAAA"))
        };
        assert!(with(json!({"alg": "ES256", "kid": "a"})).is_ok());
        for named in [json!(["exp"]), json!([]), json!(null)] {
            let refused = with(json!({"alg": "ES256", "crit": named, "exp": 1}));
            assert!(matches!(refused, Err(IdTokenError::Malformed)), "{named}");
        }
    }
}
