//! Rows of `storage.objects` that uploads write.

use banyan_db::{Param, Statement};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Db, optional, text};
use crate::{error::StorageError, model::Version};

/// The row of an upload, as far as it is known before the bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRow<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) owner: Option<&'a str>,
    pub(crate) user_metadata: Option<&'a Map<String, Value>>,
    /// Whether it may take the place of another one.
    pub(crate) upsert: bool,
}

/// Which row an upsert may replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Replaceable {
    /// None: the name was free when the policies were asked.
    Nothing,
    /// This one alone, by its id and its version: the policies were asked of it.
    Met(String),
    /// Whatever is there: no policy holds the caller back.
    Anything,
}

/// What the bytes add to the row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommittedRow<'a> {
    pub(crate) version: Version,
    pub(crate) metadata: &'a Value,
    /// Bytes that all objects of the owner may take.
    pub(crate) quota: Option<u64>,
    /// What an upsert may replace.
    pub(crate) replaceable: &'a Replaceable,
    /// The upload of S3 whose bytes they are.
    pub(crate) multipart: Option<&'a str>,
}

/// A row that was written.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) id: Uuid,
    pub(crate) last_modified: String,
}

/// Alone it has no `returning`, so that a policy for insert is enough (CONTRACT.md R01).
const REHEARSE: &str = "
insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
values ($1::text, $2::text, $3::uuid, $4, '1', $5::jsonb, coalesce($6::jsonb, '{}'))";

/// With `returning`, so that it needs the right to read too (CONTRACT.md R02). Who may replace a
/// row can read it. What came or changed since the statement began is not the row that is told, and
/// the commit will not find it.
const RETURNING_MET: &str = "
returning id, (
  select concat(met.id, ' ', met.version)
  from storage.objects as met
  where met.bucket_id = $1::text
    and met.name = $2::text
)";

/// The row without `returning`. A trigger refuses what is above the quota (CONTRACT.md B6).
const INSERT: &str = "
insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
select $1::text, $2::text, $3::uuid, $4::text, $7::text,
       $5::jsonb || jsonb_build_object(
         'lastModified',
         to_char(now() at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
       ),
       coalesce($6::jsonb, '{}')
from (select set_config('banyan.storage_quota', coalesce($8::text, ''), true)) as quota";

/// Whoever gives an upload of S3 up deletes its row first, and then its bytes. The row is locked,
/// so that no object gets them any more.
const OF_UPLOAD: &str = "
where exists (select from storage.s3_multipart_uploads where id = $10 for update)";

/// What an upsert does with the row that is there.
const REPLACE: &str = "
on conflict (name, bucket_id) do update
set version = excluded.version,
    metadata = excluded.metadata,
    user_metadata = excluded.user_metadata,
    owner = coalesce(excluded.owner, objects.owner),
    owner_id = coalesce(excluded.owner_id, objects.owner_id)";

/// `$9` is the row that was met; null stands for any.
const ONLY_MET: &str = "
where $9::text is null
  or $9::text = concat(objects.id, ' ', objects.version)";

const RETURNING: &str = "
returning id, metadata ->> 'lastModified'";

/// Tries the row, and rolls back. Returns what it met at its place.
pub(crate) async fn rehearse(
    db: Db<'_>,
    row: NewRow<'_>,
    metadata: &Value,
) -> Result<Replaceable, StorageError> {
    let text = if row.upsert { [REHEARSE, REPLACE, RETURNING_MET].concat() } else { REHEARSE.to_owned() };
    let rows = db.rehearse(&Statement::new(text, row.params(metadata))).await.map_err(taken)?;
    let met = rows.text(0, 1).map(|met| Replaceable::Met(met.to_owned()));
    Ok(met.unwrap_or(Replaceable::Nothing))
}

/// Whom the object of an id belongs to.
pub(crate) async fn owner(db: Db<'_>, id: &str) -> Result<Option<String>, StorageError> {
    let rows = db.read(&Statement::new(OWNER, vec![text(id)])).await?;
    Ok(rows.text(0, 0).map(str::to_owned))
}

const OWNER: &str = "
select owner_id
from storage.objects
where id = $1::uuid";

/// Writes the row. None if there is another one that it may not replace, or if the upload of S3 is
/// gone.
pub(crate) async fn commit(
    db: Db<'_>,
    row: NewRow<'_>,
    committed: CommittedRow<'_>,
) -> Result<Option<Committed>, StorageError> {
    let mut params = row.params(committed.metadata);
    params.push(Param::text(committed.version.to_string()));
    params.push(optional(committed.quota));
    let text = match (row.upsert, committed.multipart) {
        (true, multipart) => {
            params.push(committed.replaceable.param());
            params.extend(multipart.map(text));
            [INSERT, multipart.map_or("", |_| OF_UPLOAD), REPLACE, ONLY_MET, RETURNING].concat()
        }
        (false, _) => [INSERT, RETURNING].concat(),
    };
    let rows = db.write(&Statement::new(text, params)).await.map_err(taken)?;
    let Some(id) = rows.text(0, 0) else {
        let may_be_kept =
            row.upsert && (committed.multipart.is_some() || *committed.replaceable != Replaceable::Anything);
        return if may_be_kept { Ok(None) } else { Err(StorageError::Internal("an upload has no row")) };
    };
    Ok(Some(Committed {
        id: id.parse().map_err(|_| StorageError::Internal("an id is no UUID"))?,
        last_modified: rows.text(0, 1).unwrap_or_default().to_owned(),
    }))
}

impl Replaceable {
    /// The id of the row that was met.
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Self::Met(row) => row.split(' ').next(),
            Self::Nothing | Self::Anything => None,
        }
    }

    /// `$9`.
    fn param(&self) -> Param {
        match self {
            Self::Nothing => text(""),
            Self::Met(row) => text(row),
            Self::Anything => Param::null(),
        }
    }
}

impl NewRow<'_> {
    /// `$1` to `$6`.
    fn params(&self, metadata: &Value) -> Vec<Param> {
        let [owner, owner_id] = super::owner(self.owner);
        vec![
            text(self.bucket),
            text(self.name),
            owner,
            owner_id,
            Param::text(metadata.to_string()),
            optional(self.user_metadata.map(|map| Value::Object(map.clone()).to_string())),
        ]
    }
}

/// A name that another row has, and a bucket that is gone.
fn taken(error: StorageError) -> StorageError {
    match error {
        StorageError::ResourceAlreadyExists => StorageError::KeyAlreadyExists,
        StorageError::ParentMissing => StorageError::NoSuchBucket,
        other => other,
    }
}
