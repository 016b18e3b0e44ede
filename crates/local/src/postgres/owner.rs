use std::{
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

use crate::LocalError;

/// `nobody`, in every passwd file: PostgreSQL needs an entry there (CONTRACT.md LOC-ROOT).
const NOBODY: u32 = 65534;

/// The user that PostgreSQL runs as. PostgreSQL refuses root, so under root it runs as `nobody`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The user who started us.
    Ourselves,
    /// `nobody`, with no further groups.
    Nobody,
}

impl Owner {
    pub(super) fn of_this_process() -> Self {
        if rustix::process::geteuid().is_root() { Self::Nobody } else { Self::Ourselves }
    }

    pub(super) fn uid(self) -> u32 {
        match self {
            Self::Ourselves => rustix::process::geteuid().as_raw(),
            Self::Nobody => NOBODY,
        }
    }

    /// Has the command run as this user. Groups are cleared along with the user id.
    pub(super) fn apply(self, command: &mut tokio::process::Command) {
        if self == Self::Nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
    }

    /// Makes a folder with `mode` that this user owns, or checks that an existing one is no link.
    pub(super) fn make_folder(self, path: &Path, mode: u32) -> Result<(), LocalError> {
        std::fs::create_dir_all(path).map_err(LocalError::file("make", path))?;
        let kind = std::fs::symlink_metadata(path).map_err(LocalError::file("read", path))?;
        if !kind.is_dir() {
            return Err(LocalError::ForeignFolder(path.to_owned()));
        }
        self.own(path)?;
        set_mode(path, mode)
    }

    /// Gives a file or folder to this user.
    pub(super) fn own(self, path: &Path) -> Result<(), LocalError> {
        if self == Self::Nobody {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY))
                .map_err(LocalError::file("give away", path))?;
        }
        Ok(())
    }

    /// Checks that this user can get to `path` through every folder above it.
    pub(super) fn check_enters(self, path: &Path) -> Result<(), LocalError> {
        if self == Self::Ourselves {
            return Ok(());
        }
        let closed = path.ancestors().filter(|folder| !folder.as_os_str().is_empty()).find(|folder| {
            std::fs::metadata(folder)
                .is_ok_and(|folder| folder.uid() != NOBODY && folder.permissions().mode() & 0o001 == 0)
        });
        closed.map_or(Ok(()), |folder| Err(LocalError::NotTraversable(folder.to_owned())))
    }
}

pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), LocalError> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .map_err(LocalError::file("set the mode of", path))
}
