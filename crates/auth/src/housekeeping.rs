//! What is removed in the background (auth.md N1, AN4, L7), a few rows at a time and never one that is in use.

use std::time::Duration;

use banyan_identity::Clock;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::{
    State,
    store::housekeeping::{self, Ended, MOST},
};

/// Pause between two rounds.
const PAUSE: Duration = Duration::from_secs(60);
/// Statements of one kind in a round at most: a round of a large backlog is bounded.
const ROUNDS: usize = 50;

/// Removes what has ended, round after round, until it is told to stop. With `[auth] cleanup = false` of banyan.toml it
/// returns at once. Dropping the future is safe.
pub async fn housekeep(state: State, clock: Clock, stop: CancellationToken) {
    if !state.inner().settings.cleanup {
        return;
    }
    loop {
        match clean(&state, clock.now()).await {
            Ok(0) => {}
            Ok(rows) => tracing::info!(rows, "removed what had ended"),
            Err(error) => tracing::warn!(error = %error, "housekeeping has to wait"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

/// One round; says how many rows it removed.
///
/// # Errors
/// When the database fails; what was removed before stays removed.
pub async fn clean(state: &State, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let inner = state.inner();
    let mut removed = 0;
    for ended in Ended::all(&inner.settings) {
        for _ in 0..ROUNDS {
            let rows = housekeeping::remove(&inner.pool, ended, now).await?;
            removed += rows;
            if rows < MOST {
                break;
            }
        }
    }
    Ok(removed)
}
