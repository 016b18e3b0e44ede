//! Versions whose bytes are to be deleted (`_banyan.storage_garbage`).

use banyan_db::{OwnDatabase, Rows, Statement};

use super::{json_texts, text};
use crate::{error::StorageError, model::Version};

/// The endpoint that made them has a minute to come to them itself.
const QUEUED: &str = "
select version,
       exists (select from storage.objects where objects.version = garbage.version::text)
       or exists (
         select from storage.s3_multipart_uploads as upload where upload.version = garbage.version::text
       )
       or exists (select from _banyan.storage_uploads where id = garbage.version and not finished)
from _banyan.storage_garbage as garbage
where since < to_timestamp($1::bigint) - interval '1 minute'
order by since
limit $2::integer";

const FORGET: &str = "
delete from _banyan.storage_garbage
where version in (select asked.version::uuid from json_array_elements_text($1::json) as asked (version))";

/// A version of the queue.
pub(crate) struct Queued {
    pub(crate) version: Version,
    /// `true`: an object or an unfinished upload has it after all, as after a restored dump.
    pub(crate) is_live: bool,
}

/// The oldest versions of the queue, at most `most`. `now` is in seconds.
pub(crate) async fn queued(db: &OwnDatabase, now: i64, most: u32) -> Result<Vec<Queued>, StorageError> {
    let params = vec![text(&now.to_string()), text(&most.to_string())];
    let rows = db.read(&Statement::new(QUEUED, params)).await?;
    (0..rows.rows.len()).map(|row| read(&rows, row)).collect::<Option<_>>().ok_or(MALFORMED)
}

fn read(rows: &Rows, row: usize) -> Option<Queued> {
    let version = Version(rows.text(row, 0)?.parse().ok()?);
    Some(Queued { version, is_live: rows.text(row, 1)? == "t" })
}

/// Takes versions off the queue.
pub(crate) async fn forget(db: &OwnDatabase, versions: &[Version]) -> Result<(), StorageError> {
    let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
    db.write(&Statement::new(FORGET, vec![json_texts(&versions)]), &[]).await?;
    Ok(())
}

const MALFORMED: StorageError = StorageError::Internal("a row of garbage cannot be read");
