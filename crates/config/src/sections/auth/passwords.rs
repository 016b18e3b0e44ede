//! What a password must be.

use super::Words;
use crate::{
    ConfigError,
    env_reference::{unset, variable},
    raw::{RawAuth, RawBanyanAuth},
};

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const SYMBOLS: &str = "!@#$%^&*()_+-=[]{};'\\:\"|<>?,./`~";

/// What a password must be (auth/CONTRACT.md PW4 to PW6).
#[derive(Debug, Clone)]
pub struct Passwords {
    /// Whether anybody but an admin can set one or sign in with one; also for accounts with a
    /// number.
    pub enabled: bool,
    /// Fewest characters, 6 or more (PW4).
    pub min_length: usize,
    /// Sets of characters, of each of which a password needs one; empty means no such rule (PW5).
    pub required_characters: Vec<String>,
    /// Look-up of leaked passwords, where it is on (PW6).
    pub leaked: Option<LeakedPasswords>,
    /// Whether a change asks for the present password (U12).
    pub require_current: bool,
    /// Whether a change in a session older than a day asks for a nonce (U11).
    pub require_reauthentication: bool,
}

/// The k-anonymity look-up of leaked passwords.
#[derive(Debug, Clone)]
pub struct LeakedPasswords {
    /// The service; five hex digits of the SHA-1 are appended.
    pub url: String,
    /// Whether a password is refused when the service cannot be asked.
    pub fail_closed: bool,
}

impl Passwords {
    pub(super) fn check(raw: &RawAuth, ours: &RawBanyanAuth, words: &Words<'_>) -> Result<Self, ConfigError> {
        let required = match words.text("PASSWORD_REQUIRED_CHARACTERS") {
            Some(sets) => character_sets(sets),
            None => required(&raw.password_requirements)?,
        };
        Ok(Self {
            enabled: ours.email.enable_password,
            min_length: usize::from(raw.minimum_password_length).max(6),
            required_characters: required,
            leaked: LeakedPasswords::check(ours, words)?,
            require_current: words.switch(
                "SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
                ours.require_current_password || raw.email.require_current_password,
            )?,
            require_reauthentication: raw.email.secure_password_change,
        })
    }
}

impl LeakedPasswords {
    fn check(ours: &RawBanyanAuth, words: &Words<'_>) -> Result<Option<Self>, ConfigError> {
        let leaked = &ours.leaked_passwords;
        if !words.switch("PASSWORD_HIBP_ENABLED", leaked.enabled)? {
            return Ok(None);
        }
        match variable(&leaked.url) {
            // Nobody would answer there, and every password pass.
            Some(name) => Err(ConfigError::value("auth.leaked_passwords.url", unset(name))),
            None => Ok(Some(Self { url: leaked.url.clone(), fail_closed: leaked.fail_closed })),
        }
    }
}

fn required(name: &str) -> Result<Vec<String>, ConfigError> {
    let sets: &[&str] = match name {
        "" => &[],
        "letters_digits" => return Ok(vec![format!("{LOWER}{UPPER}"), DIGITS.to_owned()]),
        "lower_upper_letters_digits" => &[LOWER, UPPER, DIGITS],
        "lower_upper_letters_digits_symbols" => &[LOWER, UPPER, DIGITS, SYMBOLS],
        _ => {
            return Err(ConfigError::value(
                "auth.password_requirements",
                "must be empty, letters_digits, lower_upper_letters_digits or lower_upper_letters_digits_symbols",
            ));
        }
    };
    Ok(sets.iter().map(|set| (*set).to_owned()).collect())
}

/// Sets joined by `:`; a backslash keeps the next `:` or backslash.
fn character_sets(text: &str) -> Vec<String> {
    let mut sets = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let last = sets.len() - 1;
        match character {
            ':' => sets.push(String::new()),
            '\\' => sets[last].push(characters.next_if(|next| matches!(next, ':' | '\\')).unwrap_or('\\')),
            other => sets[last].push(other),
        }
    }
    sets.retain(|set| !set.is_empty());
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: auth/PW5
    #[test]
    fn sets_are_split_at_colons_that_no_backslash_escapes() {
        assert_eq!(character_sets(r"abc:0\:9:\\"), ["abc", "0:9", r"\"]);
        assert!(character_sets("").is_empty());
        let symbols = &required("lower_upper_letters_digits_symbols").expect("known")[3];
        assert!(symbols.contains(':') && symbols.contains('\\'));
        assert!(required("strong").is_err());
    }
}
