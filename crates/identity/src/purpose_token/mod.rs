//! Tokens for one purpose, such as a signed URL. They say what may be done, and not who calls.
//!
//! Claims and scopes are those of the field's storage service, so that either reads what the other
//! signed. A token for one purpose opens nothing else, and is no access token; an access token is
//! no token for a purpose.

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use crate::{Claims, KeyError, Keyring, TokenError, claims::LEEWAY_SECONDS};

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Reads one object.
    Download,
    /// Writes one object.
    Upload,
}

/// A token for one purpose.
#[derive(Debug, Clone, PartialEq)]
pub struct PurposeToken {
    /// What it is for.
    pub purpose: Purpose,
    /// What it opens, such as `bucket/name`.
    pub url: String,
    /// Further claims, such as `transformations`, `owner` or `upsert`.
    pub claims: Map<String, Value>,
    /// When it ends, to the second and without leeway.
    pub expires_at: OffsetDateTime,
}

impl Purpose {
    /// The claim `scope` of its tokens.
    fn scope(self) -> &'static str {
        match self {
            Self::Download => "download",
            Self::Upload => "upload",
        }
    }

    /// The purpose that claims name. Older tokens have no scope: those for uploads have `upsert`.
    fn of(claims: &Claims) -> Option<Self> {
        match (claims.get("scope"), claims.get("upsert")) {
            (None, None) => Some(Self::Download),
            (None, Some(_)) => Some(Self::Upload),
            (Some(scope), _) => {
                [Self::Download, Self::Upload].into_iter().find(|purpose| scope == purpose.scope())
            }
        }
    }
}

impl PurposeToken {
    /// Signs the token. A claim `role` is left out: the token says not who calls.
    ///
    /// # Errors
    /// [`KeyError`] as for [`Keyring::sign`].
    pub fn sign(&self, keyring: &Keyring, now: OffsetDateTime) -> Result<String, KeyError> {
        let mut claims = self.claims.clone();
        claims.remove("role");
        claims.insert("url".to_owned(), json!(self.url));
        claims.insert("scope".to_owned(), json!(self.purpose.scope()));
        claims.insert("iat".to_owned(), json!(now.unix_timestamp()));
        claims.insert("exp".to_owned(), json!(self.expires_at.unix_timestamp()));
        keyring.sign_for_purpose(&claims)
    }

    /// Checks a token that is to open `url` for this purpose.
    ///
    /// # Errors
    /// [`TokenError::Purpose`] for a token of another purpose, of another URL, and an access token;
    /// the others for a token that is damaged, has ended or never ends.
    pub fn check(
        keyring: &Keyring,
        token: &str,
        (purpose, url): (Purpose, &str),
        now: OffsetDateTime,
    ) -> Result<Self, TokenError> {
        let claims = keyring.check_signature(token)?;
        claims.check_times(now, LEEWAY_SECONDS)?;
        let expires_at = claims.expires_at().ok_or(TokenError::NotANumber("exp"))?;
        if expires_at <= now {
            return Err(TokenError::Expired);
        }
        let fits = Purpose::of(&claims) == Some(purpose) && claims.text("url") == Some(url);
        if !fits || claims.get("role").is_some() {
            return Err(TokenError::Purpose);
        }
        Ok(Self { purpose, url: url.to_owned(), claims: claims.into_map(), expires_at })
    }
}

/// Whether claims are those of a token for a purpose: they name a URL, and a purpose or no role.
pub(crate) fn has_claims(claims: &Claims, names_role: bool) -> bool {
    claims.text("url").is_some()
        && (!names_role || matches!(claims.text("scope"), Some("download" | "upload")))
}

#[cfg(test)]
mod tests;
