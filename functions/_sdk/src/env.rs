//! The environment as one value, so that tests give their own and nothing reads it elsewhere.

use std::{collections::BTreeMap, fmt};

/// The variables a function was given.
#[derive(Clone, Default)]
pub struct Env(BTreeMap<String, String>);

/// The names alone, since values are secrets.
impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Env").field(&self.0.keys()).finish()
    }
}

impl Env {
    /// Reads the process's environment, which in a guest holds only what the host put there.
    #[expect(clippy::disallowed_methods, reason = "the one place where a function reads its environment")]
    pub fn read() -> Self {
        Self(std::env::vars().collect())
    }

    /// The value of `name`, trimmed; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The value of `name` as a number, when it is one.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// Whether `name` says yes (`true`, `1`, `yes`, `on`); `default` when it is absent.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        match self.get(name) {
            Some(value) => ["true", "1", "yes", "on"].contains(&value.to_ascii_lowercase().as_str()),
            None => default,
        }
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Env {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
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
