use serde::Deserialize;

use crate::error::AuthError;

/// Longest address in bytes (auth.md M19).
const LONGEST: usize = 255;

/// An address that mail can go to, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Email(String);

impl Email {
    /// Checks an address (auth.md M19).
    ///
    /// # Errors
    /// 400 `validation_failed`.
    pub(crate) fn parse(text: &str) -> Result<Self, AuthError> {
        let refused = || AuthError::validation("Unable to validate email address: invalid format");
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return Err(AuthError::validation("An email address is required"));
        }
        if text.len() > LONGEST {
            return Err(AuthError::validation("An email address is too long"));
        }
        let (local, domain) = text.rsplit_once('@').ok_or_else(refused)?;
        let local_ok = !local.is_empty()
            && local.len() <= 64
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..")
            && local.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-.".contains(c));
        let label_ok = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        if !local_ok || !domain.split('.').all(label_ok) || !domain.contains('.') && domain != "localhost" {
            return Err(refused());
        }
        Ok(Self(text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The address or phone number of a request; services of phones do not exist yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AddressInput {
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
}

impl AddressInput {
    /// The e-mail address.
    ///
    /// # Errors
    /// 400 `validation_failed` when there is none or both are there, 400 `phone_provider_disabled` for a phone.
    pub(crate) fn email(&self) -> Result<Email, AuthError> {
        let given = |field: &'_ Option<String>| field.as_deref().is_some_and(|text| !text.is_empty());
        match (given(&self.email), given(&self.phone)) {
            (true, true) => {
                Err(AuthError::validation("Only an email address or phone number should be provided"))
            }
            (false, false) => Err(AuthError::validation("One of email or phone must be set")),
            (false, true) => Err(AuthError::PhoneDisabled),
            (true, false) => Email::parse(self.email.as_deref().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_m19_addresses_are_checked_and_lowered() {
        assert_eq!(Email::parse(" Asha.K+1@Example.CO.in ").unwrap().as_str(), "asha.k+1@example.co.in");
        for bad in [
            "",
            "a",
            "a@",
            "@b.c",
            "a@b",
            "a b@c.de",
            "a@b..c",
            ".a@b.c",
            "a@-b.c",
            "a\r\nBcc:x@b.c",
            "a@b.c, d@e.f",
        ] {
            assert!(Email::parse(bad).is_err(), "{bad:?}");
        }
        assert!(Email::parse(&format!("a@{}.in", "b".repeat(260))).is_err());
    }
}
