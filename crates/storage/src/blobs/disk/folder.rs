//! Folders, whose entries are reached without following a link.

use std::{
    fs::{DirBuilder, File},
    io,
    os::{fd::OwnedFd, unix::fs::DirBuilderExt},
    path::Path,
    sync::Arc,
};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};

use super::journal::{Journal, Step};

/// Owner alone: read, write, enter.
const FOLDER_MODE: Mode = Mode::RWXU;

/// Owner alone: read and write.
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open folder. Names are single names, never paths.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    fd: Arc<OwnedFd>,
    pub(super) journal: Journal,
}

impl Folder {
    /// The folder at a path that the operator chose, durably made with those above it if it is not
    /// there.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
        DirBuilder::new().recursive(true).mode(FOLDER_MODE.bits()).create(path)?;
        for above in missing.iter().filter_map(|folder| folder.parent()) {
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            File::open(above)?.sync_all()?;
        }
        let fd = rustix::fs::open(path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { fd: Arc::new(fd), journal: Journal::default() })
    }

    /// The folder `name` in this one.
    pub(super) fn open(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::empty())?;
        Ok(Self { fd: Arc::new(fd), journal: self.journal.clone() })
    }

    /// The folder `name` in this one, durably made if it is not there.
    pub(super) fn make(&self, name: &str) -> io::Result<Self> {
        match self.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        self.journal.note(Step::MakeFolder)?;
        match rustix::fs::mkdirat(&self.fd, name, FOLDER_MODE) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => self.sync()?,
            Err(error) => return Err(error.into()),
        }
        self.open(name)
    }

    /// The file `name`, to be read.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        if name.contains('/') {
            return Err(io::ErrorKind::NotFound.into());
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = File::from(rustix::fs::openat(&self.fd, name, flags, Mode::empty())?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// A new file `name`, to be written; an error if the name is taken.
    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        self.journal.note(Step::Create)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.fd, name, flags, FILE_MODE)?))
    }

    /// Moves an entry to another folder, in place of what has the name there.
    pub(super) fn rename(&self, name: &str, to: &Self, new_name: &str) -> io::Result<()> {
        self.journal.note(Step::Name)?;
        Ok(rustix::fs::renameat(&self.fd, name, &to.fd, new_name)?)
    }

    /// Gives a file a second name; an error if the name is taken.
    pub(super) fn link(&self, name: &str, to: &Self, new_name: &str) -> io::Result<()> {
        self.journal.note(Step::Name)?;
        Ok(rustix::fs::linkat(&self.fd, name, &to.fd, new_name, AtFlags::empty())?)
    }

    /// Removes a file.
    pub(super) fn remove_file(&self, name: &str) -> io::Result<()> {
        self.journal.note(Step::Remove)?;
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes a folder that is empty.
    pub(super) fn remove_folder(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes a folder and all that lies in it.
    pub(super) fn remove_tree(&self, name: &str) -> io::Result<()> {
        let folder = self.open(name)?;
        for entry in folder.entries()? {
            match entry.kind {
                FileType::Directory => folder.remove_tree(&entry.name)?,
                _ => folder.remove_file(&entry.name)?,
            }
        }
        self.remove_folder(name)
    }

    /// Makes the names in this folder durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.journal.note(Step::SyncFolder)?;
        Ok(rustix::fs::fsync(&self.fd)?)
    }

    /// What is known of an entry itself, be it a link.
    pub(super) fn stat(&self, name: &str) -> io::Result<Stat> {
        Ok(rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// What lies here, in no order.
    pub(super) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let entry = entry?;
            // No name of ours is other than ASCII.
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name != "." && name != ".." {
                entries.push(Entry { name: name.to_owned(), kind: self.kind(&entry)? });
            }
        }
        Ok(entries)
    }

    /// Some file systems do not tell the kind with the name.
    fn kind(&self, entry: &rustix::fs::DirEntry) -> io::Result<FileType> {
        match entry.file_type() {
            FileType::Unknown => {
                let stat = rustix::fs::statat(&self.fd, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
                Ok(FileType::from_raw_mode(stat.st_mode))
            }
            known => Ok(known),
        }
    }
}

/// An entry of a folder.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: FileType,
}
