//! Connections shared fairly.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio_util::task::TaskTracker;

use super::{Connection, Connector, connection::State, habit::Habits, lane::Lane, lanes::Lanes};
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
    /// Connections shared by short reads; each holds a permit.
    lanes: Lanes,
    habits: Habits,
    /// How many connections may serve readers of large answers.
    exits: Arc<Semaphore>,
    /// Connections of an older generation are not used again.
    generation: AtomicU64,
    /// Whether somebody watches for idle connections that grow old.
    watched: AtomicBool,
    waiting: AtomicUsize,
    timeouts: AtomicU64,
    logged: Mutex<Option<Instant>>,
    /// Cancellations and good-byes under way.
    farewells: TaskTracker,
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
        let lanes = lanes(connector.settings(), size);
        let shared = Shared {
            connector,
            login,
            size,
            permits: Arc::new(Semaphore::new(size)),
            idle: Mutex::new(Vec::with_capacity(size)),
            lanes: Lanes::new(lanes),
            habits: Habits::new(),
            exits: Arc::new(Semaphore::new((size / 2).max(1))),
            generation: AtomicU64::new(0),
            watched: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            timeouts: AtomicU64::new(0),
            logged: Mutex::new(None),
            farewells: TaskTracker::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// A connection for one flight, after at most `acquire_timeout` of waiting for others.
    pub(crate) async fn acquire(&self) -> Result<Lease, RunError> {
        let permit = self.permit().await?;
        match self.shared.take_idle() {
            Some(connection) => Ok(self.lease(connection, permit, true)),
            None => self.open(permit).await,
        }
    }

    /// A connection that was opened just now, for a second try.
    pub(crate) async fn acquire_fresh(&self) -> Result<Lease, RunError> {
        let permit = self.permit().await?;
        self.open(permit).await
    }

    /// Leave to hand a large answer on, if that is to be had at once.
    pub(crate) fn try_exit(&self) -> Option<Exit> {
        let permit = Arc::clone(&self.shared.exits).try_acquire_owned().ok()?;
        Some(Exit { _permit: permit })
    }

    /// Leave to hand a large answer on, after at most `acquire_timeout` of waiting for others.
    pub(crate) async fn exit(&self) -> Result<Exit, RunError> {
        let limit = self.acquire_timeout();
        let permit = tokio::time::timeout(limit, Arc::clone(&self.shared.exits).acquire_owned()).await;
        let permit = permit.map_err(|_| RunError::PoolTimeout(limit))?.map_err(|_| gone())?;
        Ok(Exit { _permit: permit })
    }

    /// How long a request waits for a connection.
    pub(crate) fn acquire_timeout(&self) -> Duration {
        self.shared.connector.settings().acquire_timeout
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, RunError> {
        match Arc::clone(&self.shared.permits).try_acquire_owned() {
            Ok(permit) => return Ok(permit),
            Err(TryAcquireError::Closed) => return Err(gone()),
            Err(TryAcquireError::NoPermits) => {}
        }
        let limit = self.acquire_timeout();
        let _waiting = Waiting::begin(&self.shared.waiting);
        match tokio::time::timeout(limit, Arc::clone(&self.shared.permits).acquire_owned()).await {
            Ok(permit) => permit.map_err(|_| gone()),
            Err(_) => {
                self.shared.timed_out(limit);
                Err(RunError::PoolTimeout(limit))
            }
        }
    }

    /// What is known of the statements that ran here.
    pub(crate) fn habits(&self) -> &Habits {
        &self.shared.habits
    }

    /// A lane for one more short read. Opens another in the background where that helps.
    pub(crate) fn lane(&self) -> Option<Arc<Lane>> {
        let shared = &self.shared;
        if !shared.lanes.are_used() {
            return None;
        }
        let choice = shared.lanes.choose(|lane| shared.is_outdated(lane.generation, lane.opened));
        if choice.open_another {
            self.open_lane();
        }
        choice.lane
    }

    fn open_lane(&self) {
        let pool = self.clone();
        let Ok(permit) = Arc::clone(&self.shared.permits).try_acquire_owned() else {
            return self.shared.lanes.fail();
        };
        self.shared.farewells.spawn(async move {
            let connection = match pool.shared.take_idle() {
                Some(connection) => Ok(connection),
                None => pool.connect().await,
            };
            match connection {
                Ok(connection) => {
                    let (lane, work) = Lane::start(connection, Arc::clone(&pool.shared.connector), permit);
                    pool.shared.lanes.add(Arc::clone(&lane));
                    if pool.shared.permits.is_closed() {
                        lane.retire();
                    }
                    work.await;
                    pool.shared.lanes.remove(&lane);
                }
                // Whoever takes a connection of its own meets the same error and tells.
                Err(_) => pool.shared.lanes.fail(),
            }
        });
    }

    async fn connect(&self) -> Result<Connection, RunError> {
        // Read before: what changes while the login runs is not yet known to the new connection.
        let generation = self.shared.generation.load(Ordering::Acquire);
        let mut connection = self.shared.connector.connect(self.shared.login).await?;
        connection.generation = generation;
        Ok(connection)
    }

    /// Renews all connections: those at work finish it first (rest/CONTRACT.md L10, B07).
    pub(crate) fn renew(&self) {
        self.shared.generation.fetch_add(1, Ordering::AcqRel);
        self.shared.lanes.retire();
        let idle = std::mem::take(&mut *self.shared.idle());
        for connection in idle {
            self.shared.dismiss(connection, None);
        }
    }

    async fn open(&self, permit: OwnedSemaphorePermit) -> Result<Lease, RunError> {
        let connection = self.connect().await?;
        Ok(self.lease(connection, permit, false))
    }

    fn lease(&self, connection: Connection, permit: OwnedSemaphorePermit, reused: bool) -> Lease {
        Lease { shared: Arc::clone(&self.shared), held: Some((connection, permit)), reused }
    }

    pub(crate) fn status(&self) -> PoolStatus {
        let size = self.shared.size;
        let in_use = size.saturating_sub(self.shared.permits.available_permits());
        let (lanes, busy) = self.shared.lanes.status();
        let quiet = lanes - busy;
        PoolStatus {
            size,
            idle: self.shared.idle().len() + quiet,
            in_use: in_use.saturating_sub(quiet),
            waiting: self.shared.waiting.load(Ordering::Relaxed),
            timeouts: self.shared.timeouts.load(Ordering::Relaxed),
        }
    }

    /// Closes what is idle, refuses new leases, and waits for good-byes under way.
    pub(crate) async fn close(&self) {
        self.shared.permits.close();
        self.shared.exits.close();
        self.shared.lanes.retire();
        let idle = std::mem::take(&mut *self.shared.idle());
        for connection in idle {
            connection.close().await;
        }
        self.shared.farewells.close();
        self.shared.farewells.wait().await;
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
            self.dismiss(connection, None);
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

    /// Closes what is idle for too long; gives the time after which to look again, none when nothing is idle.
    fn close_worn_out(&self) -> Option<Duration> {
        let mut idle = self.idle();
        let (worn_out, kept): (Vec<_>, Vec<_>) = idle.drain(..).partition(|it| self.is_worn_out(it));
        *idle = kept;
        let oldest = idle.iter().map(|it| it.last_used.elapsed()).max();
        if oldest.is_none() {
            self.watched.store(false, Ordering::Release);
        }
        drop(idle);
        worn_out.into_iter().for_each(|connection| self.dismiss(connection, None));
        let timeout = self.connector.settings().idle_timeout;
        oldest.map(|oldest| timeout.saturating_sub(oldest) + Duration::from_millis(10))
    }

    /// Takes a connection back after a flight: for the next one, or to end it.
    fn put_back(self: &Arc<Self>, mut connection: Connection, permit: OwnedSemaphorePermit) {
        if connection.state() != State::Idle || self.permits.is_closed() || self.is_worn_out(&connection) {
            self.dismiss(connection, Some(permit));
            return;
        }
        connection.last_used = Instant::now();
        self.idle().push(connection);
        drop(permit);
        if tokio::runtime::Handle::try_current().is_ok() {
            self.watch_idle();
        }
    }

    /// Ends a connection, cancelling what it does. The permit is held until then, so that the server never sees more
    /// connections than the pool may have.
    fn dismiss(&self, mut connection: Connection, permit: Option<OwnedSemaphorePermit>) {
        connection.forget_unsent();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let connector = Arc::clone(&self.connector);
        self.farewells.spawn_on(
            async move {
                end(&connector, connection).await;
                drop(permit);
            },
            &runtime,
        );
    }
}

/// Connections that short reads may share: as many as the machine works on at a time, and at most a third of all.
fn lanes(settings: &DatabaseSettings, size: usize) -> usize {
    if settings.prepared_statements < FEWEST_PREPARED {
        return 0;
    }
    std::thread::available_parallelism().map_or(1, usize::from).min(size / 3)
}

/// The pool is closed.
fn gone() -> RunError {
    std::io::Error::from(std::io::ErrorKind::NotConnected).into()
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
        (State::InFlight, Some(key)) => {
            if let Err(error) = connector.cancel(key).await {
                tracing::warn!(error.message = %error, "a statement could not be cancelled");
            }
        }
        (State::Idle, _) => connection.close().await,
        (State::InFlight | State::Broken, _) => {}
    }
}

/// Leave to hand one large answer on. Its reader keeps a connection for as long as it takes, so only half of a pool's
/// connections may be kept like that: slow readers never hold up everybody.
#[derive(Debug)]
pub(crate) struct Exit {
    _permit: OwnedSemaphorePermit,
}

/// A connection lent for one flight. Dropped in mid-flight, it cancels the statement and ends the connection.
#[derive(Debug)]
pub(crate) struct Lease {
    shared: Arc<Shared>,
    held: Option<(Connection, OwnedSemaphorePermit)>,
    reused: bool,
}

impl Lease {
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

impl Drop for Lease {
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
    use crate::{Address, flight::stream::Stream};

    #[tokio::test]
    async fn what_was_not_sent_is_not_kept_while_the_statement_is_cancelled() {
        let nowhere = Address::Tcp { host: "localhost".to_owned(), port: 1 };
        let settings = DatabaseSettings::new(nowhere, SecretString::from("none"));
        let connector = Arc::new(Connector::new(&settings).expect("settings"));
        let pool = Pool::new(connector, Login::Authenticator, 1);
        let (near, _far) = UnixStream::pair().expect("two sockets");
        let mut connection = Connection::new(Stream::Unix(near), &settings);
        connection.set_state(State::InFlight);
        connection.outbox().resize(4 << 20, b'x');
        let of_the_outbox = connection.outbox().split_to(1).freeze();
        assert!(connection.send().now_or_never().is_none(), "nobody reads");
        assert!(!of_the_outbox.is_unique());
        pool.shared.dismiss(connection, None);
        // The connection itself is alive: its farewell has not begun.
        assert_eq!(pool.shared.farewells.len(), 1);
        assert!(of_the_outbox.is_unique(), "nobody else holds that memory");
    }
}
