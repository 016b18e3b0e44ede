//! The note that a `db reset` of the embedded database has begun and did not come to its end.

use std::{
    fs::{File, OpenOptions},
    io::{ErrorKind, Write as _},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use banyan_storage::KeptStack;
use rustix::fs::{FlockOperation, flock};

/// Its file in the state folder.
pub(crate) const FILE: &str = "reset";

/// Its first line while the server has to be made anew.
const SERVER: &str = "server\n";

/// A file that is there until a reset has ended well, and is locked while one goes on. Its content
/// says that the server itself has to be made anew, and under which id the bytes of objects lie;
/// without any, only the project's own SQL is missing.
#[derive(Debug)]
pub(crate) struct ResetMarker {
    path: PathBuf,
    file: File,
}

impl ResetMarker {
    /// Marks the beginning, on disk before anything is deleted.
    pub(crate) fn begin(state: &Path) -> anyhow::Result<Self> {
        let mut options = OpenOptions::new();
        let mut marker = Self::open(state, options.create(true).truncate(false).mode(0o600))?;
        let written = marker.file.write_all(SERVER.as_bytes()).and_then(|()| marker.file.sync_all());
        let kept = written.and_then(|()| File::open(state)?.sync_all());
        kept.with_context(|| format!("cannot write {}", marker.path.display()))?;
        Ok(marker)
    }

    /// The mark of a reset that was broken off; none where each came to its end.
    pub(crate) fn left(state: &Path) -> anyhow::Result<Option<Self>> {
        match Self::open(state, &mut OpenOptions::new()) {
            Ok(marker) => Ok(Some(marker)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open(state: &Path, options: &mut OpenOptions) -> anyhow::Result<Self> {
        let path = state.join(FILE);
        let file = options
            .read(true)
            .write(true)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            bail!("a `banyan db reset` of this project is under way");
        }
        Ok(Self { path, file })
    }

    /// Notes the id under which the bytes of objects lie, on disk before the database is deleted.
    pub(crate) fn keep_stack(&self, stack: KeptStack) -> anyhow::Result<()> {
        let line = format!("{SERVER}{}\n", stack.id());
        let written = self.file.write_all_at(line.as_bytes(), 0).and_then(|()| self.file.sync_all());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// The id that [`ResetMarker::keep_stack`] noted.
    pub(crate) fn kept_stack(&self) -> anyhow::Result<Option<KeptStack>> {
        let text = std::fs::read_to_string(&self.path)
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        let id = text.strip_prefix(SERVER).and_then(|id| id.trim().parse().ok());
        Ok(id.map(KeptStack::of))
    }

    /// Returns whether the server itself has to be made again.
    pub(crate) fn is_of_server(&self) -> anyhow::Result<bool> {
        let file = self.file.metadata().with_context(|| format!("cannot read {}", self.path.display()))?;
        Ok(file.len() > 0)
    }

    /// Notes that the server is as new and has what the stack needs.
    pub(crate) fn server_is_made(&self) -> anyhow::Result<()> {
        self.file.set_len(0).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Takes the mark away, since the reset came to its end.
    pub(crate) fn end(self) -> anyhow::Result<()> {
        std::fs::remove_file(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

fn is_missing(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-DB-RESET-BROKEN
    #[test]
    fn a_reset_that_was_broken_off_is_known_by_its_mark() {
        let state = tempfile::tempdir().expect("a folder");
        let left = || ResetMarker::left(state.path());
        assert!(left().expect("read").is_none());
        let marker = ResetMarker::begin(state.path()).expect("begun");
        let refused = left().expect_err("it goes on").to_string();
        assert!(refused.contains("under way"), "{refused}");
        drop(marker);
        let marker = left().expect("read").expect("there");
        assert!(marker.is_of_server().expect("read"));
        assert!(marker.kept_stack().expect("read").is_none());
        let id = "0f2b4a3c-0000-4000-8000-000000000001".parse().expect("an id");
        marker.keep_stack(KeptStack::of(id)).expect("noted");
        assert_eq!(marker.kept_stack().expect("read").map(KeptStack::id), Some(id));
        marker.server_is_made().expect("noted");
        drop(marker);
        let marker = left().expect("read").expect("there");
        assert!(!marker.is_of_server().expect("read"));
        marker.end().expect("removed");
        assert!(left().expect("read").is_none());
    }
}
