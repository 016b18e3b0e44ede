//! From the headers `apikey` and `Authorization` to a token (server/CONTRACT.md GW-KEYS).

use http::{HeaderMap, HeaderName, header::AUTHORIZATION};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use crate::TokenError;

const APIKEY: HeaderName = HeaderName::from_static("apikey");

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
    /// A token to check, from the header `Authorization`.
    Bearer(&'a str),
    /// A token to check, from the header `apikey`.
    ApiKey(&'a str),
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

    /// Finds what a request presented: `Authorization: Bearer <token>` first, unless it carries a
    /// key of the project; else the `apikey` header, translated (server/CONTRACT.md GW-KEYS).
    ///
    /// A bearer that begins with `sb_` is a key of the project or refused. A header that is sent
    /// twice is refused, since two readers could take different ones.
    ///
    /// # Errors
    /// [`TokenError::Repeated`] and [`TokenError::Unreadable`] for a header of such a form,
    /// [`TokenError::Scheme`] for another scheme than Bearer, [`TokenError::Empty`] for `Bearer`
    /// alone, [`TokenError::UnknownKey`] for an `sb_` bearer of another project, and
    /// [`TokenError::NoApiKey`] where a key is required and neither header holds one.
    pub fn credentials<'a>(&self, headers: &'a HeaderMap) -> Result<Credentials<'a>, TokenError> {
        let (authorization, apikey) = (only(headers, AUTHORIZATION)?, only(headers, APIKEY)?);
        if self.required && apikey.is_none() && authorization.is_none() {
            return Err(TokenError::NoApiKey);
        }
        match authorization.map(bearer).transpose()? {
            Some(token) if !token.starts_with("sb_") => Ok(Credentials::Bearer(token)),
            Some(key) => {
                let of_bearer = self.opaque(key).ok_or(TokenError::UnknownKey)?;
                Ok(apikey.map_or(of_bearer, |key| self.translate(key)))
            }
            None => Ok(apikey.map_or(Credentials::None, |key| self.translate(key))),
        }
    }

    /// What one `apikey` value stands for; a websocket carries it as a query parameter.
    #[must_use]
    pub fn translate<'a>(&self, key: &'a str) -> Credentials<'a> {
        self.opaque(key).unwrap_or(Credentials::ApiKey(key))
    }

    /// What an opaque key stands for; nothing for what is no such key of the project.
    fn opaque(&self, key: &str) -> Option<Credentials<'static>> {
        if is_same(key, self.secret_key.expose_secret()) {
            Some(Credentials::Secret)
        } else if is_same(key, &self.publishable_key) {
            Some(Credentials::Publishable)
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

/// The text of a header that may be there once; nothing where it is missing or empty.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, TokenError> {
    let mut all = headers.get_all(&name).iter();
    let first = all.next();
    if all.next().is_some() {
        return Err(TokenError::Repeated);
    }
    let text = first.map(|value| value.to_str().map_err(|_| TokenError::Unreadable)).transpose()?;
    Ok(text.map(str::trim).filter(|text| !text.is_empty()))
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
