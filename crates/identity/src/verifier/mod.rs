//! Checks tokens by the keys that one configuration names, for a service that signs none
//! (rest/CONTRACT.md T01 to T27).

/// Keys of a secret, a JWK or a JWKS, and the tokens already checked by them.
mod keys;

/// Which claim names the role.
mod role;

use std::sync::Arc;

use banyan_config::postgrest::Tokens;
use http::{HeaderMap, header::AUTHORIZATION};
use serde_json::Value;
use time::OffsetDateTime;

pub use self::keys::Lookups;
use self::{keys::Keys, role::RolePath};
use crate::{Caller, Claims, Identified, KeyError, TokenError};

/// Turns the header `Authorization` into a caller.
#[derive(Debug)]
pub struct Verifier {
    keys: Option<Arc<Keys>>,
    audience: Option<String>,
    role: RolePath,
    anonymous: Option<String>,
}

impl Verifier {
    /// A verifier for these options; `anonymous` is the role of requests without a token, none refuses them.
    ///
    /// # Errors
    /// [`KeyError::Unusable`] for a key set without a key that can be used, [`KeyError::RolePath`] for a path of another
    /// form.
    pub fn new(tokens: &Tokens, anonymous: Option<&str>) -> Result<Self, KeyError> {
        Self::after(None, tokens, anonymous)
    }

    /// The verifier that follows this one when options change: what was checked stays known while the keys are the
    /// same (rest/CONTRACT.md T25).
    ///
    /// # Errors
    /// As [`Verifier::new`].
    pub fn renewed(&self, tokens: &Tokens, anonymous: Option<&str>) -> Result<Self, KeyError> {
        Self::after(self.keys.as_ref(), tokens, anonymous)
    }

    fn after(old: Option<&Arc<Keys>>, tokens: &Tokens, anonymous: Option<&str>) -> Result<Self, KeyError> {
        let keys = match &tokens.secret {
            None => None,
            Some(secret) => Some(match old.filter(|old| old.are_of(secret, tokens.cache_entries)) {
                Some(old) => Arc::clone(old),
                None => Arc::new(Keys::new(secret, tokens.cache_entries)?),
            }),
        };
        Ok(Self {
            keys,
            audience: tokens.audience.clone(),
            role: RolePath::parse(&tokens.role_claim)?,
            anonymous: anonymous.map(str::to_owned),
        })
    }

    /// Whether the path to the role is of the form that version 14 had, which a later one will
    /// refuse (rest/CONTRACT.md T03).
    #[must_use]
    pub fn has_old_role_path(&self) -> bool {
        self.role.is_old()
    }

    /// How often a token was looked for among those already checked.
    #[must_use]
    pub fn lookups(&self) -> Lookups {
        self.keys.as_ref().map(|keys| keys.lookups()).unwrap_or_default()
    }

    /// Turns the headers of a request into its caller (rest/CONTRACT.md T01, T02).
    ///
    /// # Errors
    /// [`TokenError`] when a token was presented and is refused, or nothing was and nobody may be anonymous.
    pub fn identify(&self, headers: &HeaderMap, now: OffsetDateTime) -> Identified {
        let Some(token) = bearer(headers) else {
            let role = self.anonymous.as_deref().ok_or(TokenError::AnonymousDisabled)?;
            return Ok(Caller::with_role(Arc::default(), role));
        };
        let keys = self.keys.as_ref().ok_or(TokenError::NoSecret)?;
        let claims = keys.verify(token)?;
        claims.check_times(now)?;
        self.check_audience(&claims)?;
        let role = match self.role.find(claims.value()) {
            Some(Value::String(role)) => role.clone(),
            Some(other) => other.to_string(),
            None => self.anonymous.clone().ok_or(TokenError::AnonymousDisabled)?,
        };
        Ok(Caller::with_role(claims, &role))
    }

    /// rest/CONTRACT.md T19, T20
    fn check_audience(&self, claims: &Claims) -> Result<(), TokenError> {
        let fits = |name: &str| self.audience.as_deref().is_none_or(|audience| audience == name);
        let fits = match claims.get("aud") {
            None | Some(Value::Null) => true,
            Some(Value::String(name)) => fits(name),
            Some(Value::Array(names)) => {
                let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
                let names = names.ok_or(TokenError::AudienceType)?;
                names.is_empty() || names.into_iter().any(fits)
            }
            Some(_) => return Err(TokenError::AudienceType),
        };
        if fits { Ok(()) } else { Err(TokenError::NotInAudience) }
    }
}

/// What follows `Bearer` in any case; another scheme is no token.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests;
