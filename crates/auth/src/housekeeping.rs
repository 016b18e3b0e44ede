//! Background removal (CONTRACT.md N1, AN4, L7): a few rows at a time, never one in use.

use std::time::Duration;

use banyan_db::Leases;
use banyan_identity::Clock;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::{
    State,
    context::ServiceContext,
    domain::enumeration_guard,
    store::housekeeping::{self, Ended, MOST},
};

/// The name of the lease under which one node removes what has ended for all.
const LEASE: &str = "housekeeping of auth";
/// Pause between two rounds.
const PAUSE: Duration = Duration::from_secs(60);
/// Most statements of one kind in a round. It limits the round of a large backlog.
const ROUNDS: usize = 50;

/// Removes ended rows, round after round, each on one node of all, until it is told to stop, unless
/// `[auth] cleanup = false` in banyan.toml. Then it waits a few seconds at most for detached tasks.
/// Dropping the future is safe.
pub async fn housekeep(state: State, leases: Leases, clock: Clock, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = rounds(&state, &leases, &clock) => {}
    }
    enumeration_guard::wait_for_detached(state.service()).await;
    leases.wait_released().await;
}

async fn rounds(state: &State, leases: &Leases, clock: &Clock) {
    while state.service().settings.cleanup {
        match leases.claim(LEASE, PAUSE).await {
            Ok(Some(lease)) => tokio::select! {
                rows = clean(state, clock.now()) => {
                    if rows > 0 {
                        tracing::info!(rows, "removed what had ended");
                    }
                }
                () = lease.lost() => {}
            },
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(error = %error, "what has ended is not removed: the database does not answer")
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
    std::future::pending().await
}

/// One round. Returns how many rows it removed. A kind that cannot be removed, for example users to
/// whom a table of the project refers, is named in the log. The other kinds go on.
pub async fn clean(state: &State, now: OffsetDateTime) -> u64 {
    let service = state.service();
    let mut removed = 0;
    for ended in Ended::all(&service.settings) {
        for _ in 0..ROUNDS {
            let rows = match housekeeping::remove(&service.pool, ended, now).await {
                Ok(rows) => rows,
                Err(error) => {
                    tracing::warn!(kind = ?ended, error = %error, "something that has ended cannot be removed");
                    removed += one_by_one(service, ended, now).await;
                    break;
                }
            };
            removed += rows;
            if rows < MOST {
                break;
            }
        }
    }
    removed
}

/// Removes rows of a kind one by one, because one of them cannot be removed.
async fn one_by_one(service: &ServiceContext, ended: Ended, now: OffsetDateTime) -> u64 {
    let Ended::AnonymousUsers = ended else { return 0 };
    let ids = housekeeping::idle_anonymous_users(&service.pool, ended, now).await.unwrap_or_default();
    let mut removed = 0;
    for id in ids {
        removed += housekeeping::remove_user(&service.pool, id).await.unwrap_or(0);
    }
    removed
}
