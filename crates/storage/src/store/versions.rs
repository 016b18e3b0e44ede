//! Versions as the sweep compares them with blobs.

use std::collections::HashSet;

use banyan_db::{OwnDatabase, Rows, Statement};

use super::{json_texts, text};
use crate::{error::StorageError, model::Version};

/// Versions that any row names: of an object, an unfinished upload, or of the queue of garbage,
/// which is deleted in its own time.
const NAMED: &str = "
select asked.version
from json_array_elements_text($1::json) as asked (version)
where exists (select from storage.objects as object where object.version = asked.version)
  or exists (select from storage.s3_multipart_uploads as upload where upload.version = asked.version)
  or exists (select from _banyan.storage_uploads where id = asked.version::uuid or tail = asked.version::uuid)
  or exists (select from _banyan.storage_garbage as garbage where garbage.version = asked.version::uuid)";

/// Versions that an unfinished upload names, of itself or of what it has received.
const UNFINISHED: &str = "
select asked.version
from json_array_elements_text($1::json) as asked (version)
where exists (select from storage.s3_multipart_uploads as upload where upload.version = asked.version)
  or exists (
    select from _banyan.storage_uploads
    where (id = asked.version::uuid or tail = asked.version::uuid)
      and not finished
  )";

/// A page of the versions of all objects. Versions that are no UUID of ours have no bytes here.
const OF_OBJECTS: &str = "
select version
from storage.objects
where version > $1
  and version < $2
  and version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
order by version
limit $3::integer";

const OF_OBJECT: &str = "
select exists (select from storage.objects where version = $1)";

/// Whether an object has this version.
pub(crate) async fn is_of_object(db: &OwnDatabase, version: Version) -> Result<bool, StorageError> {
    let rows = db.read(&Statement::new(OF_OBJECT, vec![text(&version.to_string())])).await?;
    Ok(rows.text(0, 0) == Some("t"))
}

/// Those of the versions that a row names.
pub(crate) async fn named(db: &OwnDatabase, versions: &[Version]) -> Result<HashSet<Version>, StorageError> {
    those_of(db, NAMED, versions).await
}

/// Those of the versions that an unfinished upload names.
pub(crate) async fn unfinished(
    db: &OwnDatabase,
    versions: &[Version],
) -> Result<HashSet<Version>, StorageError> {
    those_of(db, UNFINISHED, versions).await
}

async fn those_of(
    db: &OwnDatabase,
    statement: &'static str,
    versions: &[Version],
) -> Result<HashSet<Version>, StorageError> {
    if versions.is_empty() {
        return Ok(HashSet::new());
    }
    let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
    read(&db.read(&Statement::new(statement, vec![json_texts(&versions)])).await?)
}

/// Versions of objects between two texts, both left out, the smallest first.
pub(crate) async fn of_objects(
    db: &OwnDatabase,
    after: &str,
    before: &str,
    most: usize,
) -> Result<Vec<Version>, StorageError> {
    let params = vec![text(after), text(before), text(&most.to_string())];
    read(&db.read(&Statement::new(OF_OBJECTS, params)).await?)
}

fn read<T: FromIterator<Version>>(rows: &Rows) -> Result<T, StorageError> {
    let versions = (0..rows.rows.len()).map(|row| Version::read(rows.text(row, 0)?));
    versions.collect::<Option<T>>().ok_or(StorageError::Internal("a version cannot be read"))
}
