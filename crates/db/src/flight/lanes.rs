//! Which lane a short read takes, and when there is another one.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::lane::Lane;

/// Flights aboard every lane before another one is opened.
const BUSY: usize = 2;
/// Time after a failure before a lane is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// The lanes of a pool.
#[derive(Debug)]
pub(crate) struct Lanes {
    lanes: Mutex<Vec<Arc<Lane>>>,
    most: usize,
    opening: AtomicBool,
    failed: Mutex<Option<Instant>>,
}

/// Where a flight goes.
pub(crate) struct Choice {
    /// The lane with the fewest aboard, if it can take one more.
    pub(crate) lane: Option<Arc<Lane>>,
    /// Whether the caller is to open another lane; then [`Lanes::add`] or [`Lanes::fail`] is called once.
    pub(crate) open_another: bool,
}

impl Lanes {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            lanes: Mutex::new(Vec::with_capacity(most)),
            most,
            opening: AtomicBool::new(false),
            failed: Mutex::new(None),
        }
    }

    fn lanes(&self) -> MutexGuard<'_, Vec<Arc<Lane>>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there are any at all.
    pub(crate) fn are_used(&self) -> bool {
        self.most > 0
    }

    /// The lane for one more flight. A lane for which `is_worn_out` holds is retired.
    pub(crate) fn choose(&self, is_worn_out: impl Fn(&Lane) -> bool) -> Choice {
        let mut lanes = self.lanes();
        if lanes.iter().any(|lane| is_worn_out(lane)) {
            lanes.retain(|lane| {
                let worn_out = is_worn_out(lane);
                if worn_out {
                    lane.retire();
                }
                !worn_out
            });
        }
        let best = lanes.iter().filter_map(|lane| Some((lane.load()?, lane))).min_by_key(|(load, _)| *load);
        let want_more = best.as_ref().is_none_or(|(load, _)| *load >= BUSY) && lanes.len() < self.most;
        let lane = best.map(|(_, lane)| Arc::clone(lane));
        drop(lanes);
        Choice { lane, open_another: want_more && self.may_open() }
    }

    fn may_open(&self) -> bool {
        let paused = self.failed().is_some_and(|at| at.elapsed() < PAUSE);
        !paused && !self.opening.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn add(&self, lane: Arc<Lane>) {
        self.lanes().push(lane);
        *self.failed() = None;
        self.opening.store(false, Ordering::Release);
    }

    pub(crate) fn fail(&self) {
        *self.failed() = Some(Instant::now());
        self.opening.store(false, Ordering::Release);
    }

    /// Forgets a lane that has ended.
    pub(crate) fn remove(&self, ended: &Arc<Lane>) {
        self.lanes().retain(|lane| !Arc::ptr_eq(lane, ended));
    }

    /// Ends all lanes once those aboard have landed.
    pub(crate) fn retire(&self) {
        self.lanes().drain(..).for_each(|lane| lane.retire());
    }

    /// Lanes open, and those of them that work.
    pub(crate) fn status(&self) -> (usize, usize) {
        let lanes = self.lanes();
        (lanes.len(), lanes.iter().filter(|lane| lane.is_busy()).count())
    }
}
