//! A file on its way to its name.

use std::{
    fs::File,
    io::{self, IoSlice, Write},
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;

use super::{folder::Folder, journal::Step, location::Location};

/// Numbers that files of this process have in their names.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A file that is being written. It is removed if it is dropped before it is kept.
pub(super) struct NewFile {
    folder: Folder,
    name: String,
    file: File,
    written: u64,
    is_kept: bool,
}

impl NewFile {
    /// A file `<stem>.<n>` in `folder`, for an `n` that is free.
    pub(super) fn create(folder: Folder, stem: &str) -> io::Result<Self> {
        loop {
            let name = format!("{stem}.{}", NEXT.fetch_add(1, Ordering::Relaxed));
            match folder.create(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => return Ok(Self { folder, name, file, written: 0, is_kept: false }),
            }
        }
    }

    /// A file in `tmp/`, which gets its name once it is written.
    pub(super) fn in_tmp(root: &Folder) -> io::Result<Self> {
        Self::create(root.make("tmp")?, &std::process::id().to_string())
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Writes pieces, in one call as a rule.
    pub(super) fn append(mut self, pieces: &[Bytes]) -> io::Result<Self> {
        self.folder.journal.note(Step::Write)?;
        let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
        let mut left = slices.as_mut_slice();
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            let written = self.file.write_vectored(left)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += written as u64;
            IoSlice::advance_slices(&mut left, written);
        }
        Ok(self)
    }

    /// Writes the bytes of another file; the kernel copies them where the file system can.
    pub(super) fn append_file(mut self, other: &File) -> io::Result<Self> {
        self.folder.journal.note(Step::Write)?;
        self.written += io::copy(&mut &*other, &mut self.file)?;
        Ok(self)
    }

    /// Makes the file durable under the name that it has.
    pub(super) fn keep(mut self) -> io::Result<String> {
        self.sync()?;
        self.folder.sync()?;
        self.is_kept = true;
        Ok(self.name.clone())
    }

    /// Makes the file durable under a key.
    pub(super) fn keep_as(mut self, root: &Folder, key: &str) -> io::Result<()> {
        self.sync()?;
        Location::of(key)?.name_durably(root, |folder, name| self.folder.rename(&self.name, folder, name))?;
        self.is_kept = true;
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.folder.journal.note(Step::SyncFile)?;
        self.file.sync_data()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_kept
            && let Err(error) = self.folder.remove_file(&self.name)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(file = self.name, %error, "storage: a file of an upload that ended early was not removed");
        }
    }
}
