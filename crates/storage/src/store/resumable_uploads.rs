//! Rows of `_banyan.storage_uploads` and `_banyan.storage_upload_parts`, which no role of the API
//! sees: the service's own login reads and writes them.
//!
//! Every writer makes itself the newest by [`take`], which counts `generation` up. What a writer
//! does later names its generation, and fails once there is a newer one. So two nodes never write
//! to one upload, whatever either believes (CONTRACT.md T11, T12).

use banyan_db::{OwnDatabase, Param, Rows, Statement};
use time::OffsetDateTime;

use super::optional;
use crate::{
    error::{StorageError, TusRefusal},
    model::{ResumableUpload, Tail, Version},
};

/// A part that is durable.
#[derive(Debug, Clone)]
pub(crate) struct WrittenPart {
    pub(crate) number: u32,
    /// By what the back end knows it.
    pub(crate) id: String,
    /// Bytes.
    pub(crate) size: u64,
}

/// Bytes that became durable.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    /// Bytes of the upload that are durable now.
    pub(crate) received: u64,
    pub(crate) part: Option<WrittenPart>,
    /// What is no part yet.
    pub(crate) tail: Option<Tail>,
    /// The state of the MD5.
    pub(crate) md5: Vec<u8>,
}

const INSERT: &str = "
insert into _banyan.storage_uploads
  (id, bucket_id, name, owner_id, upsert, length, upload_metadata, parts_id, md5, expires_at,
   of_service, bounded)
select $1::uuid, $2, $3, $4, $5::boolean, $6::bigint, $7, $8, decode($9, 'hex'),
       to_timestamp($10::bigint), $11::boolean, $14::boolean
where not $14::boolean
  or _banyan.storage_admit($4, $1::uuid::text, coalesce($6::bigint, 0), $12::bigint, $13::integer)";

/// The columns of [`read`]. An upload whose object is there is finished, though its process may
/// have ended before it noted so.
const COLUMNS: &str = "
  upload.bucket_id, upload.name, upload.owner_id, upload.upsert, upload.length, upload.received,
  upload.upload_metadata, upload.parts_id, upload.tail, upload.tail_size, encode(upload.md5, 'hex'),
  upload.generation, extract(epoch from upload.expires_at)::bigint,
  upload.finished or exists (
    select from storage.objects as object
    where object.bucket_id = upload.bucket_id
      and object.name = upload.name
      and object.version = upload.id::text
  ),
  upload.of_service";

const FIND: &str = "
from _banyan.storage_uploads as upload
where id = $1::uuid";

const TAKE: &str = "
update _banyan.storage_uploads as upload
set generation = generation + 1
where id = $1::uuid
returning";

const DECLARE_LENGTH: &str = "
update _banyan.storage_uploads
set length = $3::bigint
where id = $1::uuid
  and generation = $2::bigint
  and length is null
  and (
    not bounded
    or $4::bigint is null
    or _banyan.storage_admit(owner_id, id::text, $3::bigint, $4::bigint, null)
  )
returning length";

const RESERVE_PART: &str = "
update _banyan.storage_uploads
set next_part = next_part + 1
where id = $1::uuid
  and generation = $2::bigint
returning next_part - 1";

const ADVANCE: &str = "
with advanced as (
  update _banyan.storage_uploads
  set received = $3::bigint, md5 = decode($4, 'hex'), tail = $5::uuid, tail_size = $6::bigint
  where id = $1::uuid
    and generation = $2::bigint
    and (
      not bounded
      or length is not null
      or $10::bigint is null
      or _banyan.storage_admit(owner_id, id::text, $3::bigint, $10::bigint, null)
    )
  returning id
), part as (
  insert into _banyan.storage_upload_parts (upload_id, number, part_id, size)
  select id, $7::integer, $8, $9::bigint
  from advanced
  where $7::integer is not null
)
select id
from advanced";

const PARTS: &str = "
select number, part_id, size
from _banyan.storage_upload_parts
where upload_id = $1::uuid
order by number";

const FINISH: &str = "
with finished as (
  update _banyan.storage_uploads
  set finished = true, tail = null, tail_size = null
  where id = $1::uuid
  returning id
)
delete from _banyan.storage_upload_parts as part
using finished
where part.upload_id = finished.id";

const DELETE: &str = "
delete from _banyan.storage_uploads
where id = $1::uuid";

const EXPIRED: &str = "
select id
from _banyan.storage_uploads
where expires_at <= to_timestamp($1::bigint)
order by expires_at
limit 100";

/// What the owner of a new upload may have (CONTRACT.md B6).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// Unfinished uploads.
    pub(crate) most: u32,
    /// Bytes in all.
    pub(crate) quota: Option<u64>,
}

/// Writes the row of a new upload.
///
/// # Errors
/// `TooManyUploads`, `QuotaExceeded`, and those of the database.
pub(crate) async fn insert(
    db: &OwnDatabase,
    upload: &ResumableUpload,
    bound: Option<Bound>,
) -> Result<(), StorageError> {
    let params = vec![
        Param::text(upload.version.to_string()),
        Param::text(upload.bucket_id.clone()),
        Param::text(upload.name.clone()),
        optional(upload.owner_id.clone()),
        Param::text(upload.upsert.to_string()),
        optional(upload.length.map(|length| length.to_string())),
        Param::text(upload.metadata.clone()),
        Param::text(upload.parts_id.clone()),
        Param::text(hex::encode(&upload.md5)),
        Param::text(upload.expires_at.unix_timestamp().to_string()),
        Param::text(upload.is_of_service.to_string()),
        optional(bound.and_then(|bound| bound.quota)),
        optional(bound.map(|bound| bound.most)),
        Param::text(bound.is_some().to_string()),
    ];
    db.write(&Statement::new(INSERT, params), &[]).await?;
    Ok(())
}

/// Reads an upload.
///
/// # Errors
/// `NoUpload`, and those of the database.
pub(crate) async fn find(db: &OwnDatabase, version: Version) -> Result<ResumableUpload, StorageError> {
    let text = ["select", COLUMNS, FIND].concat();
    read(&db.read(&Statement::new(text, vec![Param::text(version.to_string())])).await?, version)
}

/// Becomes the newest writer of an upload, and reads it.
///
/// # Errors
/// As [`find`].
pub(crate) async fn take(db: &OwnDatabase, version: Version) -> Result<ResumableUpload, StorageError> {
    let text = [TAKE, COLUMNS].concat();
    read(&db.write(&Statement::new(text, vec![Param::text(version.to_string())]), &[]).await?, version)
}

/// Notes the length of an upload that began without one.
///
/// # Errors
/// `Superseded` for an older writer, `QuotaExceeded`.
pub(crate) async fn declare_length(
    db: &OwnDatabase,
    upload: &ResumableUpload,
    length: u64,
    quota: Option<u64>,
) -> Result<(), StorageError> {
    let mut params = writer(upload);
    params.extend([Param::text(length.to_string()), optional(quota)]);
    as_newest(&db.write(&Statement::new(DECLARE_LENGTH, params), &[]).await?)
}

/// A number for the next part. No other writer has had it, so that an older writer which is still
/// busy cannot write over the part of a newer one.
///
/// # Errors
/// `Superseded` for an older writer.
pub(crate) async fn reserve_part(db: &OwnDatabase, upload: &ResumableUpload) -> Result<u32, StorageError> {
    let rows = db.write(&Statement::new(RESERVE_PART, writer(upload)), &[]).await?;
    as_newest(&rows)?;
    number(&rows, 0).ok_or(MALFORMED)
}

/// Notes bytes that are durable.
///
/// # Errors
/// `Superseded` for an older writer, whose bytes then do not count; `QuotaExceeded` for an
/// upload of unknown length.
pub(crate) async fn advance(
    db: &OwnDatabase,
    upload: &ResumableUpload,
    progress: &Progress,
    quota: Option<u64>,
) -> Result<(), StorageError> {
    let Progress { received, part, tail, md5 } = progress;
    let mut params = writer(upload);
    params.extend([
        Param::text(received.to_string()),
        Param::text(hex::encode(md5)),
        optional(tail.map(|tail| tail.version.to_string())),
        optional(tail.map(|tail| tail.size.to_string())),
        optional(part.as_ref().map(|part| part.number.to_string())),
        optional(part.as_ref().map(|part| part.id.clone())),
        optional(part.as_ref().map(|part| part.size.to_string())),
        optional(quota),
    ]);
    as_newest(&db.write(&Statement::new(ADVANCE, params), &[]).await?)
}

/// The parts of an upload, from its first byte to its last.
pub(crate) async fn parts(db: &OwnDatabase, version: Version) -> Result<Vec<WrittenPart>, StorageError> {
    let rows = db.read(&Statement::new(PARTS, vec![Param::text(version.to_string())])).await?;
    let parts = (0..rows.rows.len()).map(|row| {
        Some(WrittenPart {
            number: rows.text(row, 0)?.parse().ok()?,
            id: rows.text(row, 1)?.to_owned(),
            size: rows.text(row, 2)?.parse().ok()?,
        })
    });
    parts.collect::<Option<_>>().ok_or(MALFORMED)
}

/// Notes that the object's row is written. The upload is still told of until it expires, for
/// clients that did not hear of its end.
pub(crate) async fn finish(db: &OwnDatabase, version: Version) -> Result<(), StorageError> {
    db.write(&Statement::new(FINISH, vec![Param::text(version.to_string())]), &[]).await?;
    Ok(())
}

/// Deletes the row of an upload and those of its parts.
pub(crate) async fn delete(db: &OwnDatabase, version: Version) -> Result<(), StorageError> {
    db.write(&Statement::new(DELETE, vec![Param::text(version.to_string())]), &[]).await?;
    Ok(())
}

/// Some of the uploads that have expired, the oldest first.
pub(crate) async fn expired(db: &OwnDatabase, now: OffsetDateTime) -> Result<Vec<Version>, StorageError> {
    let params = vec![Param::text(now.unix_timestamp().to_string())];
    let rows = db.read(&Statement::new(EXPIRED, params)).await?;
    let versions = (0..rows.rows.len()).map(|row| Version::read(rows.text(row, 0)?));
    versions.collect::<Option<_>>().ok_or(MALFORMED)
}

const MALFORMED: StorageError = StorageError::Internal("a row of an upload cannot be read");

/// `$1` and `$2` of statements that only the newest writer may run.
fn writer(upload: &ResumableUpload) -> Vec<Param> {
    vec![Param::text(upload.version.to_string()), Param::text(upload.generation.to_string())]
}

/// Whether a statement of a writer found the row in its generation.
fn as_newest(rows: &Rows) -> Result<(), StorageError> {
    if rows.rows.is_empty() { Err(TusRefusal::Superseded.into()) } else { Ok(()) }
}

/// An upload from a row of [`COLUMNS`].
fn read(rows: &Rows, version: Version) -> Result<ResumableUpload, StorageError> {
    if rows.rows.is_empty() {
        return Err(TusRefusal::NoUpload.into());
    }
    read_row(rows, version).ok_or(MALFORMED)
}

fn read_row(rows: &Rows, version: Version) -> Option<ResumableUpload> {
    let text = |column| rows.text(0, column).map(str::to_owned);
    let is_true = |column| rows.text(0, column) == Some("t");
    let tail = rows.text(0, 8).and_then(Version::read);
    Some(ResumableUpload {
        version,
        bucket_id: text(0)?,
        name: text(1)?,
        owner_id: text(2),
        upsert: is_true(3),
        length: number(rows, 4),
        received: number(rows, 5)?,
        metadata: text(6)?,
        parts_id: text(7)?,
        tail: tail.zip(number(rows, 9)).map(|(version, size)| Tail { version, size }),
        md5: hex::decode(rows.text(0, 10)?).ok()?,
        generation: number(rows, 11)?,
        expires_at: OffsetDateTime::from_unix_timestamp(number(rows, 12)?).ok()?,
        is_finished: is_true(13),
        is_of_service: is_true(14),
    })
}

fn number<T: std::str::FromStr>(rows: &Rows, column: usize) -> Option<T> {
    rows.text(0, column)?.parse().ok()
}
