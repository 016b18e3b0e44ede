//! Names below the folder: where a key lies.

use std::io;

use super::folder::Folder;

/// How often a name is tried while another removes the folder of it.
const TRIES: usize = 3;

/// The folders of a key and its name in the last of them.
pub(super) struct Location<'a> {
    folders: Vec<&'a str>,
    pub(super) name: &'a str,
}

impl<'a> Location<'a> {
    /// Splits a key such as `objects/0f/<version>`. A key with a name that leads elsewhere is
    /// refused: it comes from no version.
    pub(super) fn of(key: &'a str) -> io::Result<Self> {
        let mut folders: Vec<&str> = key.split('/').collect();
        if folders.iter().any(|name| matches!(*name, "" | "." | "..") || name.contains('\0')) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no key of a blob"));
        }
        let name = folders.pop().expect("a split text has a part");
        Ok(Self { folders, name })
    }

    /// The folder of the key, which must be there.
    pub(super) fn open(&self, root: &Folder) -> io::Result<Folder> {
        self.folders.iter().try_fold(root.clone(), |folder, name| folder.open(name))
    }

    /// The folder of the key, made if it is not there.
    pub(super) fn make(&self, root: &Folder) -> io::Result<Folder> {
        self.folders.iter().try_fold(root.clone(), |folder, name| folder.make(name))
    }

    /// The folder that the whole key names, made if it is not there.
    pub(super) fn make_all(&self, root: &Folder) -> io::Result<Folder> {
        self.make(root)?.make(self.name)
    }

    /// Gives something the name of the key and makes the name durable. The folder is made, also
    /// when another removes it meanwhile as it was empty.
    pub(super) fn name_durably(
        &self,
        root: &Folder,
        give: impl Fn(&Folder, &str) -> io::Result<()>,
    ) -> io::Result<()> {
        for _ in 1..TRIES {
            let folder = self.make(root)?;
            match give(&folder, self.name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                given => return given.and_then(|()| folder.sync()),
            }
        }
        let folder = self.make(root)?;
        give(&folder, self.name)?;
        folder.sync()
    }
}
