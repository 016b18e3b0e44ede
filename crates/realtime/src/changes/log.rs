//! The stream of the log, on the one node that reads it.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use banyan_db::{
    Database, Login, Replication, ReplicationError, ReplicationEvent, ReplicationOptions, RunError, Statement,
};
use bytes::Bytes;
use tokio::{
    sync::{Notify, watch},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    catalog,
    router::{BroadcastSink, Router},
    subscriptions::Subscriptions,
};

/// What is read: tables whose changes are for subscribers, and `realtime.messages`.
const PUBLICATIONS: [&str; 2] = ["supabase_realtime", "supabase_realtime_messages_publication"];
/// Of several nodes, the one that holds this advisory lock reads the log (CONTRACT.md N2).
const LEADER_LOCK: i64 = 0x7265_616c_7469_6d65;
/// First pause before another try to read the log; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
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
    /// It is read. The number grows with each change of the publication.
    Running(u64),
    /// It cannot be read, for this reason.
    Unreadable(Arc<str>),
}

impl Status {
    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }
}

/// Reads the log, again and again until it works.
#[derive(Debug)]
pub(super) struct LogReader {
    database: Database,
    subscriptions: Arc<Subscriptions>,
    broadcasts: Arc<dyn BroadcastSink>,
    status: watch::Sender<Status>,
    is_started: AtomicBool,
    /// Changes that were dropped because too many waited.
    dropped: Arc<AtomicU64>,
    published: Mutex<HashSet<u32>>,
    /// A change came of a table that was not known to be published.
    found_table: Notify,
}

impl LogReader {
    pub(super) fn new(
        database: Database,
        subscriptions: Arc<Subscriptions>,
        broadcasts: Arc<dyn BroadcastSink>,
    ) -> Self {
        Self {
            database,
            subscriptions,
            broadcasts,
            status: watch::Sender::new(Status::Starting),
            is_started: AtomicBool::new(false),
            dropped: Arc::default(),
            published: Mutex::default(),
            found_table: Notify::new(),
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
                    pause = FIRST_PAUSE;
                    self.read(stream, stop).await;
                }
                Err(error) => self.note_failure(&error),
            }
            let _ = timeout(pause, stop.cancelled()).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Looks up the tables of the publication from time to time, and when a new one is heard of.
    pub(super) async fn watch_publication(&self) {
        loop {
            let _ = timeout(PUBLICATION_PAUSE, self.found_table.notified()).await;
            self.subscriptions.forget_resolved();
            match self.look_up_published().await {
                Ok(true) => self.status.send_modify(|status| {
                    if let Status::Running(changes) = status {
                        *changes += 1;
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
        // Slots of the server have different names: of all its databases, by all processes.
        let slot = format!("supabase_realtime_{}_{:08x}", std::process::id(), slot_number());
        let options = ReplicationOptions { slot: &slot, publications: &PUBLICATIONS, lock: LEADER_LOCK };
        self.database.replication(options).await
    }

    async fn read(&self, mut stream: Replication, stop: &CancellationToken) {
        tracing::info!("row changes and database broadcasts are read from the log");
        self.set(Status::Running(0));
        let outcome = stop.run_until_cancelled(self.read_all(&mut stream)).await;
        self.set(Status::Starting);
        match outcome {
            None => stream.close().await,
            Some(Ok(never)) => match never {},
            Some(Err(error)) => {
                tracing::warn!(error.message = %error, "the stream of the log was lost; changes may be missing");
            }
        }
    }

    async fn read_all(&self, stream: &mut Replication) -> Result<std::convert::Infallible, RunError> {
        let mut router = Router::new(
            Arc::clone(&self.subscriptions),
            Arc::clone(&self.broadcasts),
            Arc::clone(&self.dropped),
        );
        loop {
            match stream.next().await? {
                ReplicationEvent::Message(message) => self.take(&mut router, message)?,
                ReplicationEvent::Discarded { bytes } => {
                    tracing::warn!(change.bytes = bytes, "a row change is too large and is not announced");
                }
            }
        }
    }

    fn take(&self, router: &mut Router, message: Bytes) -> Result<(), RunError> {
        let relation = router.take(message).map_err(|error| RunError::Protocol(error.to_string()))?;
        if let Some(relation) = relation
            && !super::database_broadcast::is_table(&relation)
            && !self.published.lock().unwrap_or_else(PoisonError::into_inner).contains(&relation.id)
        {
            self.found_table.notify_one();
        }
        Ok(())
    }

    /// Looks up the tables of the publication; says whether they are others than before.
    async fn look_up_published(&self) -> Result<bool, RunError> {
        let rows = self.database.own(Login::RealtimeAdmin).read(&Statement::new(PUBLISHED, vec![])).await?;
        let tables: HashSet<u32> = catalog::parse(rows.get(0, 0))?.unwrap_or_default();
        let mut published = self.published.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = *published != tables;
        *published = tables;
        Ok(is_other)
    }

    fn note_failure(&self, error: &ReplicationError) {
        let reason = format!("Unable to read changes from the database: {error}");
        let is_new = self.set(Status::Unreadable(reason.into()));
        if is_new {
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

/// Tells the streams of this process apart.
fn slot_number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}
