//! Tells the webhook of changed objects and buckets (CONTRACT.md M05).
//!
//! A change queues its events in its own transaction (`_banyan.storage_note_objects`), so none is
//! lost and none is told of a change that was rolled back. One node at a time empties the queue, in
//! the order of the ids. An event leaves the queue once the webhook has answered with 2xx, so it is
//! told at least once. An event that fails is tried again after a pause, and those behind it wait:
//! a webhook that is away hears of everything in order when it is back. They do not wait for an
//! event that the webhook itself refuses. Such an event is dropped after [`MOST_REFUSALS`] tries,
//! any other one after a day. The oldest go where too many wait.
//!
//! The address is a setting of the operator. No user can change it, so it may lead anywhere.

use std::time::Duration;

use banyan_db::Leases;
use banyan_identity::Clock;
use tokio_util::sync::CancellationToken;

use crate::{
    error::StorageError,
    service::State,
    store::events::{Events, QueuedEvent},
};

/// One event on its way to the webhook.
mod webhook;

use webhook::{Failure, Webhook};

/// Time between two looks at the queue.
const ROUND: Duration = Duration::from_secs(1);

/// Longest pause between two tries.
const LONGEST_PAUSE: time::Duration = time::Duration::minutes(5);

/// How long an event is tried.
const LIFE: time::Duration = time::Duration::days(1);

/// Tries of an event that the webhook refuses. They take a quarter of an hour together.
const MOST_REFUSALS: u32 = 10;

/// Events that may wait.
const MOST_WAITING: u32 = 100_000;

/// Tells the webhook of the settings, if there is one, until `stop`. Where there is none, changes
/// are not queued.
///
/// Failures of the database or of the webhook are logged and tried again; none ends the task.
pub async fn tell_webhook(state: State, leases: Leases, clock: Clock, stop: CancellationToken) {
    let service = state.service();
    let events = Events::new(&service.database);
    let webhook = Webhook::of(&service.settings);
    let teller = async {
        switch(&events, webhook.is_some()).await;
        if let Some(webhook) = &webhook {
            Teller { events: &events, webhook, clock: &clock }.run(&leases).await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = teller => {}
    }
    leases.wait_released().await;
}

/// Turns the triggers on or off, which a database that is away delays.
async fn switch(events: &Events, is_on: bool) {
    while let Err(error) = events.switch(is_on).await {
        tracing::warn!(%error, "storage: the queue of events cannot be turned on or off");
        tokio::time::sleep(ROUND).await;
    }
}

struct Teller<'a> {
    events: &'a Events,
    webhook: &'a Webhook,
    clock: &'a Clock,
}

impl Teller<'_> {
    /// Empties the queue whenever no other node does. It never ends.
    async fn run(&self, leases: &Leases) {
        loop {
            match leases.claim("storage events", Duration::ZERO).await {
                Ok(Some(lease)) => tokio::select! {
                    () = lease.lost() => {}
                    () = self.empty_queue() => {}
                },
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "storage: the webhook waits for the database"),
            }
            tokio::time::sleep(ROUND).await;
        }
    }

    async fn empty_queue(&self) {
        loop {
            match self.tell_what_is_due().await {
                // More may be due.
                Ok(true) => {}
                Ok(false) => tokio::time::sleep(ROUND).await,
                Err(error) => {
                    tracing::warn!(%error, "storage: the queue of events failed");
                    tokio::time::sleep(ROUND).await;
                }
            }
        }
    }

    /// Tells what is due, and whether all of it was told and there was some.
    async fn tell_what_is_due(&self) -> Result<bool, StorageError> {
        let due = self.events.due(self.clock.now()).await?;
        let mut is_all_told = !due.is_empty();
        for event in &due {
            is_all_told = self.tell(event).await?;
            if !is_all_told {
                break;
            }
        }
        self.events.keep_last(MOST_WAITING).await?;
        Ok(is_all_told)
    }

    /// Tells one event, and whether the next one may be told.
    async fn tell(&self, event: &QueuedEvent) -> Result<bool, StorageError> {
        let now = self.clock.now();
        let Err(failure) = self.webhook.post(event, now).await else {
            self.events.remove(event.id).await?;
            return Ok(true);
        };
        tracing::warn!(
            event.id,
            event.kind,
            event.tries,
            %failure,
            "storage: the webhook did not take an event"
        );
        let is_refused = matches!(failure, Failure::Refused(_));
        if is_refused && event.tries + 1 >= MOST_REFUSALS || now - event.since > LIFE {
            tracing::error!(event.id, event.kind, "storage: an event is dropped");
            self.events.remove(event.id).await?;
            return Ok(true);
        }
        self.events.put_off(event.id, now + pause(event.tries), is_refused).await?;
        Ok(is_refused)
    }
}

/// Seconds that double with each try.
fn pause(tries: u32) -> time::Duration {
    time::Duration::seconds(1 << tries.min(16)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: M05
    #[test]
    fn pauses_grow_up_to_five_minutes() {
        let seconds = [0, 1, 4, 8, 9, 4_000_000_000].map(|tries| pause(tries).whole_seconds());
        assert_eq!(seconds, [1, 2, 16, 256, 300, 300]);
    }
}
