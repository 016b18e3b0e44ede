//! Connections shared fairly.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::{Connection, Connector, connection::State};
use crate::{Login, RunError};

/// At most `pool_size` connections of one login; who waited longest is served first.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    connector: Arc<Connector>,
    login: Login,
    permits: Arc<Semaphore>,
    /// Most recently used last, so that a quiet pool works on few warm connections.
    idle: Mutex<Vec<Connection>>,
    /// Connections opened before are closed rather than lent again.
    renewed: Mutex<Instant>,
    waiting: AtomicUsize,
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
    /// Flights that wait for a connection.
    pub waiting: usize,
}

impl Pool {
    pub(crate) fn new(connector: Arc<Connector>, login: Login) -> Self {
        let size = usize::try_from(connector.settings().pool_size.max(1)).expect("u32 fits");
        let shared = Shared {
            connector,
            login,
            permits: Arc::new(Semaphore::new(size)),
            idle: Mutex::new(Vec::with_capacity(size)),
            renewed: Mutex::new(Instant::now()),
            waiting: AtomicUsize::new(0),
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

    async fn permit(&self) -> Result<OwnedSemaphorePermit, RunError> {
        let limit = self.shared.connector.settings().acquire_timeout;
        let _waiting = Waiting::one_more(&self.shared.waiting);
        tokio::time::timeout(limit, Arc::clone(&self.shared.permits).acquire_owned())
            .await
            .map_err(|_| RunError::PoolTimeout(limit))?
            .map_err(|_| std::io::Error::from(std::io::ErrorKind::NotConnected).into())
    }

    async fn open(&self, permit: OwnedSemaphorePermit) -> Result<Lease, RunError> {
        let connection = self.shared.connector.connect(self.shared.login).await?;
        Ok(self.lease(connection, permit, false))
    }

    fn lease(&self, connection: Connection, permit: OwnedSemaphorePermit, reused: bool) -> Lease {
        Lease { shared: Arc::clone(&self.shared), held: Some((connection, permit)), reused }
    }

    pub(crate) fn status(&self) -> PoolStatus {
        let size = usize::try_from(self.shared.connector.settings().pool_size.max(1)).expect("u32 fits");
        let in_use = size.saturating_sub(self.shared.permits.available_permits());
        let waiting = self.shared.waiting.load(Ordering::Relaxed);
        PoolStatus { size, idle: self.shared.idle().len(), in_use, waiting }
    }

    /// Lends none of the connections of before again; those in use end their flight first (rest.md L10, B07).
    pub(crate) fn renew(&self) {
        *self.shared.renewed.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let idle = std::mem::take(&mut *self.shared.idle());
        for connection in idle {
            self.shared.dismiss(connection, None);
        }
    }

    /// Closes what is idle, refuses new leases, and waits for good-byes under way.
    pub(crate) async fn close(&self) {
        self.shared.permits.close();
        let idle = std::mem::take(&mut *self.shared.idle());
        for connection in idle {
            connection.close().await;
        }
        self.shared.farewells.close();
        self.shared.farewells.wait().await;
    }
}

/// Counts one who waits for as long as it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn one_more(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
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
        let settings = self.connector.settings();
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        connection.opened < renewed
            || connection.opened.elapsed() > settings.max_lifetime
            || connection.last_used.elapsed() > settings.idle_timeout
    }

    /// Takes a connection back after a flight: for the next one, or to end it.
    fn put_back(&self, mut connection: Connection, permit: OwnedSemaphorePermit) {
        if connection.state() != State::Idle || self.permits.is_closed() || self.is_worn_out(&connection) {
            self.dismiss(connection, Some(permit));
            return;
        }
        connection.last_used = Instant::now();
        let timeout = self.connector.settings().idle_timeout;
        let mut idle = self.idle();
        idle.push(connection);
        // The least recently used stands first; the one just put back is fresh.
        let stale = if idle[0].last_used.elapsed() > timeout { Some(idle.remove(0)) } else { None };
        drop(idle);
        drop(permit);
        if let Some(stale) = stale {
            self.dismiss(stale, None);
        }
    }

    /// Ends a connection, cancelling what it does. The permit is held until then, so that the server never sees more
    /// connections than the pool may have.
    fn dismiss(&self, connection: Connection, permit: Option<OwnedSemaphorePermit>) {
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
