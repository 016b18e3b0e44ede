//! The table `storage.buckets`.

use banyan_db::{Param, Statement};
use bytes::Bytes;

use super::{Db, json_texts, optional, owner, owner_of, text, written};
use crate::{error::StorageError, model::BucketName};

/// Settings that a body names. None leaves a setting as it is.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) public: Option<bool>,
    /// Bytes; `Some(None)` is no limit but that of all buckets.
    pub(crate) file_size_limit: Option<Option<u64>>,
    /// `Some(None)` takes all.
    pub(crate) allowed_mime_types: Option<Option<Vec<String>>>,
}

impl Settings {
    /// Whether a body named none.
    pub(crate) fn is_empty(&self) -> bool {
        self.public.is_none() && self.file_size_limit.is_none() && self.allowed_mime_types.is_none()
    }

    /// The types as JSON, or null.
    fn mime_types(&self) -> Param {
        self.allowed_mime_types.iter().flatten().next().map_or_else(Param::null, |types| json_texts(types))
    }
}

/// A bucket that is to be made.
#[derive(Debug)]
pub(crate) struct NewBucket<'a> {
    pub(crate) id: &'a BucketName,
    pub(crate) name: &'a BucketName,
    pub(crate) settings: &'a Settings,
}

/// Makes a bucket that belongs to the caller. Without `returning`, so that a policy for insert is
/// enough (CONTRACT.md R06).
pub(crate) async fn insert(db: Db<'_>, bucket: &NewBucket<'_>) -> Result<(), StorageError> {
    let [owner, owner_id] = owner(owner_of(db.caller()).as_deref());
    let params = vec![
        text(bucket.id.as_str()),
        text(bucket.name.as_str()),
        owner,
        owner_id,
        text(if bucket.settings.public == Some(true) { "t" } else { "f" }),
        optional(bucket.settings.file_size_limit.flatten()),
        bucket.settings.mime_types(),
    ];
    let inserted = db.write(&Statement::new(INSERT, params)).await;
    inserted.map(|_| ()).map_err(|error| match error {
        StorageError::ResourceAlreadyExists => StorageError::BucketAlreadyExists,
        other => other,
    })
}

const INSERT: &str = "
insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
values (
  $1, $2, $3::uuid, $4, $5::boolean, $6::bigint,
  case when $7::jsonb is not null then array(select jsonb_array_elements_text($7::jsonb)) end
)";

/// Changes a bucket; false where the caller has none of this id.
pub(crate) async fn update(db: Db<'_>, id: &BucketName, settings: &Settings) -> Result<bool, StorageError> {
    let is_named = |named: bool| text(if named { "t" } else { "f" });
    let params = vec![
        text(id.as_str()),
        optional(settings.public),
        is_named(settings.file_size_limit.is_some()),
        optional(settings.file_size_limit.flatten()),
        is_named(settings.allowed_mime_types.is_some()),
        settings.mime_types(),
    ];
    Ok(db.write(&Statement::new(UPDATE, params)).await?.affected > 0)
}

const UPDATE: &str = "
update storage.buckets
set public = coalesce($2::boolean, public),
    file_size_limit = case when $3::boolean then $4::bigint else file_size_limit end,
    allowed_mime_types = case
      when not $5::boolean then allowed_mime_types
      when $6::jsonb is not null then array(select jsonb_array_elements_text($6::jsonb))
    end
where id = $1";

/// One bucket as JSON, where the caller may see it.
pub(crate) async fn get(db: Db<'_>, id: &str) -> Result<Option<Bytes>, StorageError> {
    Ok(written(&db.read(&Statement::new(GET, vec![text(id)])).await?))
}

const GET: &str = "
select json_build_object(
  'id', id, 'name', name, 'owner', coalesce(owner::text, ''), 'public', coalesce(public, false),
  'file_size_limit', file_size_limit, 'allowed_mime_types', allowed_mime_types,
  'created_at', to_char(created_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'updated_at', to_char(updated_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
)
from storage.buckets
where id = $1";

/// Which buckets are listed, and how.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) limit: Option<i64>,
    pub(crate) offset: Option<i64>,
    /// `id`, `name`, `created_at` or `updated_at`.
    pub(crate) column: Option<&'static str>,
    pub(crate) is_descending: bool,
    /// A part of the name; case does not count.
    pub(crate) search: String,
    /// Whether an entry tells its type (CONTRACT.md B09).
    pub(crate) has_type: bool,
}

/// The buckets that the caller may see, as JSON.
pub(crate) async fn list(db: Db<'_>, page: &Page) -> Result<Bytes, StorageError> {
    let params = vec![
        text(&page.search),
        text(page.column.unwrap_or("")),
        text(if page.is_descending { "t" } else { "f" }),
        optional(page.limit),
        optional(page.offset),
        text(if page.has_type { "t" } else { "f" }),
    ];
    let rows = db.read(&Statement::new(LIST, params)).await?;
    written(&rows).ok_or(StorageError::Internal("a list of buckets has no row"))
}

/// One text for every order, so that it is planned once: a bucket list is short.
const LIST: &str = "
with page as (
  select *, row_number() over (
    order by
      case when not $3::boolean then case $2 when 'id' then id when 'name' then name end end,
      case when $3::boolean then case $2 when 'id' then id when 'name' then name end end desc,
      case when not $3::boolean then
        case $2 when 'created_at' then created_at when 'updated_at' then updated_at end
      end,
      case when $3::boolean then
        case $2 when 'created_at' then created_at when 'updated_at' then updated_at end
      end desc,
      id
  ) as place
  from storage.buckets
  where $1 = '' or strpos(lower(name), lower($1)) > 0
  order by place
  limit $4::bigint
  offset $5::bigint
)
select coalesce(json_agg(
  jsonb_build_object(
    'id', id, 'name', name, 'owner', coalesce(owner::text, ''), 'public', coalesce(public, false),
    'file_size_limit', file_size_limit, 'allowed_mime_types', allowed_mime_types,
    'created_at', to_char(created_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
    'updated_at', to_char(updated_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
  ) || case when $6::boolean then jsonb_build_object('type', type) else '{}' end
  order by place
), '[]')
from page";

/// What a bucket holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// There is no such bucket.
    NoBucket,
    /// The bucket is empty.
    Nothing,
    /// It has objects.
    Objects,
}

/// What a bucket holds; asked as `service_role` (CONTRACT.md B11).
pub(crate) async fn content(db: Db<'_>, id: &str) -> Result<Content, StorageError> {
    let rows = db.read(&Statement::new(CONTENT, vec![text(id)])).await?;
    Ok(match rows.text(0, 0) {
        None => Content::NoBucket,
        Some("t") => Content::Objects,
        Some(_) => Content::Nothing,
    })
}

const CONTENT: &str = "
select exists (select from storage.objects where bucket_id = buckets.id)
from storage.buckets
where id = $1";

/// Deletes an empty bucket; false where the caller may not.
///
/// # Errors
/// `ResourceReferenced` while an upload in parts is unfinished, and those of the database.
pub(crate) async fn delete(db: Db<'_>, id: &str) -> Result<bool, StorageError> {
    let deleted = db.write(&Statement::new(DELETE, vec![text(id)])).await;
    deleted.map(|rows| rows.affected > 0).map_err(|error| match error {
        StorageError::ParentMissing => StorageError::ResourceReferenced,
        other => other,
    })
}

const DELETE: &str = "
delete from storage.buckets
where id = $1";
