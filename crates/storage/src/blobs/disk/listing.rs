//! All blobs below a folder.

use std::{
    io,
    time::{Duration, SystemTime},
};

use rustix::fs::FileType;

use super::{folder::Folder, location::Location};
use crate::blobs::StoredBlob;

/// Lists the files below `prefix`, which ends with a slash. A folder that is not there has none.
pub(super) fn below(root: &Folder, prefix: &str) -> io::Result<Vec<StoredBlob>> {
    let at = Location::of(prefix.trim_end_matches('/'))?;
    let mut found = Vec::new();
    match at.open(root).and_then(|folder| folder.open(at.name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        folder => add(&folder?, prefix, &mut found)?,
    }
    Ok(found)
}

/// Links and whatever else is no file of ours are passed over.
fn add(folder: &Folder, prefix: &str, found: &mut Vec<StoredBlob>) -> io::Result<()> {
    for entry in folder.entries()? {
        match entry.kind {
            FileType::Directory => {
                add(&folder.open(&entry.name)?, &format!("{prefix}{}/", entry.name), found)?;
            }
            FileType::RegularFile => found.extend(blob(folder, prefix, &entry.name)?),
            _ => {}
        }
    }
    Ok(())
}

/// None if the file was removed meanwhile.
fn blob(folder: &Folder, prefix: &str, name: &str) -> io::Result<Option<StoredBlob>> {
    match folder.stat(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        stat => {
            let stat = stat?;
            // The time of the last change of the entry and not of the bytes: a copy has the bytes
            // of its source, and counts as new.
            let since_1970 = Duration::from_secs(u64::try_from(stat.st_ctime).unwrap_or_default());
            let modified = SystemTime::UNIX_EPOCH + since_1970;
            Ok(Some(StoredBlob {
                key: format!("{prefix}{name}"),
                size: u64::try_from(stat.st_size).unwrap_or_default(),
                modified,
            }))
        }
    }
}
