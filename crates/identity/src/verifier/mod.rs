//! Says who calls: credentials in, a caller out, by the keys of a keyring and a policy.

/// What is asked of a request, as data.
mod policy;

/// The tokens already checked.
mod checked_tokens;

/// Which claim names the role.
mod role_path;

use std::sync::Arc;

use banyan_config::postgrest::Tokens;
use http::HeaderMap;
use serde_json::Value;
use time::OffsetDateTime;

use self::checked_tokens::CheckedTokens;
pub use self::{checked_tokens::Lookups, policy::VerifierPolicy};
use crate::{
    Caller, Claims, Credentials, Identified, KeyError, Keyring, Proof, TokenError, api_keys::Presented,
    keyring::LONGEST_TOKEN, purpose_token,
};

/// Turns credentials into a caller.
///
/// A token's signature is verified once. Its claims are remembered while the keys are the same; its
/// times are checked on every use.
pub struct Verifier {
    keyring: Arc<Keyring>,
    checked: Arc<CheckedTokens>,
    policy: VerifierPolicy,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Verifier {
    /// A verifier of tokens that these keys signed. It follows a rotation of the keys.
    #[must_use]
    pub fn new(keyring: Arc<Keyring>, policy: VerifierPolicy) -> Self {
        let checked = Arc::new(CheckedTokens::new(policy.remembered));
        Self { keyring, checked, policy }
    }

    /// A verifier by the options of a data API that stands alone.
    ///
    /// # Errors
    /// [`KeyError::Unusable`] for a key set without a key that can be used, [`KeyError::RolePath`]
    /// for a path of another form.
    pub fn of_data_api(tokens: &Tokens, anonymous_role: Option<&str>) -> Result<Self, KeyError> {
        let policy = VerifierPolicy::of_data_api(tokens, anonymous_role)?;
        Ok(Self::new(Arc::new(Keyring::of_jwt_secret(tokens.secret.as_ref())?), policy))
    }

    /// The verifier that follows this one when options change. What was checked stays known while
    /// the keys are the same (rest/CONTRACT.md T25).
    ///
    /// # Errors
    /// As [`Verifier::of_data_api`].
    pub fn renewed(&self, tokens: &Tokens, anonymous_role: Option<&str>) -> Result<Self, KeyError> {
        let new = Self::of_data_api(tokens, anonymous_role)?;
        let remembers_alike = self.policy.remembered == new.policy.remembered;
        if !remembers_alike || !self.keyring.is_of_jwt_secret(tokens.secret.as_ref()) {
            return Ok(new);
        }
        let (keyring, checked) = (Arc::clone(&self.keyring), Arc::clone(&self.checked));
        Ok(Self { keyring, checked, policy: new.policy })
    }

    /// Whether the path to the role is of the form that version 14 had, which a later one will
    /// refuse (rest/CONTRACT.md T03).
    #[must_use]
    pub fn has_old_role_path(&self) -> bool {
        self.policy.role.is_old()
    }

    /// How often a token was looked for among those already checked.
    #[must_use]
    pub fn lookups(&self) -> Lookups {
        self.checked.lookups()
    }

    /// Turns the headers of a request into its caller.
    ///
    /// # Errors
    /// [`TokenError`] when a token was presented and is refused, when a required key is missing, or
    /// when nothing was presented and nobody may be anonymous.
    pub fn identify(&self, headers: &HeaderMap, now: OffsetDateTime) -> Identified {
        self.caller(&Credentials::from_headers(headers)?, now)
    }

    /// Turns credentials into a caller.
    ///
    /// # Errors
    /// As [`Verifier::identify`].
    pub fn caller(&self, credentials: &Credentials<'_>, now: OffsetDateTime) -> Identified {
        match self.policy.choose(credentials)? {
            Presented::Nothing => Ok(Caller::of_role(self.anonymous_role()?)),
            Presented::PublishableKey => Ok(Caller::anonymous().proven_by(Proof::PublishableKey)),
            Presented::SecretKey => Ok(Caller::service().proven_by(Proof::SecretKey)),
            Presented::Token(token, proof) => Ok(self.of_token(token, now)?.proven_by(proof)),
        }
    }

    /// rest/CONTRACT.md T01 to T03
    fn of_token(&self, token: &str, now: OffsetDateTime) -> Identified {
        let claims = self.verify(token, now)?;
        self.policy.check_audience(&claims)?;
        let role = self.policy.role.find(claims.value());
        if self.policy.refuses_purpose_tokens && purpose_token::has_claims(&claims, role.is_some()) {
            return Err(TokenError::Purpose);
        }
        let role = match role {
            Some(Value::String(role)) => role.clone(),
            Some(other) => other.to_string(),
            None => self.anonymous_role()?.to_owned(),
        };
        Ok(Caller::new(claims, &role))
    }

    fn anonymous_role(&self) -> Result<&str, TokenError> {
        self.policy.anonymous_role.as_deref().ok_or(TokenError::AnonymousDisabled)
    }

    /// Checks a token's signature, then its times. What is refused is not remembered.
    fn verify(&self, token: &str, now: OffsetDateTime) -> Result<Arc<Claims>, TokenError> {
        if token.len() > LONGEST_TOKEN {
            return Err(TokenError::Signature);
        }
        let (id, keys) = (CheckedTokens::id(token), self.keyring.current());
        if let Some(claims) = self.checked.find(&id, &keys) {
            let times = claims.check_times(now, self.policy.leeway);
            return times.inspect_err(|_| self.checked.forget(&id)).map(|()| claims);
        }
        let claims = Arc::new(keys.check_signature(token)?);
        claims.check_times(now, self.policy.leeway)?;
        self.checked.keep(id, &claims, keys);
        Ok(claims)
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod data_api_tests;

#[cfg(test)]
mod forgery_tests;
