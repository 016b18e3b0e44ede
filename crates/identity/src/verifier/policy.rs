//! What a verifier asks of a request, as data.

use banyan_config::postgrest::Tokens;
use serde_json::Value;

use super::{checked_tokens::Bounds, role_path::RolePath};
use crate::{
    ApiKeys, Claims, Credentials, KeyError, Proof, TokenError, api_keys::Presented, claims::LEEWAY_SECONDS,
    credentials::Authorization,
};

/// Tokens that a gateway remembers, and bytes that they take.
const GATEWAY_BOUNDS: Bounds = Bounds { tokens: 10_000, bytes: 16 << 20 };

/// Bytes of one token where a configuration says how many are remembered (rest/CONTRACT.md T25).
const BYTES_OF_A_TOKEN: u64 = 4 * 1024;

/// What a verifier asks of a request.
#[derive(Debug)]
pub struct VerifierPolicy {
    /// The keys that may stand in `apikey` and as a bearer. Where there are none, `apikey` does not
    /// count.
    api_keys: Option<ApiKeys>,
    /// Whether another scheme than Bearer is refused (auth/CONTRACT.md B1), or anonymous
    /// (rest/CONTRACT.md T01).
    refuses_other_schemes: bool,
    /// The role of requests without a token and of tokens without a role; none refuses both.
    pub(super) anonymous_role: Option<String>,
    /// Which claim names the role.
    pub(super) role: RolePath,
    /// The audience that tokens must be for, if they name one; none accepts every audience.
    audience: Option<String>,
    /// Whether tokens for one purpose are refused (rest/CONTRACT.md T28). Where no such tokens are
    /// signed, their claims mean nothing.
    pub(super) refuses_purpose_tokens: bool,
    /// Seconds that clocks may differ by.
    pub(super) leeway: u32,
    /// How many checked tokens are remembered.
    pub(super) remembered: Bounds,
}

impl VerifierPolicy {
    /// The policy of a gateway: the project's keys count, and every audience passes
    /// (server/CONTRACT.md GW-KEYS to GW-TOKENS).
    #[must_use]
    pub fn of_gateway(api_keys: ApiKeys) -> Self {
        Self {
            api_keys: Some(api_keys),
            refuses_other_schemes: true,
            anonymous_role: Some("anon".to_owned()),
            role: RolePath::default(),
            audience: None,
            refuses_purpose_tokens: true,
            leeway: LEEWAY_SECONDS,
            remembered: GATEWAY_BOUNDS,
        }
    }

    /// The policy of a data API that stands alone: no API keys, and what its options say of tokens
    /// (rest/CONTRACT.md T01 to T27).
    ///
    /// # Errors
    /// [`KeyError::RolePath`] for a path of another form.
    pub fn of_data_api(tokens: &Tokens, anonymous_role: Option<&str>) -> Result<Self, KeyError> {
        let bytes = tokens.cache_entries as u64 * BYTES_OF_A_TOKEN;
        Ok(Self {
            api_keys: None,
            refuses_other_schemes: false,
            anonymous_role: anonymous_role.map(str::to_owned),
            role: RolePath::parse(&tokens.role_claim)?,
            audience: tokens.audience.clone(),
            refuses_purpose_tokens: false,
            leeway: LEEWAY_SECONDS,
            remembered: Bounds { tokens: tokens.cache_entries, bytes },
        })
    }

    /// The one of the credentials that counts.
    pub(super) fn choose<'a>(&self, credentials: &'a Credentials<'_>) -> Result<Presented<'a>, TokenError> {
        match (&self.api_keys, credentials.authorization()) {
            (_, Authorization::OtherScheme | Authorization::Bare(_)) if self.refuses_other_schemes => {
                Err(TokenError::Scheme)
            }
            (Some(keys), _) => keys.choose(credentials),
            (None, Authorization::Bearer(token)) => Ok(Presented::Token(token, Proof::Authorization)),
            (None, Authorization::Absent | Authorization::OtherScheme | Authorization::Bare(_)) => {
                Ok(Presented::Nothing)
            }
        }
    }

    /// rest/CONTRACT.md T19, T20
    pub(super) fn check_audience(&self, claims: &Claims) -> Result<(), TokenError> {
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
