//! Changes of rows, and broadcasts from the database: both come out of one stream of the
//! write-ahead log.
//!
//! A change goes through these modules, from the bottom of the list to its top: the log is read by
//! one node ([`log`]), decoded ([`pgoutput`]) and routed to the worker of its table ([`worker`]),
//! which evaluates filters ([`table`]), asks row-level security ([`visibility`]) and delivers.

/// The stream of the log, on the one node that reads it.
mod log;

/// The log as another node sends it.
mod follower;

/// The log for other nodes.
mod packets;

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

/// Whether commits of the log are seen yet.
mod snapshot;

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

/// Entries of `postgres_changes`, as clients write them.
mod entry;

/// What row changes work with.
mod context;

/// Messages of PostgreSQL's output plugin.
pub mod pgoutput;

use std::{sync::Arc, time::Duration};

use banyan_identity::Caller;
use bytes::Bytes;
pub(crate) use context::ChangesContext;
pub(crate) use entry::entry_id;
use serde_json::{Map, Value};
use tokio::{sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    entry::Entry,
    identity::Identity,
    log::{LogReader, Status},
    resolve::SubscribeError,
    subscriptions::{EXTENSION, Subscriber, Subscriptions},
};
use crate::channel_sender::ChannelSender;

/// What was refused for reasons of the moment is tried again after so long (CONTRACT.md G4).
const RETRY: Duration = Duration::from_secs(5);
/// A client that asks to be told waits for the log no longer.
const LOG_STARTS_WITHIN: Duration = Duration::from_secs(30);
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
    subscriber: Arc<Subscriber>,
    /// Ends the attempts to enter it.
    ended: CancellationToken,
}

impl Subscription {
    /// From now on the channel is this caller's, by a newer token. It is told once that is so
    /// (CONTRACT.md T5).
    pub(crate) fn renew(&self, caller: &Caller) {
        self.subscriber.set_identity(Identity::new(caller.clone()));
        self.changes.spawn_enter(&self.subscriber, &self.ended);
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.ended.cancel();
        self.changes.0.subscriptions.leave(&self.subscriber);
    }
}

impl Changes {
    /// Makes ready for subscriptions. Nothing is read before [`Changes::start_log`].
    pub(crate) fn new(context: ChangesContext) -> Self {
        let subscriptions = Arc::new(Subscriptions::new(context.clone()));
        let log = LogReader::new(context, Arc::clone(&subscriptions));
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        Self(Arc::new(Shared { subscriptions, log: Arc::new(log), tasks, stop }))
    }

    /// How many channels of this node hear of row changes (CONTRACT.md M6).
    pub(crate) fn subscribers(&self) -> usize {
        self.0.subscriptions.count()
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

    /// Tells a channel once the log is read, and ends it where that takes too long (CONTRACT.md
    /// L16).
    pub(crate) fn announce_log(&self, sender: &ChannelSender) {
        self.start_log();
        let (mut status, sender) = (self.0.log.status(), sender.clone());
        let announcing = async move {
            let runs = status.wait_for(|status| status.stream().is_some());
            match timeout(LOG_STARTS_WITHIN, runs).await {
                Ok(_) => sender.system("system", true, "Replication connection established"),
                Err(_) => sender.end("Replication connection was not established in time"),
            }
        };
        self.0.tasks.spawn(self.0.stop.clone().run_until_cancelled_owned(announcing));
    }

    /// Subscribes a channel. It is told by `system` messages what becomes of it (CONTRACT.md G3,
    /// G4). None where its entries are wrong, or there are none.
    pub(crate) fn subscribe(
        &self,
        caller: &Caller,
        entries: &[Map<String, Value>],
        sender: &ChannelSender,
    ) -> Option<Subscription> {
        let entries: Vec<Entry> = match entries.iter().map(Entry::parse).collect() {
            Ok(entries) => entries,
            Err(problem) => {
                sender.system(EXTENSION, false, &problem);
                return None;
            }
        };
        if entries.is_empty() {
            return None;
        }
        self.start_log();
        let identity = Identity::new(caller.clone());
        let subscriber = self.0.subscriptions.note(identity, entries, sender.clone());
        let ended = self.0.stop.child_token();
        self.spawn_enter(&subscriber, &ended);
        Some(Subscription { changes: self.clone(), subscriber, ended })
    }

    /// Takes changes that another node read (CONTRACT.md N4).
    pub(crate) fn receive(&self, message: Bytes) {
        self.0.log.receive(message);
    }

    /// Ends everything: the stream in order, then the rest.
    pub(crate) async fn stop(&self) {
        self.0.stop.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }

    fn spawn_enter(&self, subscriber: &Arc<Subscriber>, ended: &CancellationToken) {
        let entering = self.clone().enter(Arc::clone(subscriber));
        self.0.tasks.spawn(ended.clone().run_until_cancelled_owned(entering));
    }

    /// Enters a channel as soon as that is possible, and tells it.
    async fn enter(self, subscriber: Arc<Subscriber>) {
        let mut status = self.0.log.status();
        loop {
            let current = status.borrow_and_update().clone();
            let is_running = current.stream().is_some();
            let problem = match current {
                Status::Starting => None,
                Status::Unreadable(reason) => Some(reason.to_string()),
                Status::Running { .. } => match self.0.subscriptions.enter(&subscriber).await {
                    Ok(true) => return subscriber.confirm(),
                    Ok(false) => return,
                    Err(SubscribeError::Wrong(reason)) => {
                        self.0.subscriptions.leave(&subscriber);
                        return subscriber.tell(&reason);
                    }
                    Err(SubscribeError::Failed(reason)) => Some(reason),
                },
            };
            problem.iter().for_each(|problem| subscriber.tell(problem));
            wait_for_change(&mut status, is_running).await;
        }
    }

    /// Announces gaps in the log, and enters every channel anew after them, and when the
    /// publication has changed (CONTRACT.md G1).
    async fn follow_log(self) {
        let mut status = self.0.log.status();
        let mut before = status.borrow_and_update().stream();
        while status.changed().await.is_ok() {
            let now = status.borrow_and_update().stream();
            for subscriber in self.0.subscriptions.all().into_iter().filter(|it| it.is_confirmed()) {
                if before.is_some() && now != before {
                    subscriber.tell(LOST);
                }
                if now.is_some() && subscriber.takes_confirmation() {
                    self.spawn_enter(&subscriber, &self.0.stop);
                }
            }
            before = now;
        }
    }
}

/// Waits until the log's status changes. While the log runs, it does not wait for longer than
/// [`RETRY`].
async fn wait_for_change(status: &mut watch::Receiver<Status>, is_running: bool) {
    let changed = status.changed();
    if is_running {
        let _ = timeout(RETRY, changed).await;
    } else {
        let _ = changed.await;
    }
}

#[cfg(test)]
mod tests;
