//! The stream of the log, on the one node that reads it.

use std::{
    collections::HashSet,
    convert::Infallible,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use banyan_db::{
    Login, Replication, ReplicationError, ReplicationEvent, ReplicationOptions, RunError, Statement,
};
use bytes::Bytes;
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    catalog,
    context::ChangesContext,
    database_broadcast,
    follower::Follower,
    packets::{Packet, Sender},
    router::Router,
    subscriptions::Subscriptions,
};

/// What is read: tables whose changes are for subscribers, and `realtime.messages`.
const PUBLICATIONS: [&str; 2] = ["supabase_realtime", "supabase_realtime_messages_publication"];
/// Of several nodes, the one that holds this advisory lock reads the log (CONTRACT.md N2).
const LEADER_LOCK: i64 = 0x7265_616c_7469_6d65;
/// First pause before another try to read the log; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// A node that does not read the log tries so often to take over.
const FOLLOWER_PAUSE: Duration = Duration::from_secs(2);
/// The tables of the publication are looked up so often (CONTRACT.md G1).
const PUBLICATION_PAUSE: Duration = Duration::from_secs(60);

/// The tables of the publication, by OID.
const PUBLISHED: &str = "select pg_catalog.json_agg(held.oid::int8)
    from pg_catalog.pg_publication_tables as published
    join pg_catalog.pg_namespace as schema on schema.nspname = published.schemaname
    join pg_catalog.pg_class as held
        on held.relname = published.tablename and held.relnamespace = schema.oid
    where published.pubname = 'supabase_realtime'";

/// How it stands with the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Status {
    /// Nobody reads it yet, or just now.
    Starting,
    /// It is read, by this node or another.
    Running {
        /// Another stream has another number: there is a gap between the two.
        stream: u64,
        /// Grows with each change of the publication.
        publication: u64,
    },
    /// It cannot be read, for this reason.
    Unreadable(Arc<str>),
}

impl Status {
    /// Which stream is read.
    pub(super) fn stream(&self) -> Option<u64> {
        match self {
            Self::Running { stream, .. } => Some(*stream),
            Self::Starting | Self::Unreadable(_) => None,
        }
    }
}

/// Reads the log, again and again until it works. While another node reads it, takes what that
/// node sends.
#[derive(Debug)]
pub(super) struct LogReader {
    context: ChangesContext,
    subscriptions: Arc<Subscriptions>,
    status: watch::Sender<Status>,
    is_started: AtomicBool,
    published: Mutex<HashSet<u32>>,
    /// A change came of a table that was not known to be published.
    found_table: Notify,
    follower: Mutex<Follower>,
    /// Whether this node reads the log itself.
    reads: AtomicBool,
}

impl LogReader {
    pub(super) fn new(context: ChangesContext, subscriptions: Arc<Subscriptions>) -> Self {
        let router = Router::new(context.clone(), Arc::clone(&subscriptions), false);
        Self {
            context,
            subscriptions,
            status: watch::Sender::new(Status::Starting),
            is_started: AtomicBool::new(false),
            published: Mutex::default(),
            found_table: Notify::new(),
            follower: Mutex::new(Follower::new(router)),
            reads: AtomicBool::new(false),
        }
    }

    pub(super) fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    /// Whether it was started before. From now on it was.
    pub(super) fn starts(&self) -> bool {
        !self.is_started.swap(true, Ordering::AcqRel)
    }

    /// Reads the log until it is told to stop.
    pub(super) async fn run(&self, stop: &CancellationToken) {
        let mut pause = FIRST_PAUSE;
        while !stop.is_cancelled() {
            match self.open().await {
                Ok(stream) => {
                    let since = Instant::now();
                    self.read(stream, stop).await;
                    // One that breaks at its first change is not tried at once again and again.
                    if since.elapsed() > LONGEST_PAUSE {
                        pause = FIRST_PAUSE;
                    }
                }
                Err(ReplicationError::Held) if self.context.bus.has_peers() => {
                    pause = FOLLOWER_PAUSE;
                    if !lock(&self.follower).hears() {
                        self.set(Status::Starting);
                    }
                }
                Err(error) => self.note_failure(&error),
            }
            let _ = timeout(pause, stop.cancelled()).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Takes what the node sent that reads the log.
    pub(super) fn receive(&self, packet: Bytes) {
        let Some(packet) = Packet::decode(packet) else {
            return tracing::warn!("row changes of another node are malformed");
        };
        if self.reads.load(Ordering::Acquire) {
            return;
        }
        let stream = lock(&self.follower).take(packet);
        match stream {
            Ok(stream) if self.status.borrow().stream() == Some(stream) => {}
            Ok(stream) => drop(self.set(Status::Running { stream, publication: 0 })),
            Err(error) => tracing::warn!(error.message = %error, "row changes of another node are malformed"),
        }
    }

    /// Looks up the tables of the publication from time to time, and when a new one is heard of.
    pub(super) async fn watch_publication(&self) {
        loop {
            let _ = timeout(PUBLICATION_PAUSE, self.found_table.notified()).await;
            self.subscriptions.forget_resolved();
            match self.look_up_published().await {
                Ok(true) => self.status.send_modify(|status| {
                    if let Status::Running { publication, .. } = status {
                        *publication += 1;
                    }
                }),
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(error.message = %error, "the tables of supabase_realtime could not be looked up");
                    sleep(FIRST_PAUSE).await;
                }
            }
        }
    }

    async fn open(&self) -> Result<Replication, ReplicationError> {
        self.look_up_published().await?;
        let options =
            ReplicationOptions { slot: "supabase_realtime", publications: &PUBLICATIONS, lock: LEADER_LOCK };
        self.context.database.replication(options).await
    }

    async fn read(&self, mut stream: Replication, stop: &CancellationToken) {
        tracing::info!("row changes and database broadcasts are read from the log");
        self.reads.store(true, Ordering::Release);
        self.set(Status::Running { stream: stream.start(), publication: 0 });
        let outcome = stop.run_until_cancelled(self.read_all(&mut stream)).await;
        self.set(Status::Starting);
        self.reads.store(false, Ordering::Release);
        match outcome {
            None => stream.close().await,
            Some(Ok(never)) => match never {},
            Some(Err(error)) => {
                tracing::warn!(error.message = %error, "the stream of the log was lost; changes may be missing");
            }
        }
    }

    async fn read_all(&self, stream: &mut Replication) -> Result<Infallible, RunError> {
        let mut router = Router::new(self.context.clone(), Arc::clone(&self.subscriptions), true);
        let mut sender = Sender::new(Arc::clone(&self.context.bus), stream.start());
        loop {
            match stream.next().await? {
                ReplicationEvent::Message(message) => {
                    sender.take(&message);
                    self.take(&mut router, message)?;
                }
                ReplicationEvent::Confirmed => sender.beat(),
                ReplicationEvent::Discarded { bytes } => {
                    tracing::warn!(change.bytes = bytes, "a row change is too large and is not announced");
                }
            }
        }
    }

    fn take(&self, router: &mut Router, message: Bytes) -> Result<(), RunError> {
        let relation = router.take(message).map_err(|error| RunError::Protocol(error.to_string()))?;
        if let Some(relation) = relation
            && !database_broadcast::is_table(&relation)
            && !lock(&self.published).contains(&relation.id)
        {
            self.found_table.notify_one();
        }
        Ok(())
    }

    /// Looks up the tables of the publication; says whether they are others than before.
    async fn look_up_published(&self) -> Result<bool, RunError> {
        let rows =
            self.context.database.own(Login::RealtimeAdmin).read(&Statement::new(PUBLISHED, vec![])).await?;
        let tables: HashSet<u32> = catalog::parse(rows.get(0, 0))?.unwrap_or_default();
        let mut published = lock(&self.published);
        let is_other = *published != tables;
        *published = tables;
        Ok(is_other)
    }

    fn note_failure(&self, error: &ReplicationError) {
        let reason = format!("Unable to read changes from the database: {error}");
        if self.set(Status::Unreadable(reason.into())) {
            tracing::warn!(error.message = %error, "the log cannot be read; row changes are not announced");
        }
    }

    fn set(&self, status: Status) -> bool {
        self.status.send_if_modified(|before| {
            let is_new = *before != status;
            *before = status;
            is_new
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
