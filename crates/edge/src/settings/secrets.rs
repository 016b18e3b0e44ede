//! Secrets that `banyan secrets set` gives to all functions of the project (CONTRACT.md V05), in an
//! owner-only file of the stack's own folder.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use banyan_config::{LONGEST_SECRET, LONGEST_SECRET_NAME, MOST_SECRETS};

use crate::files::write_atomically;

/// Why secrets are refused. The text is shown to the person who set them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretError {
    #[error("Env name cannot start with SUPABASE_ or SB_: {0}")]
    CodeReservation(String),
    #[error(
        "a secret's name has 1 to {LONGEST_SECRET_NAME} letters, digits and underscores, and begins with no digit: {0}"
    )]
    Name(String),
    #[error("a secret has at most {LONGEST_SECRET} bytes: {0}")]
    TooLong(String),
    #[error("a project has at most {MOST_SECRETS} secrets")]
    TooMany,
    #[error("the secrets cannot be kept")]
    Keep(#[from] io::Error),
}

/// The file of secrets. Only the stack writes it.
#[derive(Debug)]
pub(crate) struct SecretFile {
    path: PathBuf,
    /// Held from reading to writing, because a change keeps what others have set.
    changing: Mutex<()>,
}

impl SecretFile {
    pub(crate) fn new(components: &Path) -> Self {
        Self { path: components.join("secrets.json"), changing: Mutex::new(()) }
    }

    /// All secrets.
    ///
    /// # Errors
    /// A file that cannot be read or is no JSON of ours.
    pub(crate) fn read(&self) -> io::Result<BTreeMap<String, String>> {
        match fs::read(&self.path) {
            Ok(text) => serde_json::from_slice(&text).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
    }

    /// Adds secrets or changes their values: all of them or none.
    ///
    /// # Errors
    /// [`SecretError`] with the first secret that is refused.
    pub(crate) fn set(&self, changes: BTreeMap<String, String>) -> Result<(), SecretError> {
        let _lock = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.read()?;
        for (name, value) in changes {
            check(&name, &value)?;
            all.insert(name, value);
        }
        if all.len() > MOST_SECRETS {
            return Err(SecretError::TooMany);
        }
        Ok(self.write(&all)?)
    }

    /// Removes secrets. Names without a secret are no error.
    ///
    /// # Errors
    /// [`SecretError::Keep`].
    pub(crate) fn unset(&self, names: &[String]) -> Result<(), SecretError> {
        let _lock = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.read()?;
        all.retain(|name, _| !names.contains(name));
        Ok(self.write(&all)?)
    }

    fn write(&self, all: &BTreeMap<String, String>) -> io::Result<()> {
        write_atomically(&self.path, &serde_json::to_vec_pretty(all).map_err(io::Error::other)?)
    }
}

fn check(name: &str, value: &str) -> Result<(), SecretError> {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // Neither a shell nor an .env file allows such a name.
    let begins_with_digit = name.starts_with(|first: char| first.is_ascii_digit());
    if !letters || begins_with_digit || !(1..=LONGEST_SECRET_NAME).contains(&name.len()) {
        return Err(SecretError::Name(name.to_owned()));
    }
    if is_reserved(name) {
        return Err(SecretError::CodeReservation(name.to_owned()));
    }
    if value.len() > LONGEST_SECRET {
        return Err(SecretError::TooLong(name.to_owned()));
    }
    Ok(())
}

/// Names that belong to the platform.
pub(crate) fn is_reserved(name: &str) -> bool {
    name.starts_with("SUPABASE_") || name.starts_with("SB_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, value: &str) -> BTreeMap<String, String> {
        [(name.to_owned(), value.to_owned())].into()
    }

    // rows: LIMIT_SECRETS V05
    #[test]
    fn a_refused_secret_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = SecretFile::new(folder.path());
        file.set(one("KEPT", "1")).unwrap();
        let message = file.set(one("1BAD", "x")).unwrap_err().to_string();
        assert!(message.contains("begins with no digit: 1BAD"), "{message}");
        for (name, value) in [
            ("SUPABASE_URL", "x"),
            ("SB_REGION", "x"),
            ("", "x"),
            ("A=B", "x"),
            ("1BAD", "x"),
            ("LONG", "v".repeat(LONGEST_SECRET + 1).as_str()),
        ] {
            assert!(file.set(one(name, value)).is_err(), "{name}");
        }
        let many = (0..MOST_SECRETS).map(|n| (format!("S{n}"), String::new())).collect();
        assert!(matches!(file.set(many), Err(SecretError::TooMany)));
        assert_eq!(file.read().unwrap(), one("KEPT", "1"));
        file.unset(&["KEPT".to_owned(), "NEVER".to_owned()]).unwrap();
        assert_eq!(file.read().unwrap(), BTreeMap::new());
    }

    // rows: V05
    #[test]
    fn changes_at_the_same_time_are_all_kept_for_the_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = SecretFile::new(folder.path());
        file.set((0..10).map(|n| (format!("OLD{n}"), String::new())).collect()).unwrap();
        std::thread::scope(|scope| {
            for n in 0..10 {
                let file = &file;
                scope.spawn(move || {
                    file.set(one(&format!("NEW{n}"), "x")).unwrap();
                    file.unset(&[format!("OLD{n}")]).unwrap();
                });
            }
        });
        let names: Vec<String> = file.read().unwrap().into_keys().collect();
        assert_eq!(names, (0..10).map(|n| format!("NEW{n}")).collect::<Vec<_>>());
        let mode = fs::metadata(folder.path().join("secrets.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "a draft stayed behind");
    }
}
