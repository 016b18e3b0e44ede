//! Environment variables and `.env` files.

use std::{collections::BTreeMap, path::Path};

use crate::ConfigError;

/// The variables a configuration may refer to. The process environment wins over every file.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("names", &self.variables.keys().collect::<Vec<_>>()).finish()
    }
}

impl Environment {
    /// The variables of this process; values that are not UTF-8 are left out.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place where the environment is read")]
    pub fn of_process() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { variables }
    }

    /// An environment with just these variables, for tests.
    #[must_use]
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self { variables: variables.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect() }
    }

    /// Value of `name`, when it is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Value of `name`, when it is set, empty or not.
    #[must_use]
    pub fn even_empty(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// All variables whose name starts with `prefix`.
    pub fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.variables
            .iter()
            .filter(move |(name, _)| name.starts_with(prefix))
            .map(|(n, v)| (n.as_str(), v.as_str()))
    }

    /// Adds the `.env` files of a folder, in the order of stack.md section 2: the first value of a name wins.
    ///
    /// # Errors
    /// [`ConfigError::Read`] when a file exists and cannot be read.
    pub fn add_files(&mut self, folder: &Path) -> Result<(), ConfigError> {
        let mode = self.get("SUPABASE_ENV").unwrap_or("development").to_owned();
        let mut names = vec![format!(".env.{mode}.local")];
        if mode != "test" {
            names.push(".env.local".to_owned());
        }
        names.extend([format!(".env.{mode}"), ".env".to_owned()]);
        for name in names {
            for (name, value) in read_env_file(&folder.join(name))? {
                self.variables.entry(name).or_insert(value);
            }
        }
        Ok(())
    }
}

/// Reads `NAME=value` lines; a missing file is an empty one. Quotes round a value are taken off, `export ` is allowed,
/// `#` starts a comment line.
///
/// # Errors
/// [`ConfigError::Read`] when the file exists and cannot be read.
pub fn read_env_file(path: &Path) -> Result<BTreeMap<String, String>, ConfigError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
    };
    Ok(text.lines().filter_map(parse_line).collect())
}

fn parse_line(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    Some((name.trim().to_owned(), unquote(value.trim()).to_owned()))
}

fn unquote(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_files_are_read_with_quotes_and_comments() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(
            folder.path().join(".env"),
            "# a note\nA=1\nexport B=\"two words\"\nC='x' \nD=v # why\n",
        )
        .expect("written");
        let mut environment = Environment::of([("A", "from the process")]);
        environment.add_files(folder.path()).expect("read");
        assert_eq!(environment.get("A"), Some("from the process"));
        assert_eq!(environment.get("B"), Some("two words"));
        assert_eq!(environment.get("C"), Some("x"));
        assert_eq!(environment.get("D"), Some("v"));
    }

    #[test]
    fn debug_shows_names_and_never_values() {
        let shown = format!("{:?}", Environment::of([("TOKEN", "s3cret")]));
        assert!(shown.contains("TOKEN") && !shown.contains("s3cret"));
    }
}
