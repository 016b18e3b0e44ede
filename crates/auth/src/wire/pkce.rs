//! Code challenges (PKCE, CONTRACT.md K1, RFC 7636).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::wire::error::AuthError;

/// The challenge of a request, not checked yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChallengeInput {
    pub(crate) code_challenge: Option<String>,
    pub(crate) code_challenge_method: Option<String>,
}

/// A checked challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Challenge {
    pub(crate) value: String,
    pub(crate) method: Method,
}

/// How the challenge was made from the verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    S256,
    Plain,
}

impl Method {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::S256 => "s256",
            Self::Plain => "plain",
        }
    }

    /// The method with a name, in any case (CONTRACT.md K1).
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "s256" => Some(Self::S256),
            "plain" => Some(Self::Plain),
            _ => None,
        }
    }
}

impl ChallengeInput {
    /// The challenge, if the request has one.
    ///
    /// # Errors
    /// 400 `validation_failed` for one field without the other, another method, or a malformed
    /// challenge (CONTRACT.md K1).
    pub(crate) fn check(&self) -> Result<Option<Challenge>, AuthError> {
        let given = |field: &Option<String>| field.clone().filter(|value| !value.is_empty());
        match (given(&self.code_challenge), given(&self.code_challenge_method)) {
            (None, None) => Ok(None),
            (Some(value), Some(method)) => {
                let method = Method::parse(&method).ok_or_else(|| {
                    AuthError::validation("code challenge method must be one of [plain s256]")
                })?;
                check_value(&value)?;
                Ok(Some(Challenge { value, method }))
            }
            _ => Err(AuthError::validation("PKCE flow requires code_challenge_method and code_challenge")),
        }
    }
}

fn check_value(value: &str) -> Result<(), AuthError> {
    if !(43..=128).contains(&value.len()) {
        return Err(AuthError::validation("code challenge has to be between 43 and 128 characters"));
    }
    if !value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b)) {
        return Err(AuthError::validation(
            "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes",
        ));
    }
    Ok(())
}

/// Whether `verifier` is what the challenge was made from.
pub(crate) fn fits(challenge: &str, method: Method, verifier: &str) -> bool {
    let made = match method {
        Method::Plain => verifier.to_owned(),
        Method::S256 => s256(verifier),
    };
    made.as_bytes().ct_eq(challenge.as_bytes()).into()
}

/// The challenge of a verifier.
pub(crate) fn s256(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: K1
    #[test]
    fn challenges_are_checked() {
        let of = |challenge: &str, method: &str| {
            ChallengeInput {
                code_challenge: Some(challenge.into()),
                code_challenge_method: Some(method.into()),
            }
            .check()
        };
        let good = "a".repeat(43);
        assert_eq!(of(&good, "S256").unwrap().unwrap().method, Method::S256);
        assert_eq!(of(&good, "Plain").unwrap().unwrap().method, Method::Plain);
        assert_eq!(of("", "").unwrap(), None);
        assert!(of(&good, "").is_err());
        assert!(of("", "s256").is_err());
        assert!(of("short", "s256").is_err());
        assert!(of(&"ä".repeat(30), "s256").is_err());
        assert!(of(&good, "s512").is_err());
    }

    // rows: K4
    #[test]
    fn the_verifier_of_rfc_7636_fits_its_challenge() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert!(fits(challenge, Method::S256, verifier));
        assert!(!fits(challenge, Method::S256, challenge));
        assert!(!fits(challenge, Method::Plain, verifier));
    }
}
