//! Folders: all objects whose names begin alike (CONTRACT.md B5).

use crate::{
    error::StorageError,
    model::{LONGEST_OBJECT_NAME, ObjectPath},
    store::{Db, objects},
};

/// A folder with more objects is not moved: it is one transaction.
const MOST_MOVED: u64 = 10_000;

/// Whether both are folders: their names end in a slash.
pub(crate) fn are_both(from: &ObjectPath, to: &ObjectPath) -> bool {
    from.name.as_str().ends_with('/') && to.name.as_str().ends_with('/')
}

/// Moves all objects of a folder that the caller sees, or none of them; gives their number.
///
/// # Errors
/// `NoSuchKey` for a folder without such objects or with one that the caller may not change,
/// `InvalidRequest` for a folder that is too large, goes to another bucket or would lie within
/// itself, `InvalidKey` where a name would be too long, `KeyAlreadyExists` where one is taken,
/// `QuotaExceeded` of the caller, who becomes the owner.
pub(crate) async fn relocate(
    db: Db<'_>,
    from: &ObjectPath,
    to: &ObjectPath,
    quota: Option<u64>,
) -> Result<u64, StorageError> {
    if from.bucket != to.bucket {
        return Err(invalid("A folder is moved within its bucket alone".to_owned()));
    }
    if to.name.as_str().starts_with(from.name.as_str()) {
        return Err(invalid("A folder cannot be moved into itself".to_owned()));
    }
    let folder = objects::folder(db, from, MOST_MOVED + 1).await?;
    if folder.count == 0 {
        return Err(StorageError::NoSuchKey);
    }
    if folder.count > MOST_MOVED {
        return Err(invalid(format!("A folder of more than {MOST_MOVED} objects cannot be moved")));
    }
    let longest = folder.longest_name - from.name.as_str().len() + to.name.as_str().len();
    if longest > LONGEST_OBJECT_NAME {
        return Err(StorageError::InvalidKey(to.name.as_str().to_owned()));
    }
    objects::relocate_folder(db, from, to, quota).await
}

fn invalid(message: String) -> StorageError {
    StorageError::InvalidRequest(message)
}
