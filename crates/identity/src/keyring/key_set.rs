//! The keys that count at one time: which one signs, and which verify a token.

use jsonwebtoken::{Algorithm, DecodingKey};

use super::{signing_key::SigningKey, token::Token};
use crate::{Claims, TokenError};

/// The keys that count at one time. A rotation replaces the whole set.
pub(crate) struct KeySet {
    /// Signs access tokens. A service that only verifies has none.
    pub(super) signing: Option<SigningKey>,
    /// Signs tokens of one purpose where the signing key does not.
    pub(super) signing_for_purposes: Option<SigningKey>,
    pub(super) verifying: Vec<VerifyingKey>,
    /// The algorithms that a token may name, where not every known one is accepted.
    pub(super) accepted: Option<&'static [Algorithm]>,
    /// Whether tokens of the legacy secret are refused (auth/CONTRACT.md J4).
    pub(super) refuses_legacy: bool,
    /// Public parts, and locally the shared secret (server/CONTRACT.md GW-JWKS).
    pub(super) jwks: String,
}

/// A key that tokens may be signed with.
pub(super) struct VerifyingKey {
    pub(super) id: Option<String>,
    /// The algorithms of this key. A token only chooses among them (rest/CONTRACT.md V05).
    pub(super) algorithms: Vec<Algorithm>,
    /// Whether the key verifies tokens that name a key nobody knows: the legacy secret.
    pub(super) is_legacy: bool,
    pub(super) key: DecodingKey,
}

impl KeySet {
    /// The claims of a token that one of the keys signed. Times are not looked at.
    pub(crate) fn check_signature(&self, text: &str) -> Result<Claims, TokenError> {
        if self.verifying.is_empty() {
            return Err(TokenError::NoSecret);
        }
        let token = Token::read(text, self.accepted)?;
        let mut refusal = match token.algorithm {
            Algorithm::HS256 if self.refuses_legacy => TokenError::LegacyOff,
            _ => TokenError::NoKey,
        };
        for VerifyingKey { key, .. } in self.fitting(&token) {
            let is_signed =
                jsonwebtoken::crypto::verify(token.signature, token.signed.as_bytes(), key, token.algorithm);
            match is_signed {
                Ok(true) => return token.claims(),
                Ok(false) | Err(_) => refusal = TokenError::WrongKey,
            }
        }
        Err(refusal)
    }

    /// The keys that a token's header points to (rest/CONTRACT.md T07, auth/CONTRACT.md B3). Each
    /// key has its own algorithms, so a public key never serves as an HMAC secret.
    fn fitting(&self, token: &Token<'_>) -> Vec<&VerifyingKey> {
        let of_algorithm = || self.verifying.iter().filter(|key| key.algorithms.contains(&token.algorithm));
        let Some(kid) = &token.kid else { return of_algorithm().collect() };
        let named: Vec<_> = of_algorithm().filter(|key| key.id.as_ref() == Some(kid)).collect();
        match named.is_empty() {
            false => named,
            true => of_algorithm().filter(|key| key.is_legacy).collect(),
        }
    }
}
