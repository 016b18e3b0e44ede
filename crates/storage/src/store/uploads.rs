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

/// What the bytes add to the row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommittedRow<'a> {
    pub(crate) version: Version,
    pub(crate) metadata: &'a Value,
    /// Bytes that all objects of the owner may take.
    pub(crate) quota: Option<u64>,
}

/// A row that was written.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) id: Uuid,
    pub(crate) last_modified: String,
}

/// Without `returning`, so that a policy for insert is enough (CONTRACT.md R01).
const REHEARSE_INSERT: &str = "
insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
values ($1, $2, $3::uuid, $4, '1', $5::jsonb, $6::jsonb)";

/// With `returning`, so that it needs the right to read too (CONTRACT.md R02).
const REHEARSE_UPSERT: &str = "
insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
values ($1, $2, $3::uuid, $4, '1', $5::jsonb, $6::jsonb)
on conflict (name, bucket_id) do update
set version = excluded.version,
    metadata = excluded.metadata,
    user_metadata = coalesce(excluded.user_metadata, objects.user_metadata),
    owner = coalesce(excluded.owner, objects.owner),
    owner_id = coalesce(excluded.owner_id, objects.owner_id)
returning id";

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

/// What an upsert does with the row that is there.
const REPLACE: &str = "
on conflict (name, bucket_id) do update
set version = excluded.version,
    metadata = excluded.metadata,
    user_metadata = excluded.user_metadata,
    owner = coalesce(excluded.owner, objects.owner),
    owner_id = coalesce(excluded.owner_id, objects.owner_id)";

const RETURNING: &str = "
returning id, metadata ->> 'lastModified'";

/// Tries the row, and rolls back.
pub(crate) async fn rehearse(db: Db<'_>, row: NewRow<'_>, metadata: &Value) -> Result<(), StorageError> {
    let text = if row.upsert { REHEARSE_UPSERT } else { REHEARSE_INSERT };
    db.rehearse(&Statement::new(text, row.params(metadata))).await.map_err(taken)?;
    Ok(())
}

/// Writes the row.
pub(crate) async fn commit(
    db: Db<'_>,
    row: NewRow<'_>,
    committed: CommittedRow<'_>,
) -> Result<Committed, StorageError> {
    let text = [INSERT, if row.upsert { REPLACE } else { "" }, RETURNING].concat();
    let mut params = row.params(committed.metadata);
    params.push(Param::text(committed.version.to_string()));
    params.push(optional(committed.quota));
    let rows = db.write(&Statement::new(text, params)).await.map_err(taken)?;
    let id = rows.text(0, 0).ok_or(StorageError::Internal("an upload has no row"))?;
    Ok(Committed {
        id: id.parse().map_err(|_| StorageError::Internal("an id is no UUID"))?,
        last_modified: rows.text(0, 1).unwrap_or_default().to_owned(),
    })
}

impl NewRow<'_> {
    /// `$1` to `$6`. The column `owner` takes UUIDs alone (CONTRACT.md U12).
    fn params(&self, metadata: &Value) -> Vec<Param> {
        let owner_uuid = self.owner.and_then(|owner| owner.parse::<Uuid>().ok());
        vec![
            text(self.bucket),
            text(self.name),
            optional(owner_uuid),
            optional(self.owner),
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
