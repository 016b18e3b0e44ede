//! The environment as one value, so that tests give their own and nothing reads it elsewhere.

use std::{collections::BTreeMap, fmt, sync::OnceLock};

/// The variables a function was given.
#[derive(Clone)]
pub struct Env(OnceLock<BTreeMap<String, String>>);

/// The names alone, since values are secrets.
impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Env").field(&self.all().keys()).finish()
    }
}

impl Env {
    /// The process's environment, which in a guest holds only what the host put there. It is read
    /// once somebody asks, since a function that does not ask is done sooner than all variables are
    /// copied.
    pub fn read() -> Self {
        Self(OnceLock::new())
    }

    #[expect(clippy::disallowed_methods, reason = "the one place where a function reads its environment")]
    fn all(&self) -> &BTreeMap<String, String> {
        self.0.get_or_init(|| std::env::vars().collect())
    }

    /// The value of `name`, trimmed; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all().get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The value of `name` as a number, when it is one.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// Returns whether the value of `name` means yes (`true`, `1`, `yes`, `on`), or `default` if it
    /// is absent.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        match self.get(name) {
            Some(value) => ["true", "1", "yes", "on"].contains(&value.to_ascii_lowercase().as_str()),
            None => default,
        }
    }
}

/// No variables.
impl Default for Env {
    fn default() -> Self {
        Self::from([])
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Env {
    fn from(pairs: [(&str, &str); N]) -> Self {
        let pairs = pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self(OnceLock::from(pairs.collect::<BTreeMap<_, _>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_counts_as_absent() {
        let env = Env::from([("A", " "), ("B", " x "), ("C", "12"), ("D", "Yes")]);
        assert_eq!((env.get("A"), env.get("B"), env.number("C")), (None, Some("x"), Some(12)));
        assert!(env.flag("D", false) && env.flag("E", true) && !env.flag("B", true));
    }
}
