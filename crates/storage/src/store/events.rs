//! The table `_banyan.storage_events`, by the service's own login.

use banyan_db::{Database, Login, OwnDatabase, Param, Rows, RunError, Statement};
use serde_json::Value;
use time::OffsetDateTime;

use crate::error::StorageError;

/// Changes that the webhook is still to be told of.
pub(crate) struct Events {
    database: OwnDatabase,
}

/// A change that the webhook is to be told of.
#[derive(Debug)]
pub(crate) struct QueuedEvent {
    pub(crate) id: i64,
    /// Such as `ObjectCreated:Post`.
    pub(crate) kind: String,
    pub(crate) payload: Value,
    /// When the change was made.
    pub(crate) since: OffsetDateTime,
    /// Tries so far.
    pub(crate) tries: u32,
}

const SWITCH: &str = "select _banyan.storage_set_events($1)";

/// The first row decides: an event that waits for its next try holds up those behind it. One that
/// was refused holds up none.
const DUE: &str = "
select id, type, payload, floor(extract(epoch from created_at) * 1000)::bigint, attempts
from (
  select *
  from _banyan.storage_events
  where not refused
    or next_at <= $1
  order by id
  limit 100
) as first_rows
where (
  select attempts = 0 or next_at <= $1
  from _banyan.storage_events
  where not refused
  order by id
  limit 1
) is not false
order by id";

const REMOVE: &str = "delete from _banyan.storage_events where id = $1";

const CLEAR: &str = "delete from _banyan.storage_events";

const KEEP_LAST: &str = "
delete from _banyan.storage_events
where id <= (select id from _banyan.storage_events order by id desc offset $1::bigint limit 1)";

const PUT_OFF: &str = "
update _banyan.storage_events
set attempts = attempts + 1, next_at = $2, refused = $3
where id = $1";

impl Events {
    pub(crate) fn new(database: &Database) -> Self {
        Self { database: database.own(Login::StorageAdmin) }
    }

    /// Begins or ends to queue changes. Uploads wait meanwhile. Where it ends, what waited is
    /// deleted.
    pub(crate) async fn switch(&self, is_on: bool) -> Result<(), RunError> {
        self.write(SWITCH, vec![Param::text(is_on.to_string())]).await?;
        if is_on { Ok(()) } else { self.write(CLEAR, Vec::new()).await }
    }

    /// Removes all but the last `most` events.
    pub(crate) async fn keep_last(&self, most: u32) -> Result<(), StorageError> {
        Ok(self.write(KEEP_LAST, vec![Param::text(most.to_string())]).await?)
    }

    /// The first events, none before the first one's next try is due. Refused ones stand among
    /// them once they are due.
    pub(crate) async fn due(&self, now: OffsetDateTime) -> Result<Vec<QueuedEvent>, StorageError> {
        let rows = self.database.read(&Statement::new(DUE, vec![moment(now)])).await?;
        Ok((0..rows.rows.len()).filter_map(|row| event(&rows, row)).collect())
    }

    /// Removes an event that was told.
    pub(crate) async fn remove(&self, id: i64) -> Result<(), StorageError> {
        Ok(self.write(REMOVE, vec![Param::text(id.to_string())]).await?)
    }

    /// Counts a try that failed, and says when the next one is due. Those behind an event wait for
    /// it, unless it was refused.
    pub(crate) async fn put_off(
        &self,
        id: i64,
        until: OffsetDateTime,
        is_refused: bool,
    ) -> Result<(), StorageError> {
        let params = vec![Param::text(id.to_string()), moment(until), Param::text(is_refused.to_string())];
        Ok(self.write(PUT_OFF, params).await?)
    }

    async fn write(&self, sql: &'static str, params: Vec<Param>) -> Result<(), RunError> {
        self.database.write(&Statement::new(sql, params), &[]).await.map(drop)
    }
}

fn event(rows: &Rows, row: usize) -> Option<QueuedEvent> {
    let milliseconds: i128 = rows.text(row, 3)?.parse().ok()?;
    Some(QueuedEvent {
        id: rows.text(row, 0)?.parse().ok()?,
        kind: rows.text(row, 1)?.to_owned(),
        payload: rows.get(row, 2).and_then(|json| serde_json::from_slice(json).ok())?,
        since: OffsetDateTime::from_unix_timestamp_nanos(milliseconds * 1_000_000).ok()?,
        tries: rows.text(row, 4)?.parse().ok()?,
    })
}

fn moment(time: OffsetDateTime) -> Param {
    Param::text(time.format(&time::format_description::well_known::Rfc3339).unwrap_or_default())
}
