//! The project's API keys, and what each stands for (server/CONTRACT.md GW-KEYS).

use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use crate::{Credentials, Proof, TokenError, credentials::Authorization};

/// The project's API keys.
#[derive(Debug, Clone)]
pub struct ApiKeys {
    publishable_key: String,
    secret_key: SecretString,
    anon_key: String,
    service_role_key: SecretString,
    required: bool,
}

/// The one of a request's credentials that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presented<'a> {
    /// None: the caller is anonymous.
    Nothing,
    /// The publishable key: role `anon`, without a token to check.
    PublishableKey,
    /// The secret key: role `service_role`, without a token to check.
    SecretKey,
    /// A token to check, and where it was found.
    Token(&'a str, Proof),
}

impl ApiKeys {
    /// Keys of the project; `required` refuses requests without one.
    #[must_use]
    pub fn new(keys: &banyan_config::Keys, required: bool) -> Self {
        Self {
            publishable_key: keys.publishable_key.clone(),
            secret_key: keys.secret_key.clone(),
            anon_key: keys.anon_key.clone(),
            service_role_key: keys.service_role_key.clone(),
            required,
        }
    }

    /// Finds what counts: the bearer first, unless it is a key of the project; else the API key
    /// (server/CONTRACT.md GW-KEYS). A bearer that begins with `sb_` is a key of the project or
    /// refused.
    ///
    /// # Errors
    /// [`TokenError::UnknownKey`] for an `sb_` bearer of another project, and
    /// [`TokenError::NoApiKey`] where a key is required and none is presented.
    pub(crate) fn choose<'a>(&self, credentials: &'a Credentials<'_>) -> Result<Presented<'a>, TokenError> {
        let api_key = credentials.api_key();
        match credentials.authorization() {
            Authorization::Bearer(token) if !token.starts_with("sb_") => {
                Ok(Presented::Token(token, Proof::Authorization))
            }
            Authorization::Bearer(key) => {
                let of_bearer = self.opaque(key).ok_or(TokenError::UnknownKey)?;
                Ok(api_key.map_or(of_bearer, |key| self.of_api_key(key)))
            }
            Authorization::Absent | Authorization::OtherScheme | Authorization::Bare(_) => match api_key {
                Some(key) => Ok(self.of_api_key(key)),
                None if self.required => Err(TokenError::NoApiKey),
                None => Ok(Presented::Nothing),
            },
        }
    }

    /// What one `apikey` value stands for.
    fn of_api_key<'a>(&self, key: &'a str) -> Presented<'a> {
        self.opaque(key).unwrap_or(Presented::Token(key, Proof::ApiKey))
    }

    /// What an opaque key stands for; nothing for what is no such key of the project.
    fn opaque(&self, key: &str) -> Option<Presented<'static>> {
        if is_same(key, self.secret_key.expose_secret()) {
            Some(Presented::SecretKey)
        } else if is_same(key, &self.publishable_key) {
            Some(Presented::PublishableKey)
        } else {
            None
        }
    }

    /// Whether this is exactly one of the project's keys, of either kind.
    #[must_use]
    pub fn is_key(&self, key: &str) -> bool {
        let legacy = [self.anon_key.as_str(), self.service_role_key.expose_secret()];
        self.opaque(key).is_some() || legacy.iter().any(|known| is_same(key, known))
    }

    /// The legacy key of role `anon`, as functions see it.
    #[must_use]
    pub fn anon_key(&self) -> &str {
        &self.anon_key
    }

    /// The legacy key of role `service_role`, as functions see it.
    #[must_use]
    pub fn service_role_key(&self) -> &str {
        self.service_role_key.expose_secret()
    }
}

/// Compares in constant time; a key that is not set is nobody's.
fn is_same(key: &str, known: &str) -> bool {
    !known.is_empty() && bool::from(key.as_bytes().ct_eq(known.as_bytes()))
}
