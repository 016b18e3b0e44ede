//! From the headers `apikey` and `Authorization` to a token (stack.md 3.2).

use http::{HeaderMap, header::AUTHORIZATION};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use crate::TokenError;

/// The project's API keys and what each stands for.
#[derive(Debug, Clone)]
pub struct ApiKeys {
    publishable_key: String,
    secret_key: SecretString,
    anon_key: String,
    service_role_key: SecretString,
    required: bool,
}

/// What a request presented, after the translation of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credentials<'a> {
    /// Nothing: the caller is anonymous.
    None,
    /// The publishable key: role `anon`, without a token to check.
    Publishable,
    /// The secret key: role `service_role`, without a token to check.
    Secret,
    /// A token to check.
    Token(&'a str),
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

    /// Finds what a request presented: `Authorization: Bearer <token>` first, unless it carries an `sb_` key; else
    /// the `apikey` header, translated (stack.md 3.2).
    ///
    /// # Errors
    /// [`TokenError::Scheme`] for another scheme than Bearer, [`TokenError::Empty`] for `Bearer` alone, and
    /// [`TokenError::NoApiKey`] where a key is required and neither header holds one.
    pub fn credentials<'a>(&self, headers: &'a HeaderMap) -> Result<Credentials<'a>, TokenError> {
        let text = |name: &http::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let apikey =
            text(&http::HeaderName::from_static("apikey")).map(str::trim).filter(|key| !key.is_empty());
        let authorization = text(&AUTHORIZATION).map(str::trim).filter(|value| !value.is_empty());
        if self.required && apikey.is_none() && authorization.is_none() {
            return Err(TokenError::NoApiKey);
        }
        match authorization.map(bearer).transpose()? {
            Some(token) if !token.starts_with("sb_") => Ok(Credentials::Token(token)),
            Some(key) => Ok(self.translate(apikey.unwrap_or(key))),
            None => Ok(apikey.map_or(Credentials::None, |key| self.translate(key))),
        }
    }

    /// What one `apikey` value stands for; a websocket carries it as a query parameter.
    #[must_use]
    pub fn translate<'a>(&self, key: &'a str) -> Credentials<'a> {
        let is = |expected: &str| bool::from(key.as_bytes().ct_eq(expected.as_bytes()));
        if is(self.secret_key.expose_secret()) {
            Credentials::Secret
        } else if is(&self.publishable_key) {
            Credentials::Publishable
        } else {
            Credentials::Token(key)
        }
    }

    /// The legacy key that a new-style key stands for, as functions see it.
    #[must_use]
    pub fn legacy_token(&self, credentials: Credentials<'_>) -> Option<&str> {
        match credentials {
            Credentials::Publishable => Some(&self.anon_key),
            Credentials::Secret => Some(self.service_role_key.expose_secret()),
            Credentials::None | Credentials::Token(_) => None,
        }
    }
}

fn bearer(value: &str) -> Result<&str, TokenError> {
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(TokenError::Scheme);
    }
    match token.trim() {
        "" => Err(TokenError::Empty),
        token => Ok(token),
    }
}
