//! Rows of `storage.s3_multipart_uploads` and of its parts.

use banyan_db::{OwnDatabase, Param, Rows, Statement};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{Db, optional};
use crate::{
    error::StorageError,
    model::{MultipartUpload, UploadedPart, Version},
};

const INSERT: &str = "
insert into storage.s3_multipart_uploads
  (id, bucket_id, key, version, owner_id, metadata, user_metadata, upload_signature)
select $1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8
where $9::boolean
  or _banyan.storage_admit($5, $4, 0, $10::bigint, $11::integer)";

const FIND: &str = "
select id, bucket_id, key, version, owner_id, metadata, user_metadata, upload_signature
from storage.s3_multipart_uploads
where id = $1
  and bucket_id = $2
  and key = $3";

/// Bytes of all parts but one.
const OTHER_PARTS: &str = "
select coalesce(sum(size), 0)::bigint
from (
  select distinct on (part_number) part_number, size
  from storage.s3_multipart_uploads_parts
  where upload_id = $1
    and part_number <> $2::integer
  order by part_number, created_at desc
) as part";

/// Whoever writes a part or the object waits for the others, and sees then what they wrote.
const LOCK: &str = "
select
from storage.s3_multipart_uploads
where id = $1
for update";

/// A part that is written again takes the place of the one before, and tells its id.
const WRITE_PART: &str = "
with received as (
  select coalesce(sum(size), 0)::bigint + $3::bigint as size
  from storage.s3_multipart_uploads_parts
  where upload_id = $1
    and part_number <> $2::integer
), upload as (
  update storage.s3_multipart_uploads as upload
  set in_progress_size = received.size
  from received
  where upload.id = $1
    and (
      $7::bigint is null
      or upload.metadata ->> 'isOfService' = 'true'
      or _banyan.storage_admit(upload.owner_id, upload.version, received.size, $7::bigint, null)
    )
  returning upload.id, upload.bucket_id, upload.key, upload.owner_id
), before as (
  delete from storage.s3_multipart_uploads_parts
  using upload
  where upload_id = upload.id
    and part_number = $2::integer
  returning s3_multipart_uploads_parts.version
)
insert into storage.s3_multipart_uploads_parts
  (upload_id, part_number, size, etag, version, created_at, bucket_id, key, owner_id)
select id, $2::integer, $3::bigint, $4, $5, to_timestamp($6::bigint), bucket_id, key, owner_id
from upload
returning (select coalesce(json_agg(version), '[]') from before)";

const PARTS: &str = "
select distinct on (part_number)
  part_number, size, etag, version, extract(epoch from created_at)::bigint
from storage.s3_multipart_uploads_parts
where upload_id = $1
  and part_number > $2::integer
order by part_number, created_at desc
limit $3::integer";

const EXISTS: &str = "
select
from storage.s3_multipart_uploads
where id = $1";

/// The parts go with it.
const DELETE: &str = "
delete from storage.s3_multipart_uploads
where id = $1";

const OLDER_THAN: &str = "
select id, version
from storage.s3_multipart_uploads
where created_at < to_timestamp($1::bigint)
  and version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
order by created_at
limit $2::integer";

/// An upload that nobody completes.
pub(crate) struct AbandonedUpload {
    pub(crate) id: String,
    pub(crate) version: Version,
}

/// Uploads that began before `time`, the oldest first.
pub(crate) async fn older_than(
    db: &OwnDatabase,
    time: OffsetDateTime,
    most: u32,
) -> Result<Vec<AbandonedUpload>, StorageError> {
    let params = vec![value(time.unix_timestamp()), value(most)];
    let rows = db.read(&Statement::new(OLDER_THAN, params)).await?;
    let uploads = (0..rows.rows.len()).map(|row| {
        let version = Version::read(rows.text(row, 1)?)?;
        Some(AbandonedUpload { id: rows.text(row, 0)?.to_owned(), version })
    });
    uploads.collect::<Option<_>>().ok_or(MALFORMED)
}

/// Deletes the row of an upload: its bytes become no object any more.
pub(crate) async fn delete(db: &OwnDatabase, id: &str) -> Result<(), StorageError> {
    db.write(&Statement::new(DELETE, vec![value(id)]), &[]).await?;
    Ok(())
}

/// Writes the row of a new upload, whose owner may have `most` unfinished ones, and so many bytes
/// in all (CONTRACT.md B6).
///
/// # Errors
/// `TooManyUploads`, `QuotaExceeded`, and those of the database.
pub(crate) async fn insert(
    db: &OwnDatabase,
    upload: &MultipartUpload,
    quota: Option<u64>,
    most: u32,
) -> Result<(), StorageError> {
    let metadata = json!({
        "mimetype": upload.mimetype,
        "cacheControl": upload.cache_control,
        "isOfService": upload.is_of_service,
    });
    let params = vec![
        value(&upload.id),
        value(&upload.bucket_id),
        value(&upload.key),
        value(upload.version),
        optional(upload.owner_id.as_ref()),
        value(metadata),
        optional(upload.user_metadata.clone().map(Value::Object).as_ref()),
        value(&upload.signature),
        value(upload.is_of_service),
        optional(quota),
        value(most),
    ];
    db.write(&Statement::new(INSERT, params), &[]).await?;
    Ok(())
}

/// Finds an upload of this bucket and key.
///
/// # Errors
/// `NoSuchUpload`, and those of the database.
pub(crate) async fn find(
    db: Db<'_>,
    id: &str,
    bucket: &str,
    key: &str,
) -> Result<MultipartUpload, StorageError> {
    let params = vec![value(id), value(bucket), value(key)];
    let rows = db.read(&Statement::new(FIND, params)).await?;
    if rows.rows.is_empty() {
        return Err(StorageError::NoSuchUpload);
    }
    read_upload(&rows).ok_or(StorageError::Internal("a row of an upload cannot be read"))
}

/// Bytes of all parts but `number`.
pub(crate) async fn size_of_others(db: Db<'_>, id: &str, number: u32) -> Result<u64, StorageError> {
    let rows = db.read(&Statement::new(OTHER_PARTS, vec![value(id), value(number)])).await?;
    rows.text(0, 0).and_then(|size| size.parse().ok()).ok_or(MALFORMED)
}

/// Whether an upload is still there.
pub(crate) async fn exists(db: Db<'_>, id: &str) -> Result<bool, StorageError> {
    Ok(!db.read(&Statement::new(EXISTS, vec![value(id)])).await?.rows.is_empty())
}

/// Writes the row of a part, whose owner may have so many bytes in all. Returns the ids of the
/// parts that it replaces.
///
/// # Errors
/// `NoSuchUpload` when the upload was completed or given up meanwhile, `QuotaExceeded`, and those
/// of the database.
pub(crate) async fn write_part(
    db: &OwnDatabase,
    id: &str,
    part: &UploadedPart,
    quota: Option<u64>,
) -> Result<Vec<String>, StorageError> {
    let params = vec![
        value(id),
        value(part.number),
        value(part.size),
        value(&part.e_tag),
        value(&part.id),
        value(part.created_at.unix_timestamp()),
        optional(quota),
    ];
    let lock = Statement::new(LOCK, vec![value(id)]);
    let rows = db.write(&lock, &[Statement::new(WRITE_PART, params)]).await?;
    if rows.rows.is_empty() {
        return Err(StorageError::NoSuchUpload);
    }
    rows.text(0, 0).and_then(|replaced| serde_json::from_str(replaced).ok()).ok_or(MALFORMED)
}

/// The parts behind `after`, by number; at most `limit`.
pub(crate) async fn parts(
    db: Db<'_>,
    id: &str,
    after: u32,
    limit: u32,
) -> Result<Vec<UploadedPart>, StorageError> {
    let rows = db.read(&Statement::new(PARTS, vec![value(id), value(after), value(limit)])).await?;
    let parts = (0..rows.rows.len()).map(|row| read_part(&rows, row));
    parts.collect::<Option<_>>().ok_or(MALFORMED)
}

const MALFORMED: StorageError = StorageError::Internal("a row of a part cannot be read");

fn read_upload(rows: &Rows) -> Option<MultipartUpload> {
    let text = |column| rows.text(0, column).map(str::to_owned);
    let metadata: Value =
        rows.text(0, 5).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let of_metadata = |name: &str| metadata[name].as_str().map(str::to_owned);
    Some(MultipartUpload {
        id: text(0)?,
        bucket_id: text(1)?,
        key: text(2)?,
        version: Version::read(rows.text(0, 3)?)?,
        owner_id: text(4),
        is_of_service: metadata["isOfService"] == true,
        mimetype: of_metadata("mimetype")?,
        cache_control: of_metadata("cacheControl")?,
        user_metadata: rows.text(0, 6).and_then(|json| serde_json::from_str(json).ok()),
        signature: text(7)?,
    })
}

fn read_part(rows: &Rows, row: usize) -> Option<UploadedPart> {
    Some(UploadedPart {
        number: rows.text(row, 0)?.parse().ok()?,
        size: rows.text(row, 1)?.parse().ok()?,
        e_tag: rows.text(row, 2)?.to_owned(),
        id: rows.text(row, 3)?.to_owned(),
        created_at: OffsetDateTime::from_unix_timestamp(rows.text(row, 4)?.parse().ok()?).ok()?,
    })
}

/// A parameter of any simple type.
fn value(value: impl ToString) -> Param {
    optional(Some(value))
}
