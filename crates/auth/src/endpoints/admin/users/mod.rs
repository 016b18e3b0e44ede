//! `/admin/users`: accounts (CONTRACT.md H40 to H46, D1 to D14).

/// `GET /admin/users`.
pub(crate) mod list;

/// `POST /admin/users`.
pub(crate) mod create;

/// `GET /admin/users/{id}`.
pub(crate) mod get;

/// `PUT /admin/users/{id}`.
pub(crate) mod put;

/// `DELETE /admin/users/{id}`.
pub(crate) mod delete;

/// `/admin/users/{id}/factors`.
pub(crate) mod factors;

/// `/admin/users/{id}/passkeys`.
pub(crate) mod passkeys;

/// `/admin/users/{id}/sessions`.
pub(crate) mod sessions;

use serde::Deserialize;
use serde_json::{Map, Value};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    passwords,
    wire::{email::Email, error::AuthError, phone::Phone},
};

/// What an admin may say of an account (CONTRACT.md D4, D6).
#[derive(Debug, Deserialize)]
pub(crate) struct AccountInput {
    id: Option<String>,
    aud: Option<String>,
    role: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    password_hash: Option<String>,
    email_confirm: Option<bool>,
    phone_confirm: Option<bool>,
    user_metadata: Option<Map<String, Value>>,
    app_metadata: Option<Map<String, Value>>,
    ban_duration: Option<String>,
}

pub(super) fn given(field: &Option<String>) -> Option<&str> {
    field.as_deref().filter(|text| !text.is_empty())
}

/// What the tables of the reference take as a role or an audience.
const LONGEST_COLUMN: usize = 255;

impl AccountInput {
    fn email(&self) -> Result<Option<Email>, AuthError> {
        given(&self.email).map(Email::parse).transpose()
    }

    fn phone(&self) -> Result<Option<Phone>, AuthError> {
        given(&self.phone).map(Phone::parse).transpose()
    }

    /// The id that the account shall have.
    fn id(&self) -> Result<Option<Uuid>, AuthError> {
        let Some(text) = given(&self.id) else { return Ok(None) };
        let id: Uuid =
            text.parse().map_err(|_| AuthError::validation("ID must conform to the uuid v4 format"))?;
        if id.is_nil() { Err(AuthError::validation("ID cannot be a nil uuid")) } else { Ok(Some(id)) }
    }

    /// The hash to store: of a password, or one that was brought along (CONTRACT.md PW3). None when
    /// neither is given.
    async fn password_hash(&self, service: &ServiceContext) -> Result<Option<String>, AuthError> {
        match (given(&self.password), given(&self.password_hash)) {
            (Some(_), Some(_)) => {
                Err(AuthError::validation("Only a password or a password hash should be provided"))
            }
            (None, None) => Ok(None),
            (None, Some(hash)) => passwords::check_hash(hash).map(|()| Some(hash.to_owned())),
            (Some(password), None) => {
                service.passwords.check(password).await?;
                service.passwords.hash(password, service.random()).await.map(Some)
            }
        }
    }

    fn role(&self) -> Result<Option<&str>, AuthError> {
        column_of("role", &self.role)
    }

    fn audience(&self) -> Result<Option<&str>, AuthError> {
        column_of("aud", &self.aud)
    }

    /// Until when the account is banned; `Some(None)` lifts a ban (CONTRACT.md D7).
    fn ban(&self, now: OffsetDateTime) -> Result<Option<Option<OffsetDateTime>>, AuthError> {
        match self.ban_duration.as_deref() {
            None | Some("") => Ok(None),
            Some("none") => Ok(Some(None)),
            Some(text) => {
                let wrong = || AuthError::validation("invalid format for ban duration");
                let until = now.checked_add(duration(text).ok_or_else(wrong)?).ok_or_else(wrong)?;
                Ok(Some(Some(until)))
            }
        }
    }
}

/// The id in a path (CONTRACT.md D12).
fn parse_id(text: &str) -> Result<Uuid, AuthError> {
    text.parse().map_err(|_| AuthError::PathNoUuid)
}

/// A text that fits its column.
fn column_of<'a>(field: &str, text: &'a Option<String>) -> Result<Option<&'a str>, AuthError> {
    match given(text) {
        Some(long) if long.chars().count() > LONGEST_COLUMN => {
            Err(AuthError::validation(format!("{field} must have at most {LONGEST_COLUMN} characters")))
        }
        fits => Ok(fits),
    }
}

/// A duration in Go's form: `24h`, `1h30m`, `90s`.
fn duration(text: &str) -> Option<Duration> {
    let (mut total, mut rest) = (Duration::ZERO, text);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let (seconds, unit) = match &rest[digits..] {
            unit if unit.starts_with("ms") => (0.001, 2),
            unit if unit.starts_with('h') => (3600.0, 1),
            unit if unit.starts_with('m') => (60.0, 1),
            unit if unit.starts_with('s') => (1.0, 1),
            _ => return None,
        };
        total = total.checked_add(Duration::checked_seconds_f64(number * seconds)?)?;
        rest = &rest[digits + unit..];
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: D7
    #[test]
    fn ban_durations_have_gos_form() {
        assert_eq!(duration("24h"), Some(Duration::hours(24)));
        assert_eq!(duration("1h30m"), Some(Duration::minutes(90)));
        assert_eq!(duration("1.5s"), Some(Duration::milliseconds(1500)));
        for bad in ["", "24", "h", "1d", "-1h", "1h-", "99999999999999999999999h"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }
}
