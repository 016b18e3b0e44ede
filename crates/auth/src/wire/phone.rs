use crate::wire::error::AuthError;

/// A phone number in the form of E.164 without its plus: what `auth.users` holds (CONTRACT.md O4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phone(String);

impl Phone {
    /// Checks a number; a plus and blanks are left out.
    ///
    /// # Errors
    /// 400 `validation_failed`.
    pub(crate) fn parse(text: &str) -> Result<Self, AuthError> {
        let digits = text.strip_prefix('+').unwrap_or(text).replace(' ', "");
        let fits = (2..=15).contains(&digits.len())
            && !digits.starts_with('0')
            && digits.bytes().all(|b| b.is_ascii_digit());
        if fits {
            Ok(Self(digits))
        } else {
            Err(AuthError::validation("Invalid phone number format (E.164 required)"))
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: O4
    #[test]
    fn numbers_are_kept_as_digits() {
        assert_eq!(Phone::parse("+91 98000 00000").unwrap().as_str(), "919800000000");
        for bad in ["", "1", "+", "0123456", "98-76", "1234567890123456", "12a", "١٢٣"] {
            assert!(Phone::parse(bad).is_err(), "{bad}");
        }
    }
}
