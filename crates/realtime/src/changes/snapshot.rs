//! Whether commits of the log are seen by other transactions yet.
//!
//! The log brings a commit as soon as it is on disk. Only then does the server let others see its
//! rows: a moment later, or with synchronous replication once a standby has it. Who selects a row
//! earlier than that does not find it.

use std::{collections::HashSet, time::Duration};

use banyan_db::{Database, Login, RunError, Statement};
use tokio::time::sleep;

use super::{catalog, change::Change};

const SQL: &str = include_str!("snapshot.sql");
/// The pause before the snapshot is taken again. Each is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// After the longest, about a second has passed, and nobody waits longer.
const LONGEST_PAUSE: Duration = Duration::from_millis(512);

/// Waits until everybody sees the transactions of these changes. Where that takes too long, or
/// cannot be found out, the log says so.
pub(super) async fn wait_until_seen(database: &Database, changes: &[Change]) {
    let xids: HashSet<u32> = changes.iter().map(|change| change.xid).collect();
    match try_wait(database, &xids).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!("committed rows are not seen after a second; changes may be lost"),
        Err(error) => tracing::warn!(error.message = %error, "it is not known whether commits are seen"),
    }
}

/// False when they were not seen in time.
async fn try_wait(database: &Database, xids: &HashSet<u32>) -> Result<bool, RunError> {
    let mut pause = FIRST_PAUSE;
    while !Snapshot::take(database).await?.sees_all(xids) {
        if pause > LONGEST_PAUSE {
            return Ok(false);
        }
        sleep(pause).await;
        pause *= 2;
    }
    Ok(true)
}

/// Which transactions are seen. Ids have 32 bits, as in the log, so they begin anew after the last.
#[derive(Debug)]
struct Snapshot {
    /// Transactions with this id or a later one had not ended.
    end: u32,
    running: HashSet<u32>,
}

impl Snapshot {
    async fn take(database: &Database) -> Result<Self, RunError> {
        let rows = database.own(Login::RealtimeAdmin).read(&Statement::new(SQL, vec![])).await?;
        let taken: Option<(u32, HashSet<u32>)> = catalog::parse(rows.get(0, 0))?;
        let (end, running) = taken.ok_or_else(|| RunError::Protocol("no snapshot".into()))?;
        Ok(Self { end, running })
    }

    fn sees_all(&self, xids: &HashSet<u32>) -> bool {
        xids.iter().all(|xid| self.sees(*xid))
    }

    fn sees(&self, xid: u32) -> bool {
        let is_before_end = xid.wrapping_sub(self.end) > u32::MAX / 2;
        is_before_end && !self.running.contains(&xid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_sees_what_ended_before_it_across_the_last_id() {
        let snapshot = Snapshot { end: 5, running: HashSet::from([3, u32::MAX]) };
        for (xid, seen) in [(2, true), (3, false), (4, true), (5, false), (6, false)] {
            assert_eq!(snapshot.sees(xid), seen, "{xid}");
        }
        assert!(snapshot.sees_all(&HashSet::from([2, 4, u32::MAX - 1])));
        assert!(!snapshot.sees_all(&HashSet::from([2, u32::MAX])));
    }
}
