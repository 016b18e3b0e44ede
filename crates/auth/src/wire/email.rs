use serde::Deserialize;

use crate::wire::{
    error::{AccountError, AuthError},
    phone::Phone,
};

/// Longest address in bytes (CONTRACT.md M19).
const LONGEST: usize = 255;

/// An address that mail can go to, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Email(String);

impl Email {
    /// Checks an address (CONTRACT.md M19).
    ///
    /// # Errors
    /// 400 `validation_failed`.
    pub(crate) fn parse(text: &str) -> Result<Self, AuthError> {
        let refused = || AuthError::validation("Unable to validate email address: invalid format");
        // Signs of other scripts may have an ASCII lower case, and mean another mailbox.
        let text = text.trim();
        if !text.is_ascii() {
            return Err(refused());
        }
        let text = text.to_ascii_lowercase();
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

/// Refuses an address at a domain that the project mails nothing to, or below one
/// (CONTRACT.md M20).
///
/// # Errors
/// 400 `email_address_invalid`.
pub(crate) fn check_domain(refused: &[String], address: &str) -> Result<(), AuthError> {
    let host = address.rsplit('@').next().unwrap_or_default();
    let is_at =
        |domain: &String| host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    if refused.iter().any(is_at) {
        return Err(AccountError::AddressInvalid(address.to_owned()).into());
    }
    Ok(())
}

/// The address or phone number of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AddressInput {
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
}

impl AddressInput {
    /// The e-mail address as it came, if one did.
    pub(crate) fn given_email(&self) -> Option<&str> {
        self.email.as_deref().filter(|text| !text.is_empty())
    }

    /// The phone number as it came, if one did.
    pub(crate) fn given_phone(&self) -> Option<&str> {
        self.phone.as_deref().filter(|text| !text.is_empty())
    }

    /// Whether neither came.
    pub(crate) fn is_empty(&self) -> bool {
        self.given_email().is_none() && self.given_phone().is_none()
    }

    /// The one that came.
    ///
    /// # Errors
    /// 400 `validation_failed` when there is none, both are there, or it has no valid form.
    pub(crate) fn check(&self) -> Result<Address, AuthError> {
        match (self.given_email(), self.given_phone()) {
            (Some(_), Some(_)) => {
                Err(AuthError::validation("Only an email address or phone number should be provided"))
            }
            (None, None) => Err(AuthError::validation("One of email or phone must be set")),
            (Some(email), None) => Email::parse(email).map(Address::Email),
            (None, Some(phone)) => Phone::parse(phone).map(Address::Phone),
        }
    }
}

/// Where codes can be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    Email(Email),
    Phone(Phone),
}

impl Address {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Email(email) => email.as_str(),
            Self::Phone(phone) => phone.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: M19
    #[test]
    fn addresses_are_checked_and_lowered() {
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
            "\u{212a}umar@example.com",
        ] {
            assert!(Email::parse(bad).is_err(), "{bad:?}");
        }
        assert!(Email::parse(&format!("a@{}.in", "b".repeat(260))).is_err());
    }
}
