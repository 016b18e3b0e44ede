//! What runs beside the requests, and how it ends.

use std::{sync::Arc, time::Duration};

use banyan_config::Keys;
use banyan_db::{Database, Leases};
use banyan_identity::{Clock, Keyring};
use banyan_mail::{MailQueue, Shutdown, SmtpSettings};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{functions::Functions, readiness::Readiness, signing_keys};

/// What runs beside the requests.
pub(crate) struct Background {
    pub(crate) functions: Functions,
    pub(crate) readiness: Readiness,
    pub(crate) tasks: Tasks,
}

impl Background {
    /// Ends functions within `grace`, then the tasks, then the connections.
    pub(crate) async fn stop(self, grace: Duration) {
        if let Some(edge) = &self.functions.edge {
            edge.shut_down(grace).await;
        }
        self.tasks.end(grace_of_tasks(grace)).await;
        self.readiness.database.close().await;
    }
}

/// What the tasks get of a stop: what becomes of mails that are on their way has to be noted,
/// however little time requests have.
fn grace_of_tasks(grace: Duration) -> Duration {
    const LEAST: Duration = Duration::from_secs(5);
    grace.max(LEAST)
}

/// Tasks that end with the server.
pub(crate) struct Tasks {
    stop: CancellationToken,
    clock: Clock,
    database: Database,
    running: Vec<JoinHandle<()>>,
}

impl Tasks {
    pub(crate) fn new(clock: Clock, database: Database) -> Self {
        Self { stop: CancellationToken::new(), clock, database, running: Vec::new() }
    }

    /// For work that one node does for all; each task waits for the release of its own.
    fn leases(&self) -> Leases {
        Leases::new(self.database.clone())
    }

    /// Sends the mails that wait. At the stop they have at least the `grace` of requests.
    pub(crate) fn send_mails(&mut self, queue: MailQueue, smtp: SmtpSettings, grace: Duration) {
        let stop = Shutdown::within(grace_of_tasks(grace), self.stop.clone());
        self.spawn(banyan_mail::drain(queue, smtp, self.clock.clone(), stop));
    }

    /// Reads the schema again whenever it changes.
    pub(crate) fn follow_schema(&mut self, rest: Arc<banyan_rest::State>) {
        let stop = self.stop.clone();
        self.spawn(async move { rest.follow(stop).await });
    }

    /// Removes what auth needs no more.
    pub(crate) fn keep_auth_tidy(&mut self, auth: banyan_auth::State) {
        self.spawn(banyan_auth::housekeep(auth, self.leases(), self.clock.clone(), self.stop.clone()));
    }

    /// Removes bytes that no object has any more, and tells the webhook of changes.
    pub(crate) fn keep_storage_tidy(&mut self, storage: &banyan_storage::State) {
        let (clock, stop) = (self.clock.clone(), self.stop.clone());
        self.spawn(banyan_storage::sweep(storage.clone(), self.leases(), clock.clone(), stop.clone()));
        self.spawn(banyan_storage::tell_webhook(storage.clone(), self.leases(), clock, stop));
    }

    /// Tells sockets of presence, hears the other nodes, and makes and drops the partitions that
    /// messages of realtime lie in.
    pub(crate) fn run_realtime(&mut self, realtime: banyan_realtime::State) {
        self.spawn(realtime.run(self.stop.clone()));
        self.spawn(banyan_realtime::keep_partitions(self.database.clone(), self.leases(), self.stop.clone()));
    }

    /// Takes changed signing keys over.
    pub(crate) fn follow_signing_keys(
        &mut self,
        keys: Keys,
        keyring: Arc<Keyring>,
        changed: impl Fn() + Send + Sync + 'static,
    ) {
        self.spawn(signing_keys::follow(keys, keyring, changed, self.stop.clone()));
    }

    /// Loads functions again whenever they change, and calls those that have a schedule.
    pub(crate) fn run_functions(&mut self, edge: Arc<banyan_edge::State>) {
        let (watched, stop) = (Arc::clone(&edge), self.stop.clone());
        self.spawn(async move {
            if let Err(error) = watched.watch(stop).await {
                tracing::error!(error = %error, "functions are not reloaded when they change");
            }
        });
        self.spawn(call_scheduled(edge, self.clock.clone(), self.leases(), self.stop.clone()));
    }

    fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.running.push(tokio::spawn(task));
    }

    async fn end(self, grace: Duration) {
        self.stop.cancel();
        for task in self.running {
            if tokio::time::timeout(grace, task).await.is_err() {
                tracing::warn!("a background task did not stop in time");
            }
        }
    }
}

/// Calls scheduled functions, each on one node at a time (product decision D17).
async fn call_scheduled(
    edge: Arc<banyan_edge::State>,
    clock: Clock,
    leases: Leases,
    stop: CancellationToken,
) {
    let claimed = leases.clone();
    let try_claim = move |function: String, every: Duration| {
        let leases = claimed.clone();
        async move {
            let lease = leases.claim(&format!("schedule of {function}"), every).await;
            let lease = lease.unwrap_or_else(|error| {
                tracing::warn!(function, error = %error, "a scheduled call is left out: the database does not answer");
                None
            });
            lease.map(|lease| async move { lease.lost().await })
        }
    };
    banyan_edge::schedules::run(edge, clock, try_claim, stop).await;
    leases.wait_released().await;
}
