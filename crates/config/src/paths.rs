//! Folders and files of the stack.

use std::{
    ffi::OsStr,
    fs::OpenOptions,
    io::{self, Write},
    os::unix::{ffi::OsStrExt as _, fs::OpenOptionsExt},
    path::{Path, PathBuf},
};

/// A path that a file names, from a folder, as it is shown: without `.` on the way.
pub(crate) fn join(folder: &Path, path: impl AsRef<Path>) -> PathBuf {
    folder.join(path).components().collect()
}

/// Folders of one project.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The folder that holds `supabase/`.
    pub project: PathBuf,
    /// The stack's own folder, owner-only: PostgreSQL's data and socket, compiled functions, log,
    /// pid file.
    ///
    /// `BANYAN_HOME` when set; for root `/var/lib/banyan/<project>-<hash of its path>`, or the one
    /// of that hash which another id had made, since PostgreSQL refuses root and another user
    /// cannot look into a root-only home (local/CONTRACT.md LOC-ROOT); else `supabase/.banyan` of
    /// the project.
    pub state: PathBuf,
    /// Folder of PostgreSQL's programs, shared by all projects of this user.
    pub cache: PathBuf,
}

impl Paths {
    /// File in a data folder that names its project, and the id under which it was made.
    pub const ORIGIN: &str = "project";
    /// Folder in a data folder that holds the bytes of objects, unless `storage.folder` or
    /// `[storage.s3]` names another place.
    pub const OBJECTS: &str = "storage";

    /// `supabase/` of the project.
    #[must_use]
    pub fn supabase(&self) -> PathBuf {
        self.project.join("supabase")
    }

    /// Folder of the functions' crates.
    #[must_use]
    pub fn functions(&self) -> PathBuf {
        self.supabase().join("functions")
    }

    /// Folder of the migrations.
    #[must_use]
    pub fn migrations(&self) -> PathBuf {
        self.supabase().join("migrations")
    }

    /// Folder of built components, `<name>.wasm`.
    #[must_use]
    pub fn components(&self) -> PathBuf {
        self.state.join("components")
    }

    /// Log file of a stack that `banyan start` left running.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.state.join("banyan.log")
    }

    /// The token that management commands present to a running stack, readable by its owner only.
    #[must_use]
    pub fn access_token(&self) -> PathBuf {
        self.state.join("access-token")
    }

    /// Notes in the folder of data, which must be there, whose they are. What is noted already
    /// stays for as long as the folder that it names is there; a project that got another name
    /// notes the new one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn note_origin(&self) -> io::Result<()> {
        let note = self.state.join(Paths::ORIGIN);
        if std::fs::read(&note).is_ok_and(|said| project_in(&said).is_some_and(Path::exists)) {
            return Ok(());
        }
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(note)?;
        file.write_all(&origin(&self.state, &self.project))
    }

    /// The nearest folder at or above `start` that holds `supabase/config.toml`.
    #[must_use]
    pub fn find_project(start: &Path) -> Option<PathBuf> {
        start.ancestors().find(|folder| folder.join("supabase/config.toml").is_file()).map(Path::to_owned)
    }
}

/// Returns whether data may belong to a project: they name it, or they are from before data named
/// any.
pub(crate) fn may_be_of(state: &Path, project: &Path) -> bool {
    std::fs::read(state.join(Paths::ORIGIN)).map_or(true, |said| said == origin(state, project))
}

/// Returns whether a stack was started in a folder. A build of functions makes a folder without
/// starting one.
pub(crate) fn has_data(state: &Path) -> bool {
    [Paths::ORIGIN, "postgres"].iter().any(|name| state.join(name).exists())
}

/// The project that data say they were made for, where they still have the name that they were made
/// under.
pub(crate) fn made_for(state: &Path) -> Option<PathBuf> {
    let said = std::fs::read(state.join(Paths::ORIGIN)).ok()?;
    let project = project_in(&said)?;
    (said == origin(state, project)).then(|| project.to_owned())
}

/// The project that a note names.
fn project_in(said: &[u8]) -> Option<&Path> {
    said.split(|byte| *byte == b'\n').next().map(|name| Path::new(OsStr::from_bytes(name)))
}

fn origin(state: &Path, project: &Path) -> Vec<u8> {
    let name = state.file_name().unwrap_or(OsStr::new(""));
    [project.as_os_str().as_encoded_bytes(), b"\n", name.as_encoded_bytes(), b"\n"].concat()
}
