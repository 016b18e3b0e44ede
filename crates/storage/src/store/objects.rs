//! The table `storage.objects`, as single objects are read and changed.

use banyan_db::{Param, Rows, Statement};
use bytes::Bytes;
use serde_json::Value;
use time::OffsetDateTime;

use super::{Db, json_texts, optional, owner, owner_of, text, written};
use crate::{
    error::StorageError,
    model::{Object, ObjectPath, Version},
};

/// One object, where the caller may see it.
pub(crate) async fn find(db: Db<'_>, path: &ObjectPath) -> Result<Option<Object>, StorageError> {
    let rows = db.read(&Statement::new(FIND, place(path))).await?;
    Ok(object(&rows, 0))
}

const FIND: &str = "
select id, bucket_id, name, version, metadata, user_metadata,
       (extract(epoch from created_at) * 1000000)::bigint,
       (extract(epoch from updated_at) * 1000000)::bigint
from storage.objects
where bucket_id = $1
  and name = $2";

fn place(path: &ObjectPath) -> Vec<Param> {
    vec![text(path.bucket.as_str()), text(path.name.as_str())]
}

fn object(rows: &Rows, row: usize) -> Option<Object> {
    let json = |column| rows.text(row, column).and_then(|json| serde_json::from_str(json).ok());
    Some(Object {
        id: rows.text(row, 0)?.parse().ok()?,
        bucket_id: rows.text(row, 1)?.to_owned(),
        name: rows.text(row, 2)?.to_owned(),
        version: rows.text(row, 3).and_then(Version::read),
        metadata: rows.text(row, 4).and_then(|json| serde_json::from_str(json).ok()),
        user_metadata: json(5),
        created_at: rows.text(row, 6).and_then(time),
        updated_at: rows.text(row, 7).and_then(time),
    })
}

fn time(microseconds: &str) -> Option<OffsetDateTime> {
    let microseconds: i128 = microseconds.parse().ok()?;
    OffsetDateTime::from_unix_timestamp_nanos(microseconds * 1000).ok()
}

/// The whole row of an object, where the caller may see it.
pub(crate) async fn row(db: Db<'_>, path: &ObjectPath) -> Result<Option<Value>, StorageError> {
    let rows = db.read(&Statement::new(ROW, place(path))).await?;
    Ok(rows.text(0, 0).and_then(|json| serde_json::from_str(json).ok()))
}

/// The columns `owner`, `owner_id` and `version` are texts of an answer, and empty for null.
const ROW: &str = "
select json_build_object(
  'name', name, 'bucket_id', bucket_id, 'owner', coalesce(owner::text, ''),
  'owner_id', coalesce(owner_id, ''), 'version', coalesce(version, ''), 'id', id,
  'updated_at', to_char(updated_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'created_at', to_char(created_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'last_accessed_at', to_char(last_accessed_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'metadata', metadata, 'user_metadata', user_metadata
)
from storage.objects
where bucket_id = $1
  and name = $2";

/// Whether there is an object that the caller may see.
pub(crate) async fn exists(db: Db<'_>, path: &ObjectPath) -> Result<bool, StorageError> {
    Ok(!db.read(&Statement::new(EXISTS, place(path))).await?.rows.is_empty())
}

const EXISTS: &str = "
select
from storage.objects
where bucket_id = $1
  and name = $2";

/// Those of the names that the caller may see an object of.
pub(crate) async fn existing(
    db: Db<'_>,
    bucket: &str,
    names: &[String],
) -> Result<Vec<String>, StorageError> {
    let rows = db.read(&Statement::new(EXISTING, vec![text(bucket), json_texts(names)])).await?;
    Ok((0..rows.rows.len()).filter_map(|row| rows.text(row, 0).map(str::to_owned)).collect())
}

const EXISTING: &str = "
select name
from storage.objects
where bucket_id = $1
  and name = any (array(select jsonb_array_elements_text($2::jsonb)))";

/// Objects that were deleted.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    /// Their rows, an array of JSON.
    pub(crate) rows: Bytes,
    pub(crate) count: usize,
    pub(crate) versions: Vec<Version>,
}

/// Deletes one object that the caller may see and delete; none where there is none.
pub(crate) async fn remove(db: Db<'_>, path: &ObjectPath) -> Result<Option<Removed>, StorageError> {
    let removed = remove_many(db, path.bucket.as_str(), &[path.name.as_str()]).await?;
    Ok((removed.count > 0).then_some(removed))
}

/// Deletes the objects of these names that the caller may see and delete.
pub(crate) async fn remove_many(
    db: Db<'_>,
    bucket: &str,
    names: &[impl AsRef<str>],
) -> Result<Removed, StorageError> {
    let params = vec![text(bucket), json_texts(names)];
    Ok(removed(&db.write(&Statement::new(REMOVE, params)).await?))
}

/// The columns `owner`, `owner_id` and `version` are texts of an answer, and empty for null.
const REMOVE: &str = "
with removed as (
  delete from storage.objects
  where bucket_id = $1
    and name = any (array(select jsonb_array_elements_text($2::jsonb)))
  returning *
)
select coalesce(json_agg(json_build_object(
  'name', name, 'bucket_id', bucket_id, 'owner', coalesce(owner::text, ''),
  'owner_id', coalesce(owner_id, ''), 'version', coalesce(version, ''), 'id', id,
  'updated_at', to_char(updated_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'created_at', to_char(created_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'last_accessed_at', to_char(last_accessed_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'metadata', metadata, 'user_metadata', user_metadata
)), '[]'), count(*), coalesce(json_agg(version), '[]')
from removed";

/// Deletes up to `most` of the objects whose names begin with one of these prefixes and that the
/// caller may see and delete (CONTRACT.md B5).
pub(crate) async fn remove_below(
    db: Db<'_>,
    bucket: &str,
    prefixes: &[String],
    most: usize,
) -> Result<Removed, StorageError> {
    let params = vec![text(bucket), json_texts(prefixes), optional(Some(most))];
    Ok(removed(&db.write(&Statement::new(REMOVE_BELOW, params)).await?))
}

/// The answer has the names alone: a folder may hold many objects.
const REMOVE_BELOW: &str = "
with found as (
  select objects.id
  from jsonb_array_elements_text($2::jsonb) as prefix
  join storage.objects
    on bucket_id = $1
    and name collate \"C\" between prefix and prefix || chr(1114111)
  limit $3::bigint
),
removed as (
  delete from storage.objects
  where id = any (array(select id from found))
  returning *
)
select coalesce(json_agg(name), '[]'), count(*), coalesce(json_agg(version), '[]')
from removed";

fn removed(rows: &Rows) -> Removed {
    let versions: Vec<Option<String>> =
        rows.text(0, 2).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    Removed {
        rows: written(rows).unwrap_or_default(),
        count: rows.text(0, 1).and_then(|count| count.parse().ok()).unwrap_or_default(),
        versions: versions.iter().flatten().filter_map(|text| Version::read(text)).collect(),
    }
}

/// The number of objects of a bucket, of which no more than `most` are counted.
pub(crate) async fn count(db: Db<'_>, bucket: &str, most: u64) -> Result<u64, StorageError> {
    let rows = db.read(&Statement::new(COUNT, vec![text(bucket), optional(Some(most))])).await?;
    Ok(rows.text(0, 0).and_then(|count| count.parse().ok()).unwrap_or_default())
}

const COUNT: &str = "
select count(*)
from (select from storage.objects where bucket_id = $1 limit $2::bigint) as counted";

/// Deletes all objects of a bucket that the caller may see and delete; gives the versions.
pub(crate) async fn remove_all(db: Db<'_>, bucket: &str) -> Result<Vec<Version>, StorageError> {
    let rows = db.write(&Statement::new(REMOVE_ALL, vec![text(bucket)])).await?;
    Ok((0..rows.rows.len()).filter_map(|row| rows.text(row, 0).and_then(Version::read)).collect())
}

const REMOVE_ALL: &str = "
delete from storage.objects
where bucket_id = $1
returning version";

/// How a move went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    Yes,
    /// The caller sees no such object, or may not change it.
    NoSuchKey,
}

/// Gives an object another place, by the row alone: its bytes stay where they are. A place that is
/// the same is tried and rolled back, so that the rights count all the same (CONTRACT.md O04, R04).
///
/// # Errors
/// `KeyAlreadyExists`, `NoSuchBucket`, `QuotaExceeded` of the caller, who becomes the owner, and
/// those of the database.
pub(crate) async fn relocate(
    db: Db<'_>,
    from: &ObjectPath,
    to: &ObjectPath,
    quota: Option<u64>,
) -> Result<Moved, StorageError> {
    let mut params = place(from);
    params.extend(place(to));
    params.extend(owner(owner_of(db.caller()).as_deref()));
    params.push(optional(quota));
    let statement = Statement::new(RELOCATE, params);
    let moved = if from == to { db.rehearse(&statement).await } else { db.write(&statement).await };
    let rows = moved.map_err(at_new_place)?;
    Ok(if rows.rows.is_empty() { Moved::NoSuchKey } else { Moved::Yes })
}

/// With `returning`, so that the caller must be able to see the object at both places.
const RELOCATE: &str = "
update storage.objects
set bucket_id = $3,
    name = $4,
    owner = case when $6::text is null then owner else $5::uuid end,
    owner_id = coalesce($6::text, owner_id)
from (select set_config('banyan.storage_quota', coalesce($7::text, ''), true)) as quota
where bucket_id = $1
  and name = $2
returning id";

/// What the new place of an object refuses.
fn at_new_place(error: StorageError) -> StorageError {
    match error {
        StorageError::ResourceAlreadyExists => StorageError::KeyAlreadyExists,
        StorageError::ParentMissing => StorageError::NoSuchBucket,
        other => other,
    }
}

/// A folder, as a caller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Folder {
    /// Objects in it, at all depths; no more than one above the bound are counted.
    pub(crate) count: u64,
    /// Bytes of the longest of their names.
    pub(crate) longest_name: usize,
}

/// Looks into a folder, of which no more than `most` objects are counted.
pub(crate) async fn folder(db: Db<'_>, path: &ObjectPath, most: u64) -> Result<Folder, StorageError> {
    let mut params = place(path);
    params.push(optional(Some(most)));
    let rows = db.read(&Statement::new(FOLDER, params)).await?;
    let number = |column| rows.text(0, column).and_then(|number| number.parse().ok()).unwrap_or_default();
    Ok(Folder { count: number(0), longest_name: usize::try_from(number(1)).unwrap_or(usize::MAX) })
}

const FOLDER: &str = "
select count(*), coalesce(max(octet_length(name)), 0)
from (
  select name
  from storage.objects
  where bucket_id = $1
    and name collate \"C\" between $2 and $2 || chr(1114111)
  limit $3::bigint
) as below";

/// Gives all objects below a folder the same names below another one, in one transaction; the
/// number of those moved (CONTRACT.md B5).
pub(crate) async fn relocate_folder(
    db: Db<'_>,
    from: &ObjectPath,
    to: &ObjectPath,
    quota: Option<u64>,
) -> Result<u64, StorageError> {
    let mut params = place(from);
    params.extend(place(to));
    params.extend(owner(owner_of(db.caller()).as_deref()));
    params.push(optional(quota));
    let moved = db.write(&Statement::new(RELOCATE_FOLDER, params)).await;
    Ok(moved.map_err(at_new_place)?.rows.len() as u64)
}

const RELOCATE_FOLDER: &str = "
update storage.objects
set bucket_id = $3,
    name = $4 || substr(name, length($2) + 1),
    owner = case when $6::text is null then owner else $5::uuid end,
    owner_id = coalesce($6::text, owner_id)
from (select set_config('banyan.storage_quota', coalesce($7::text, ''), true)) as quota
where bucket_id = $1
  and name collate \"C\" between $2 and $2 || chr(1114111)
returning id";
