use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::OpenOptions,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use super::{OWNER, PostgresSettings, SUPERUSER};
use crate::LocalError;

/// The password of the role `postgres` in every local stack of the supabase CLI. It is publicly
/// known.
pub const PUBLISHED: &str = "postgres";

/// The passwords of one server's logins, kept in a file of the state folder that its owner alone
/// may read.
///
/// Passwords of the logins. Each is random, except that `postgres` may have [`PUBLISHED`]. Debug
/// output hides them.
#[derive(Debug, Clone, Default)]
pub struct Passwords {
    by_role: BTreeMap<String, SecretString>,
}

impl Passwords {
    /// Reads the passwords of a state folder; none before the first start.
    ///
    /// # Errors
    /// [`LocalError::File`] when the file is there and cannot be read.
    pub fn read(state: &Path) -> Result<Option<Self>, LocalError> {
        let path = file(state);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(Self::parse(&text))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(LocalError::File { action: "read", path, source }),
        }
    }

    /// The password of a role; none for a role that is not the stack's.
    #[must_use]
    pub fn of(&self, role: &str) -> Option<&SecretString> {
        self.by_role.get(role)
    }

    /// The password of the superuser.
    pub(super) fn of_superuser(&self) -> &SecretString {
        self.of(SUPERUSER).expect("every list has the superuser's")
    }

    /// Returns the passwords that a start needs: keeps existing ones and makes missing ones.
    pub(super) fn completed(&self, settings: &PostgresSettings) -> Self {
        let mut by_role: BTreeMap<_, _> = std::iter::once(SUPERUSER)
            .chain(settings.logins.iter().copied())
            .map(|role| (role.to_owned(), self.of(role).cloned().unwrap_or_else(random)))
            .collect();
        let own = self.of(OWNER).filter(|password| password.expose_secret() != PUBLISHED);
        let of_owner = if settings.published_password {
            SecretString::from(PUBLISHED)
        } else {
            own.cloned().unwrap_or_else(random)
        };
        by_role.insert(OWNER.to_owned(), of_owner);
        Self { by_role }
    }

    /// Returns whether both lists give a role the same password, or neither gives it one.
    pub(super) fn gives_same(&self, other: &Self, role: &str) -> bool {
        let password = |list: &Self| list.of(role).map(|password| password.expose_secret().to_owned());
        password(self) == password(other)
    }

    /// Returns whether both lists give every role the same password.
    pub(super) fn equals(&self, other: &Self) -> bool {
        self.text() == other.text()
    }

    /// Replaces the file in one step.
    pub(super) fn write(&self, state: &Path) -> Result<(), LocalError> {
        let path = file(state);
        let new = path.with_extension("passwords.new");
        // A file that a killed start left may have another mode or be somebody's link.
        let _ = std::fs::remove_file(&new);
        let mut file = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&new)
            .map_err(LocalError::file("write", &new))?;
        file.write_all(self.text().as_bytes()).map_err(LocalError::file("write", &new))?;
        file.sync_all().map_err(LocalError::file("write", &new))?;
        std::fs::rename(&new, &path).map_err(LocalError::file("write", &path))
    }

    /// A line `role=password` for each role.
    fn text(&self) -> String {
        self.by_role.iter().fold(String::new(), |mut text, (role, password)| {
            let _ = writeln!(text, "{role}={}", password.expose_secret());
            text
        })
    }

    fn parse(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        let whole = pairs.filter(|(role, password)| !role.is_empty() && !password.is_empty());
        Self {
            by_role: whole.map(|(role, password)| (role.to_owned(), SecretString::from(password))).collect(),
        }
    }
}

/// The file of the passwords.
pub(super) fn file(state: &Path) -> PathBuf {
    state.join("postgres.passwords")
}

/// 64 hexadecimal digits; 244 of their 256 bits are random.
fn random() -> SecretString {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()).into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::{Install, Purpose};

    fn settings(published_password: bool) -> PostgresSettings {
        PostgresSettings {
            state: PathBuf::new(),
            cache: PathBuf::new(),
            port: 0,
            major_version: 17,
            logins: &["authenticator", "auth"],
            published_password,
            purpose: Purpose::Stack,
            connections: 0,
            install: Install::OwnCache,
        }
    }

    // rows: LOC-PASSWORDS
    #[test]
    fn every_role_has_a_password_of_its_own_that_stays() {
        let state = tempfile::tempdir().expect("a folder");
        assert!(Passwords::read(state.path()).expect("read").is_none());
        let made = Passwords::default().completed(&settings(true));
        made.write(state.path()).expect("written");
        let mode = std::fs::metadata(file(state.path())).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = Passwords::read(state.path()).expect("read").expect("there").completed(&settings(true));
        assert!(again.equals(&made));
        let mut all: Vec<&str> = made.by_role.values().map(ExposeSecret::expose_secret).collect();
        assert!(all.iter().filter(|password| password.len() == 64).count() == 3, "all but one are random");
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
        let shown = format!("{made:?}");
        assert!(all.iter().all(|password| !shown.contains(*password) || *password == PUBLISHED), "{shown}");
    }

    // rows: LOC-POSTGRES
    #[test]
    fn postgres_has_the_published_password_on_a_demo_stack_alone() {
        let of_owner = |list: &Passwords| list.of(OWNER).expect("there").expose_secret().to_owned();
        let demo = Passwords::default().completed(&settings(true));
        assert_eq!(of_owner(&demo), PUBLISHED);
        let own = demo.completed(&settings(false));
        assert_eq!(of_owner(&own).len(), 64);
        assert!(own.completed(&settings(false)).equals(&own));
        assert_eq!(of_owner(&own.completed(&settings(true))), PUBLISHED);
    }

    // rows: LOC-LIST
    #[test]
    fn a_damaged_list_is_completed() {
        let found = Passwords::parse("supabase_admin=\nauthenticator=kept\nnonsense\n=x\n");
        let made = found.completed(&settings(true));
        assert_eq!(made.of("authenticator").expect("there").expose_secret(), "kept");
        assert_eq!(made.of_superuser().expose_secret().len(), 64);
    }
}
