//! Fields as text, and what is said of bad ones (CONTRACT.md E03).

use crate::error::StorageError;

/// Fields that are found by their names.
pub(super) struct Fields<'a> {
    /// What errors call the whole.
    pub(super) place: &'a str,
    pub(super) field: &'a dyn Fn(&str) -> Option<String>,
}

impl Fields<'_> {
    /// A whole number within bounds.
    pub(super) fn integer(
        &self,
        name: &str,
        least: Option<f64>,
        most: Option<f64>,
    ) -> Result<Option<f64>, StorageError> {
        let Some(text) = (self.field)(name) else { return Ok(None) };
        let number = read_number(&text).filter(|number| number.fract() == 0.0);
        let number = number.ok_or_else(|| self.error(name, "must be integer"))?;
        match (least, most) {
            (Some(least), _) if number < least => Err(self.error(name, &format!("must be >= {least}"))),
            (_, Some(most)) if number > most => Err(self.error(name, &format!("must be <= {most}"))),
            _ => Ok(Some(number)),
        }
    }

    /// A number.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, StorageError> {
        let Some(text) = (self.field)(name) else { return Ok(None) };
        read_number(&text).map(Some).ok_or_else(|| self.error(name, "must be number"))
    }

    /// A word of a list.
    pub(super) fn one_of<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, StorageError> {
        let Some(text) = (self.field)(name) else { return Ok(None) };
        let known = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        known.map(Some).ok_or_else(|| self.error(name, "must be equal to one of the allowed values"))
    }

    fn error(&self, name: &str, rule: &str) -> StorageError {
        StorageError::Validation(format!("{}/{name} {rule}", self.place))
    }
}

/// A finite number.
fn read_number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}
