//! Where the stack keeps its own files.

use std::path::{Path, PathBuf};

/// A path that a file names, from a folder, as it is shown: without `.` on the way.
pub(crate) fn join(folder: &Path, path: impl AsRef<Path>) -> PathBuf {
    folder.join(path).components().collect()
}

/// Folders of one project.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The folder that holds `supabase/`.
    pub project: PathBuf,
    /// The stack's own folder, owner-only: PostgreSQL's data and socket, compiled functions, log, pid file.
    ///
    /// `BANYAN_HOME` when set; for root `/var/lib/banyan/<project>-<hash of its path>`, or the one of that hash which another id had
    /// made, since PostgreSQL refuses root and another user
    /// cannot look into a root-only home (stack.md 7.4); else `supabase/.banyan` of the project.
    pub state: PathBuf,
    /// Where PostgreSQL's programs are kept, shared by all projects of this user.
    pub cache: PathBuf,
}

impl Paths {
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

    /// What a stack that `banyan start` left running writes of itself.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.state.join("banyan.log")
    }

    /// The token that management commands present to a running stack, readable by its owner only.
    #[must_use]
    pub fn access_token(&self) -> PathBuf {
        self.state.join("access-token")
    }

    /// The nearest folder at or above `start` that holds `supabase/config.toml`.
    #[must_use]
    pub fn find_project(start: &Path) -> Option<PathBuf> {
        start.ancestors().find(|folder| folder.join("supabase/config.toml").is_file()).map(Path::to_owned)
    }
}
