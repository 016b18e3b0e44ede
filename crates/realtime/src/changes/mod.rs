//! Changes of rows, and broadcasts from the database: both come out of one stream of the
//! write-ahead log.
//!
//! A change goes through these modules, from the bottom of the list to its top: the log is read by
//! one node ([`log`]), decoded ([`pgoutput`]) and routed to the worker of its table ([`worker`]),
//! which evaluates filters ([`table`]), asks row-level security ([`visibility`]) and delivers.

/// The stream of the log, on the one node that reads it.
mod log;

/// Messages of the log, handed on.
mod router;

/// Rows of `realtime.messages`.
mod database_broadcast;

/// The subscriptions of this node.
mod subscriptions;

/// Entries against the database.
mod resolve;

/// One table's changes, on the way to those who may see them.
mod worker;

/// Changes handed to channels.
mod delivery;

/// What a channel receives of a change.
mod payload;

/// Which rows an identity may see.
mod visibility;

/// Who wants to hear of one table's changes.
mod table;

/// Values as JSON, each rendered once.
mod rendered;

/// Comparisons that only PostgreSQL knows.
mod questions;

/// Filters in memory.
mod conditions;

/// A change of one row.
mod change;

/// What the catalogue says of a table and of a role's rights on it.
mod catalog;

/// Values as JSON.
mod values;

/// How values of a type become JSON.
mod types;

/// Arrays in PostgreSQL's text format.
mod arrays;

/// Whom row-level security takes two subscribers for.
mod identity;

/// What channels are, seen from here.
mod receiver;

/// Entries of `postgres_changes`, as clients write them.
mod entry;

/// Messages of PostgreSQL's output plugin.
pub mod pgoutput;

use std::{sync::Arc, time::Duration};

use banyan_db::Database;
use banyan_identity::Caller;
pub(crate) use entry::entry_id;
pub(crate) use receiver::{Receiver, SystemMessage};
pub(crate) use router::BroadcastSink;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    entry::Entry,
    identity::Identity,
    log::{LogReader, Status},
    resolve::SubscribeError,
    subscriptions::{Channel, Subscriptions},
};

/// What was refused for reasons of the moment is tried again after so long (CONTRACT.md G4).
const RETRY: Duration = Duration::from_secs(5);
/// What is told of changes that may not have been delivered.
const LOST: &str = "Connection to the database lost, changes may be missing";

/// Row changes and database broadcasts of one database. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Changes(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    subscriptions: Arc<Subscriptions>,
    log: Arc<LogReader>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// A channel's subscription. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Subscription {
    changes: Changes,
    channel: Arc<Channel>,
    /// Ends the attempts to enter it.
    ended: CancellationToken,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.ended.cancel();
        self.changes.0.subscriptions.leave(&self.channel);
    }
}

impl Changes {
    /// Makes ready for subscriptions. Nothing is read before [`Changes::start_log`].
    pub(crate) fn new(database: &Database, broadcasts: Arc<dyn BroadcastSink>) -> Self {
        let subscriptions = Arc::new(Subscriptions::new(database.clone()));
        let log = LogReader::new(database.clone(), Arc::clone(&subscriptions), broadcasts);
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        Self(Arc::new(Shared { subscriptions, log: Arc::new(log), tasks, stop }))
    }

    /// Begins to read the log, if nobody did. Changes and broadcasts of transactions that commit
    /// before it runs are not heard of.
    pub(crate) fn start_log(&self) {
        if !self.0.log.starts() {
            return;
        }
        let Shared { tasks, stop, .. } = &*self.0;
        let (log, stopping) = (Arc::clone(&self.0.log), stop.clone());
        tasks.spawn(async move { log.run(&stopping).await });
        let log = Arc::clone(&self.0.log);
        tasks.spawn(stop.clone().run_until_cancelled_owned(async move { log.watch_publication().await }));
        tasks.spawn(stop.clone().run_until_cancelled_owned(self.clone().follow_log()));
    }

    /// Whether the log is read, on this node or another: waits until it is (CONTRACT.md L16).
    pub(crate) async fn log_runs(&self) {
        let mut status = self.0.log.status();
        let _ = status.wait_for(Status::is_running).await;
    }

    /// Subscribes a channel. What becomes of it the channel is told by `system` messages
    /// (CONTRACT.md G3, G4); the subscription is kept meanwhile.
    pub(crate) fn subscribe(
        &self,
        caller: Caller,
        entries: &[Map<String, Value>],
        receiver: Arc<dyn Receiver>,
    ) -> Option<Subscription> {
        self.start_log();
        let entries: Result<Vec<Entry>, String> = entries.iter().map(Entry::parse).collect();
        let entries = match entries {
            Ok(entries) => entries,
            Err(reason) => {
                receiver.system(&SystemMessage::Error(reason));
                return None;
            }
        };
        let channel = self.0.subscriptions.note(Identity::new(caller), entries, receiver);
        let ended = self.0.stop.child_token();
        let entering = ended.clone().run_until_cancelled_owned(self.clone().enter(Arc::clone(&channel)));
        self.0.tasks.spawn(entering);
        Some(Subscription { changes: self.clone(), channel, ended })
    }

    /// Ends everything: the stream in order, then the rest.
    pub(crate) async fn stop(&self) {
        self.0.stop.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }

    /// Enters a channel as soon as that is possible, and tells it.
    async fn enter(self, channel: Arc<Channel>) {
        let mut status = self.0.log.status();
        loop {
            let current = status.borrow_and_update().clone();
            let is_running = current.is_running();
            let problem = match current {
                Status::Starting => None,
                Status::Unreadable(reason) => Some(reason.to_string()),
                Status::Running(_) => match self.0.subscriptions.enter(&channel).await {
                    Ok(()) => return channel.confirm(),
                    Err(SubscribeError::Wrong(reason)) => {
                        self.0.subscriptions.leave(&channel);
                        return channel.tell(&SystemMessage::Error(reason));
                    }
                    Err(SubscribeError::Failed(reason)) => Some(reason),
                },
            };
            if let Some(problem) = problem {
                channel.tell(&SystemMessage::Error(problem));
            }
            wait_for_change(&mut status, is_running).await;
        }
    }

    /// Announces gaps in the log, and enters every channel anew after them, and when the publication
    /// has changed (CONTRACT.md G1).
    async fn follow_log(self) {
        let mut status = self.0.log.status();
        let mut was_running = status.borrow_and_update().is_running();
        while status.changed().await.is_ok() {
            let is_running = status.borrow_and_update().is_running();
            for channel in self.0.subscriptions.channels() {
                if is_running && channel.takes_confirmation() {
                    let entering = self.clone().enter(channel);
                    self.0.tasks.spawn(self.0.stop.clone().run_until_cancelled_owned(entering));
                } else if was_running && channel.is_confirmed() {
                    channel.tell(&SystemMessage::Error(LOST.to_owned()));
                }
            }
            was_running = is_running;
        }
    }
}

/// Waits until the log's status changes. While the log runs, it does not wait for longer than
/// [`RETRY`].
async fn wait_for_change(status: &mut watch::Receiver<Status>, is_running: bool) {
    let changed = status.changed();
    if is_running {
        let _ = tokio::time::timeout(RETRY, changed).await;
    } else {
        let _ = changed.await;
    }
}

#[cfg(test)]
mod tests;
