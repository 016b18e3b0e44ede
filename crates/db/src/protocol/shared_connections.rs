//! Which shared connection a short read takes, and when another one is opened.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::shared_connection::SharedConnection;

/// Requests in flight on every shared connection before another one is opened.
const BUSY: usize = 2;
/// Time after a failure before one is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// The shared connections of a pool.
#[derive(Debug)]
pub(crate) struct SharedConnections {
    open: Mutex<Vec<Arc<SharedConnection>>>,
    most: usize,
    opening: AtomicBool,
    failed: Mutex<Option<Instant>>,
}

/// Where a request goes.
pub(crate) struct Choice {
    /// The connection with the fewest requests in flight, if it can take one more.
    pub(crate) connection: Option<Arc<SharedConnection>>,
    /// Whether the caller is to open another connection; then it calls [`SharedConnections::add`]
    /// or [`SharedConnections::fail`] once.
    pub(crate) open_another: bool,
}

impl SharedConnections {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            open: Mutex::new(Vec::with_capacity(most)),
            most,
            opening: AtomicBool::new(false),
            failed: Mutex::new(None),
        }
    }

    fn open(&self) -> MutexGuard<'_, Vec<Arc<SharedConnection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there are any at all.
    pub(crate) fn are_used(&self) -> bool {
        self.most > 0
    }

    /// The connection for one more request. One for which `is_worn_out` holds is retired.
    pub(crate) fn choose(&self, is_worn_out: impl Fn(&SharedConnection) -> bool) -> Choice {
        let mut open = self.open();
        open.retain(|connection| {
            let worn_out = is_worn_out(connection);
            if worn_out {
                connection.retire();
            }
            !worn_out
        });
        let best = open
            .iter()
            .filter_map(|connection| Some((connection.load()?, connection)))
            .min_by_key(|(load, _)| *load);
        let want_more = best.as_ref().is_none_or(|(load, _)| *load >= BUSY) && open.len() < self.most;
        let connection = best.map(|(_, connection)| Arc::clone(connection));
        drop(open);
        Choice { connection, open_another: want_more && self.may_open() }
    }

    fn may_open(&self) -> bool {
        let paused = self.failed().is_some_and(|at| at.elapsed() < PAUSE);
        !paused && !self.opening.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn add(&self, connection: Arc<SharedConnection>) {
        self.open().push(connection);
        *self.failed() = None;
        self.opening.store(false, Ordering::Release);
    }

    pub(crate) fn fail(&self) {
        *self.failed() = Some(Instant::now());
        self.opening.store(false, Ordering::Release);
    }

    /// Forgets a connection that has ended.
    pub(crate) fn remove(&self, ended: &Arc<SharedConnection>) {
        self.open().retain(|connection| !Arc::ptr_eq(connection, ended));
    }

    /// Ends all of them once their requests in flight are answered.
    pub(crate) fn retire(&self) {
        self.open().drain(..).for_each(|connection| connection.retire());
    }

    /// How many are open, and how many of them are busy.
    pub(crate) fn status(&self) -> (usize, usize) {
        let open = self.open();
        (open.len(), open.iter().filter(|connection| connection.is_busy()).count())
    }
}
