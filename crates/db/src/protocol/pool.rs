//! A bounded number of connections; who waited longest is served first.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio_util::task::TaskTracker;

use super::{
    Connection, Connector,
    connection::State,
    shared_connection::SharedConnection,
    shared_connections::SharedConnections,
    statement_stats::StatsByText,
    streaming::{StreamPermit, StreamPermits},
};
use crate::{DatabaseSettings, Login, RunError};

/// A log line about a full pool is written at most so often.
const LOG_PAUSE: Duration = Duration::from_secs(5);
/// Fewer prepared statements than this are not shared.
const FEWEST_PREPARED: usize = 16;

/// A bounded number of connections of one login; who waited longest is served first.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    connector: Arc<Connector>,
    login: Login,
    size: usize,
    permits: Arc<Semaphore>,
    /// Most recently used last, so that a quiet pool works on few warm connections.
    idle: Mutex<Vec<Connection>>,
    /// Those that short reads share; each holds a permit.
    shared_connections: SharedConnections,
    stats: StatsByText,
    /// How many connections may stream large answers.
    stream_permits: StreamPermits,
    /// Connections of an older generation are not used again.
    generation: AtomicU64,
    /// Whether somebody watches for idle connections that grow old.
    watched: AtomicBool,
    waiting: AtomicUsize,
    timeouts: AtomicU64,
    logged: Mutex<Option<Instant>>,
    /// Shared connections, and those that are being ended.
    tasks: TaskTracker,
}

/// How busy a pool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolStatus {
    /// Most connections it may hold.
    pub size: usize,
    /// Connections open and unused.
    pub idle: usize,
    /// Connections in use.
    pub in_use: usize,
    /// Requests that wait for a connection.
    pub waiting: usize,
    /// Requests that waited in vain so far.
    pub timeouts: u64,
}

impl Pool {
    pub(crate) fn new(connector: Arc<Connector>, login: Login, size: u32) -> Self {
        let size = usize::try_from(size.max(1)).expect("u32 fits");
        let shared_connections = SharedConnections::new(shared_connections(connector.settings(), size));
        let shared = Shared {
            connector,
            login,
            size,
            permits: Arc::new(Semaphore::new(size)),
            idle: Mutex::new(Vec::with_capacity(size)),
            shared_connections,
            stats: StatsByText::new(),
            stream_permits: StreamPermits::new((size / 2).max(1)),
            generation: AtomicU64::new(0),
            watched: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            timeouts: AtomicU64::new(0),
            logged: Mutex::new(None),
            tasks: TaskTracker::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// A connection for one pipeline, after at most `acquire_timeout` of waiting for others.
    pub(crate) async fn acquire(&self) -> Result<PooledConnection, RunError> {
        let permit = self.permit().await?;
        match self.shared.take_idle() {
            Some(connection) => Ok(self.lend(connection, permit, true)),
            None => self.open(permit).await,
        }
    }

    /// A connection that was opened just now, for a second try.
    pub(crate) async fn acquire_fresh(&self) -> Result<PooledConnection, RunError> {
        let permit = self.permit().await?;
        self.open(permit).await
    }

    /// The permits to stream large answers.
    pub(crate) fn stream_permits(&self) -> &StreamPermits {
        &self.shared.stream_permits
    }

    /// A permit to stream a large answer, after at most `acquire_timeout` of waiting for others.
    pub(crate) async fn stream_permit(&self) -> Result<StreamPermit, RunError> {
        self.shared.stream_permits.acquire(self.acquire_timeout()).await
    }

    /// How long a request waits for a connection.
    pub(crate) fn acquire_timeout(&self) -> Duration {
        self.shared.connector.settings().acquire_timeout
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, RunError> {
        match Arc::clone(&self.shared.permits).try_acquire_owned() {
            Ok(permit) => return Ok(permit),
            Err(TryAcquireError::Closed) => return Err(RunError::closed()),
            Err(TryAcquireError::NoPermits) => {}
        }
        let limit = self.acquire_timeout();
        let _waiting = Waiting::begin(&self.shared.waiting);
        match tokio::time::timeout(limit, Arc::clone(&self.shared.permits).acquire_owned()).await {
            Ok(permit) => permit.map_err(|_| RunError::closed()),
            Err(_) => {
                self.shared.timed_out(limit);
                Err(RunError::PoolTimeout(limit))
            }
        }
    }

    /// How the statements that ran here did.
    pub(crate) fn stats(&self) -> &StatsByText {
        &self.shared.stats
    }

    /// A shared connection for one more short read. Opens another in the background where that
    /// helps.
    pub(crate) fn shared_connection(&self) -> Option<Arc<SharedConnection>> {
        let shared = &self.shared;
        if !shared.shared_connections.are_used() {
            return None;
        }
        let choice = shared.shared_connections.choose(|it| shared.is_outdated(it.generation, it.opened));
        if choice.open_another {
            self.open_shared_connection();
        }
        choice.connection
    }

    fn open_shared_connection(&self) {
        let pool = self.clone();
        let Ok(permit) = Arc::clone(&self.shared.permits).try_acquire_owned() else {
            return self.shared.shared_connections.fail();
        };
        self.shared.tasks.spawn(async move {
            let connection = match pool.shared.take_idle() {
                Some(connection) => Ok(connection),
                None => pool.connect().await,
            };
            match connection {
                Ok(connection) => {
                    let connector = Arc::clone(&pool.shared.connector);
                    let (shared, work) = SharedConnection::start(connection, connector, permit);
                    pool.shared.shared_connections.add(Arc::clone(&shared));
                    if pool.shared.permits.is_closed() {
                        shared.retire();
                    }
                    work.await;
                    pool.shared.shared_connections.remove(&shared);
                }
                // Whoever takes a connection of its own meets the same error and tells.
                Err(_) => pool.shared.shared_connections.fail(),
            }
        });
    }

    async fn connect(&self) -> Result<Connection, RunError> {
        // Read before: what changes while the login runs is not yet known to the new connection.
        let generation = self.shared.generation.load(Ordering::Acquire);
        let Shared { connector, login, .. } = &*self.shared;
        let session = connector.settings().session_of_pipelines(*login);
        let mut connection = connector.connect_with(*login, &session).await?;
        connection.generation = generation;
        Ok(connection)
    }

    /// Renews all connections: those at work finish it first (rest/CONTRACT.md L10, B07).
    pub(crate) fn renew(&self) {
        self.shared.generation.fetch_add(1, Ordering::AcqRel);
        self.shared.shared_connections.retire();
        let idle = std::mem::take(&mut *self.shared.idle());
        for connection in idle {
            self.shared.discard(connection, None);
        }
    }

    async fn open(&self, permit: OwnedSemaphorePermit) -> Result<PooledConnection, RunError> {
        let connection = self.connect().await?;
        Ok(self.lend(connection, permit, false))
    }

    fn lend(&self, connection: Connection, permit: OwnedSemaphorePermit, reused: bool) -> PooledConnection {
        PooledConnection { shared: Arc::clone(&self.shared), held: Some((connection, permit)), reused }
    }

    pub(crate) fn status(&self) -> PoolStatus {
        let size = self.shared.size;
        let in_use = size.saturating_sub(self.shared.permits.available_permits());
        let (open, busy) = self.shared.shared_connections.status();
        let quiet = open - busy;
        PoolStatus {
            size,
            idle: self.shared.idle().len() + quiet,
            in_use: in_use.saturating_sub(quiet),
            waiting: self.shared.waiting.load(Ordering::Relaxed),
            timeouts: self.shared.timeouts.load(Ordering::Relaxed),
        }
    }

    /// Closes what is idle, lends nothing any longer, and waits for what is being ended.
    pub(crate) async fn close(&self) {
        self.shared.permits.close();
        self.shared.stream_permits.close();
        self.shared.shared_connections.retire();
        let idle = std::mem::take(&mut *self.shared.idle());
        for connection in idle {
            connection.close().await;
        }
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

impl Shared {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_idle(&self) -> Option<Connection> {
        loop {
            let connection = self.idle().pop()?;
            if connection.is_usable() && !self.is_worn_out(&connection) {
                return Some(connection);
            }
            self.discard(connection, None);
        }
    }

    fn is_worn_out(&self, connection: &Connection) -> bool {
        self.is_outdated(connection.generation, connection.opened)
            || connection.last_used.elapsed() > self.connector.settings().idle_timeout
    }

    fn is_outdated(&self, generation: u64, opened: Instant) -> bool {
        generation != self.generation.load(Ordering::Relaxed)
            || opened.elapsed() > self.connector.settings().max_lifetime
    }

    fn timed_out(&self, limit: Duration) {
        self.timeouts.fetch_add(1, Ordering::Relaxed);
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.is_none_or(|at| at.elapsed() >= LOG_PAUSE) {
            *logged = Some(Instant::now());
            tracing::warn!(limit_ms = limit.as_millis(), "no connection of the pool became free in time");
        }
    }

    /// Closes idle connections as they grow old, until there are none.
    fn watch_idle(self: &Arc<Self>) {
        if self.watched.swap(true, Ordering::AcqRel) {
            return;
        }
        let pool = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(pause) = pool.upgrade().and_then(|pool| pool.close_worn_out()) {
                tokio::time::sleep(pause).await;
            }
        });
    }

    /// Closes what is idle for too long; gives the time after which to look again, none when
    /// nothing is idle.
    fn close_worn_out(&self) -> Option<Duration> {
        let mut idle = self.idle();
        let (worn_out, kept): (Vec<_>, Vec<_>) = idle.drain(..).partition(|it| self.is_worn_out(it));
        *idle = kept;
        let oldest = idle.iter().map(|it| it.last_used.elapsed()).max();
        if oldest.is_none() {
            self.watched.store(false, Ordering::Release);
        }
        drop(idle);
        worn_out.into_iter().for_each(|connection| self.discard(connection, None));
        let timeout = self.connector.settings().idle_timeout;
        oldest.map(|oldest| timeout.saturating_sub(oldest) + Duration::from_millis(10))
    }

    /// Takes a connection back after a pipeline: for the next one, or to end it.
    fn put_back(self: &Arc<Self>, mut connection: Connection, permit: OwnedSemaphorePermit) {
        if connection.state() != State::Idle || self.permits.is_closed() || self.is_worn_out(&connection) {
            self.discard(connection, Some(permit));
            return;
        }
        connection.last_used = Instant::now();
        self.idle().push(connection);
        drop(permit);
        if tokio::runtime::Handle::try_current().is_ok() {
            self.watch_idle();
        }
    }

    /// Ends a connection, cancelling what it does. The permit is held until then, so that the
    /// server never sees more connections than the pool may have.
    fn discard(&self, mut connection: Connection, permit: Option<OwnedSemaphorePermit>) {
        connection.forget_unsent();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let connector = Arc::clone(&self.connector);
        self.tasks.spawn_on(
            async move {
                end(&connector, connection).await;
                drop(permit);
            },
            &runtime,
        );
    }
}

/// How many connections short reads share: as many as there are processors, at most a third of all.
fn shared_connections(settings: &DatabaseSettings, size: usize) -> usize {
    if settings.prepared_statements < FEWEST_PREPARED {
        return 0;
    }
    std::thread::available_parallelism().map_or(1, usize::from).min(size / 3)
}

/// One more who waits, for as long as it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn end(connector: &Connector, connection: Connection) {
    match (connection.state(), connection.cancel_key()) {
        (State::Busy, Some(key)) => connector.cancel_or_log(key).await,
        (State::Idle, _) => connection.close().await,
        (State::Busy | State::Broken, _) => {}
    }
}

/// A connection lent for one pipeline. Dropped while that runs, it cancels the statement and ends
/// the connection.
#[derive(Debug)]
pub(crate) struct PooledConnection {
    shared: Arc<Shared>,
    held: Option<(Connection, OwnedSemaphorePermit)>,
    reused: bool,
}

impl PooledConnection {
    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.held.as_mut().expect("held until dropped").0
    }

    /// What the pool was made from.
    pub(crate) fn settings(&self) -> &DatabaseSettings {
        self.shared.connector.settings()
    }

    /// Whether the connection had waited in the pool.
    pub(crate) fn is_reused(&self) -> bool {
        self.reused
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some((connection, permit)) = self.held.take() {
            self.shared.put_back(connection, permit);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use secrecy::SecretString;
    use tokio::net::UnixStream;

    use super::*;
    use crate::{Address, protocol::stream::Stream};

    #[tokio::test]
    async fn what_was_not_sent_is_not_kept_while_the_statement_is_cancelled() {
        let nowhere = Address::Tcp { host: "localhost".to_owned(), port: 1 };
        let settings = DatabaseSettings::new(nowhere, SecretString::from("none"));
        let connector = Arc::new(Connector::new(&settings).expect("settings"));
        let pool = Pool::new(connector, Login::Authenticator, 1);
        let (near, _far) = UnixStream::pair().expect("two sockets");
        let mut connection = Connection::new(Stream::Unix(near), &settings);
        connection.set_state(State::Busy);
        connection.send_buffer().resize(4 << 20, b'x');
        let sent_part = connection.send_buffer().split_to(1).freeze();
        assert!(connection.send().now_or_never().is_none(), "nobody reads");
        assert!(!sent_part.is_unique());
        pool.shared.discard(connection, None);
        // The connection itself is alive: the task that ends it has not begun.
        assert_eq!(pool.shared.tasks.len(), 1);
        assert!(sent_part.is_unique(), "nobody else holds that memory");
    }
}
