//! Background removal of bytes that no row names any more (CONTRACT.md K03, K09, K10).
//!
//! Endpoints delete the bytes of what they removed; this comes to the rest. Every minute it drains
//! the queue of garbage and gives up unfinished uploads that have expired. Once a day it compares
//! all blobs with all rows. A blob without a row goes to the trash, where it lies for seven days.
//! One node does it for all, and nothing here holds more than a few thousand keys.

use std::{sync::Arc, time::Duration};

use banyan_db::Leases;
use banyan_identity::Clock;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::{State, context::ServiceContext, domain::garbage, error::StorageError, resumable};

/// Blobs compared with rows.
mod comparison;

/// Blobs without a row, and what becomes of them.
mod orphans;

/// Unfinished uploads of S3 that nobody completes.
mod unfinished;

/// The lease under which one node removes what is queued.
const QUEUE_LEASE: &str = "garbage of storage";
/// The lease under which one node compares blobs with rows.
const DAILY_LEASE: &str = "sweep of storage";
/// Pause between two rounds.
const PAUSE: Duration = Duration::from_secs(60);
/// Pause between two comparisons.
const DAY: Duration = Duration::from_secs(86_400);
/// Versions that are taken from the queue at a time.
const BATCH: u32 = 500;
/// Most batches in a round. It limits the round of a large backlog.
const BATCHES: usize = 200;

/// What a sweep did.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Swept {
    /// Versions that left the queue of garbage.
    pub garbage: u64,
    /// Unfinished uploads that were given up.
    pub uploads: u64,
    /// Blobs that lie in the back end.
    pub blobs: u64,
    /// Blobs without a row that are older than a day.
    pub orphans: u64,
    /// Bytes of these.
    pub orphan_bytes: u64,
    /// Those of them that went to the trash.
    pub discarded: u64,
    /// Objects whose bytes are missing.
    pub missing: u64,
}

/// Sweeps, round after round, each on one node of all, until it is told to stop. Dropping the
/// future is safe.
pub async fn sweep(state: State, leases: Leases, clock: Clock, stop: CancellationToken) {
    let rounds = async {
        loop {
            round(&state, &leases, &clock).await;
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = rounds => {}
    }
    leases.wait_released().await;
}

async fn round(state: &State, leases: &Leases, clock: &Clock) {
    let service = state.service();
    for (work, every) in [(QUEUE_LEASE, PAUSE), (DAILY_LEASE, DAY)] {
        let lease = match leases.claim(work, every).await {
            Ok(Some(lease)) => lease,
            Ok(None) => continue,
            Err(error) => {
                tracing::warn!(%error, "storage: nothing is swept: the database does not answer");
                return;
            }
        };
        let mut swept = Swept::default();
        let done = tokio::select! {
            done = part(service, work, clock.now(), &mut swept) => done,
            () = lease.lost() => Ok(()),
        };
        report(done, &swept);
    }
}

async fn part(
    service: &Arc<ServiceContext>,
    work: &str,
    now: OffsetDateTime,
    swept: &mut Swept,
) -> Result<(), StorageError> {
    match work {
        QUEUE_LEASE => drain(service, now, swept).await,
        _ => comparison::run(service, now, swept).await,
    }
}

fn report(done: Result<(), StorageError>, swept: &Swept) {
    if let Err(error) = done {
        tracing::warn!(%error, "storage: a sweep ended early");
    }
    if *swept != Swept::default() {
        tracing::info!(?swept, "storage: swept");
    }
}

/// Sweeps once, all of it, whoever else does.
///
/// # Errors
/// What the database or the back end says, as a text for the log.
pub async fn sweep_now(state: &State, now: OffsetDateTime) -> Result<Swept, String> {
    let mut swept = Swept::default();
    let service = state.service();
    let done = async {
        drain(service, now, &mut swept).await?;
        comparison::run(service, now, &mut swept).await
    };
    done.await.map_err(|error: StorageError| format!("{error:?}"))?;
    Ok(swept)
}

/// Removes what is queued or has expired.
async fn drain(
    service: &Arc<ServiceContext>,
    now: OffsetDateTime,
    swept: &mut Swept,
) -> Result<(), StorageError> {
    for _ in 0..BATCHES {
        // Versions of another database may be what objects have here.
        if !service.is_matched().await {
            return Ok(());
        }
        let gone = garbage::drain(service, now.unix_timestamp(), BATCH).await?;
        swept.garbage += gone as u64;
        if gone < BATCH as usize {
            break;
        }
    }
    for _ in 0..BATCHES {
        let ended = resumable::abort_expired(service, now).await? + unfinished::abort(service, now).await?;
        swept.uploads += ended;
        if ended == 0 {
            break;
        }
    }
    Ok(())
}
