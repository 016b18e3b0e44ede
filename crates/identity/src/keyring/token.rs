//! A token in its three parts (RFC 7515 section 7.1), read before any key is chosen.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};

use crate::{Claims, TokenError};

/// Longer tokens are refused unread.
pub(crate) const LONGEST_TOKEN: usize = 16 * 1024;

/// Characters of an algorithm's name that an error repeats: whoever calls chooses them.
const LONGEST_ALGORITHM: usize = 20;

/// A token whose header was read. Nothing in it is proven.
pub(super) struct Token<'a> {
    pub(super) algorithm: Algorithm,
    /// The id of the key that signed, as the token says.
    pub(super) kid: Option<String>,
    /// Header and payload, which the signature is of.
    pub(super) signed: &'a str,
    pub(super) signature: &'a str,
    payload: &'a str,
}

impl<'a> Token<'a> {
    /// Reads a token. Its algorithm must be one of those in `accepted`, where that is given.
    pub(super) fn read(text: &'a str, accepted: Option<&[Algorithm]>) -> Result<Self, TokenError> {
        if text.is_empty() {
            return Err(TokenError::Empty);
        }
        if text.len() > LONGEST_TOKEN {
            return Err(TokenError::Signature);
        }
        let parts: Vec<&str> = text.split('.').collect();
        let [header, payload, signature] = parts[..] else { return Err(TokenError::Parts(parts.len())) };
        let signed = &text[..text.len() - signature.len() - 1];
        let header: Map<String, Value> = decode(header).ok_or(TokenError::Signature)?;
        if header.contains_key("enc") {
            return Err(TokenError::Encrypted);
        }
        // RFC 7515 section 4.1.11: the header must be understood, and is not.
        if header.contains_key("crit") {
            return Err(TokenError::Signature);
        }
        let algorithm = algorithm(&header, accepted)?;
        let kid = header.get("kid").and_then(Value::as_str).map(str::to_owned);
        Ok(Self { algorithm, kid, signed, signature, payload })
    }

    /// The claims, once a key has proven the signature.
    pub(super) fn claims(&self) -> Result<Claims, TokenError> {
        decode(self.payload).map(Claims::from_map).ok_or(TokenError::Claims)
    }
}

fn algorithm(header: &Map<String, Value>, accepted: Option<&[Algorithm]>) -> Result<Algorithm, TokenError> {
    let name = header.get("alg").and_then(Value::as_str).unwrap_or("none");
    let algorithm =
        name.parse().ok().filter(|named| accepted.is_none_or(|accepted| accepted.contains(named)));
    algorithm.ok_or_else(|| TokenError::Algorithm(name.chars().take(LONGEST_ALGORITHM).collect()))
}

fn decode(part: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}
