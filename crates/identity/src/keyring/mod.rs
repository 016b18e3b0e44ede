//! The keys that sign and verify tokens.

/// The keys of a project's list, and its legacy secret.
mod project_keys;

/// The keys of `jwt-secret`.
mod jwt_secret;

/// The keys that count at one time.
mod key_set;

/// A private key, and the tokens that it signs.
mod signing_key;

/// A token in its parts.
mod token;

use std::sync::Arc;

use arc_swap::ArcSwap;
use secrecy::{ExposeSecret, SecretSlice};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) use self::{key_set::KeySet, token::LONGEST_TOKEN};
use crate::{Claims, KeyError, TokenError};

/// Signs tokens, and says whether one of the keys signed a token.
///
/// The keys can be replaced while requests run (auth/CONTRACT.md J7).
pub struct Keyring {
    keys: ArcSwap<KeySet>,
    /// The SHA-256 of the `jwt-secret` that the keys are of, if they are.
    jwt_secret: Option<[u8; 32]>,
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys = self.keys.load();
        let signing = keys.signing.as_ref().and_then(|key| key.id.as_deref());
        f.debug_struct("Keyring").field("kid", &signing).finish_non_exhaustive()
    }
}

impl Keyring {
    /// A keyring of the project's keys.
    ///
    /// # Errors
    /// [`KeyError::Jwk`] when a key of the list cannot be used, [`KeyError::NoneSigns`] when none
    /// can sign (auth/CONTRACT.md J2, J3).
    pub fn new(keys: &banyan_config::Keys) -> Result<Self, KeyError> {
        Ok(Self { keys: ArcSwap::from_pointee(project_keys::read(keys)?), jwt_secret: None })
    }

    /// A keyring of `jwt-secret`: a secret, a JWK or a JWKS. It signs nothing.
    ///
    /// # Errors
    /// [`KeyError::Unusable`] for a key or a set in which nothing can be used.
    pub fn of_jwt_secret(secret: Option<&SecretSlice<u8>>) -> Result<Self, KeyError> {
        let keys = jwt_secret::read(secret.map(ExposeSecret::expose_secret))?;
        Ok(Self { keys: ArcSwap::from_pointee(keys), jwt_secret: secret.map(digest) })
    }

    /// Whether the keys are those of this `jwt-secret`.
    pub(crate) fn is_of_jwt_secret(&self, secret: Option<&SecretSlice<u8>>) -> bool {
        self.jwt_secret == secret.map(digest)
    }

    /// Takes over another list. Its first key signs from now on. What a removed key had signed is
    /// refused at once, by every service that holds this keyring (auth/CONTRACT.md J5, J7).
    ///
    /// # Errors
    /// As [`Keyring::new`]; the keys stay as they were.
    pub fn replace(&self, keys: &banyan_config::Keys) -> Result<(), KeyError> {
        self.keys.store(Arc::new(project_keys::read(keys)?));
        Ok(())
    }

    /// The set handed to the stack's own services and functions: public parts, and locally the
    /// shared secret (server/CONTRACT.md GW-JWKS). It must never be served to the public: see
    /// [`Keyring::public_jwks`].
    #[must_use]
    pub fn jwks(&self) -> String {
        self.keys.load().jwks.clone()
    }

    /// The set served at `/.well-known/jwks.json`: public parts only.
    #[must_use]
    pub fn public_jwks(&self) -> Value {
        let mut set: Value = serde_json::from_str(&self.keys.load().jwks).expect("made by this keyring");
        if let Some(keys) = set["keys"].as_array_mut() {
            keys.retain(|key| key["kty"] != "oct");
        }
        set
    }

    /// Signs claims with the signing key, and names it in the header.
    ///
    /// # Errors
    /// [`KeyError::NoneSigns`] for a keyring that only verifies, [`KeyError::Sign`] when the claims
    /// cannot be written as JSON.
    pub fn sign(&self, claims: &impl serde::Serialize) -> Result<String, KeyError> {
        self.keys.load().signing.as_ref().ok_or(KeyError::NoneSigns)?.sign(claims)
    }

    /// Signs the claims of a token that is no access token. The legacy secret signs it, so that a
    /// storage service of the field can read it, or the signing key where the secret is off.
    pub(crate) fn sign_for_purpose(&self, claims: &impl serde::Serialize) -> Result<String, KeyError> {
        let keys = self.keys.load();
        let key = keys.signing_for_purposes.as_ref().or(keys.signing.as_ref());
        key.ok_or(KeyError::NoneSigns)?.sign(claims)
    }

    /// The claims of a token that one of the keys signed. What they say is not judged, not even
    /// their times: [`crate::Verifier`] does that.
    ///
    /// # Errors
    /// [`TokenError`] for a token that cannot be read, and one that no key signed.
    pub fn check_signature(&self, token: &str) -> Result<Claims, TokenError> {
        self.keys.load().check_signature(token)
    }

    /// The keys that count now.
    pub(crate) fn current(&self) -> Arc<KeySet> {
        self.keys.load_full()
    }
}

fn digest(secret: &SecretSlice<u8>) -> [u8; 32] {
    Sha256::digest(secret.expose_secret()).into()
}

#[cfg(test)]
mod tests;
