//! Environment variables and `.env` files.

use std::{collections::BTreeMap, path::Path};

use crate::{ConfigError, env_file, text_file};

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

    /// Adds the `.env` files of a folder, in the order of CONTRACT.md CFG-ENV-FILES: the first
    /// value of a name wins. Gives what in them looks like a mistake, one sentence each.
    ///
    /// # Errors
    /// [`ConfigError::Read`] when a file exists and cannot be read.
    pub fn add_files(&mut self, folder: &Path) -> Result<Vec<String>, ConfigError> {
        let mode = self.get("SUPABASE_ENV").unwrap_or("development").to_owned();
        let mut names = vec![format!(".env.{mode}.local")];
        if mode != "test" {
            names.push(".env.local".to_owned());
        }
        names.extend([format!(".env.{mode}"), ".env".to_owned()]);
        let mut doubts = Vec::new();
        for path in names.into_iter().map(|name| folder.join(name)) {
            let read = env_file::parse(&text_of(&path)?);
            // One message covers all of them: a broken value of several lines causes many.
            let mistakes = read.mistakes.into_iter().map(env_file::Mistake::as_doubt);
            let doubt = mistakes.chain(read.doubts).next();
            doubts.extend(doubt.map(|doubt| format!("{}: {doubt}", path.display())));
            for (name, value) in read.variables {
                self.variables.entry(name).or_insert(value);
            }
        }
        Ok(doubts)
    }
}

/// The variables of one file, such as that of `secrets set --env-file`.
#[derive(Debug, Default)]
pub struct EnvFile {
    /// Values by name.
    pub variables: BTreeMap<String, String>,
    /// Likely mistakes, one sentence each, without any value.
    pub doubts: Vec<String>,
}

/// Reads the variables of a file by the rules of `env_file.rs`; a missing file is an empty one.
///
/// # Errors
/// [`ConfigError::Read`] when the file exists and cannot be read, [`ConfigError::Syntax`] when a
/// line of it is no assignment. The message has the number of the line and never its text.
pub fn read_env_file(path: &Path) -> Result<EnvFile, ConfigError> {
    let read = env_file::parse(&text_of(path)?);
    if let Some(mistake) = read.mistakes.first() {
        return Err(ConfigError::Syntax { path: path.to_owned(), message: mistake.as_error() });
    }
    let doubts = read.doubts.iter().map(|doubt| format!("{}: {doubt}", path.display())).collect();
    Ok(EnvFile { variables: read.variables, doubts })
}

fn text_of(path: &Path) -> Result<String, ConfigError> {
    match text_file::read(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CFG-ENV-FILES
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

    // rows: CFG-ENV-GRAMMAR
    #[test]
    fn a_line_that_is_not_read_as_it_is_meant_is_told_by_its_number_alone() {
        let reported = |text: &str| {
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::write(folder.path().join(".env.local"), text).expect("written");
            let doubts = Environment::default().add_files(folder.path()).expect("read");
            doubts
                .into_iter()
                .map(|doubt| doubt.split_once(".env.local: ").expect("the file").1.to_owned())
                .collect()
        };
        let none: Vec<String> = reported("# a note\n\nexport A=1\nB=\"x\"\nC='its'\nD=\nE=it's\nF: 1\n");
        assert_eq!(none, [""; 0]);
        for line in ["JWT-SECRET/1=s3cret", "s3cret"] {
            let said: Vec<String> = reported(&format!("A=1\n{line}\n{line}\n"));
            assert_eq!(said, ["line 2 is passed over, since it is no NAME=VALUE"]);
        }
        let said: Vec<String> = reported("KEY=\"s3cret\n");
        assert_eq!(said, ["line 1 is passed over, since its quote is never closed"]);
    }

    // rows: CFG-SECRETS-HIDDEN
    #[test]
    fn debug_shows_names_and_never_values() {
        let shown = format!("{:?}", Environment::of([("TOKEN", "s3cret")]));
        assert!(shown.contains("TOKEN") && !shown.contains("s3cret"));
    }
}
