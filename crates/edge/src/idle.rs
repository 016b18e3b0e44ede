//! Instances that wait for another request, of functions that allow it (CONTRACT.md H10).

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use tokio::{
    runtime::Handle,
    sync::{Notify, OwnedSemaphorePermit},
    time::sleep,
};
use wasmtime::Store;
use wasmtime_wasi_http::p2::bindings::Proxy;

use crate::host::Host;

/// Instances that one function may keep waiting.
const MOST: usize = 32;
/// Requests that one instance answers at most.
const MOST_USES: u32 = 1000;

/// An instance between two requests.
pub(crate) struct Guest {
    pub(crate) store: Store<Host>,
    pub(crate) proxy: Proxy,
    /// Requests it has answered.
    pub(crate) uses: u32,
    /// Its place among all that wait, since those that run have theirs elsewhere.
    pub(crate) place: OwnedSemaphorePermit,
    /// Its part in what all that wait may hold of the node's memory.
    pub(crate) _memory: OwnedSemaphorePermit,
}

impl Guest {
    /// Gives its memory back at once. The store ends on a thread of its own: who needs the memory may be a guest that grows, and
    /// that would be in its CPU time and on its stack. So for a moment more memory is in use than is counted.
    fn end(self) {
        let Self { mut store, place, _memory: memory, .. } = self;
        store.data_mut().limits.give_back();
        drop(memory);
        // Without a runtime the process is about to end.
        if let Ok(runtime) = Handle::try_current() {
            drop(runtime.spawn_blocking(move || drop((store, place))));
        }
    }
}

/// The waiting instances of one version of a function.
#[derive(Default)]
pub(crate) struct Idle {
    waiting: Mutex<Waiting>,
    given: Notify,
}

/// Those that have waited longest come first.
#[derive(Default)]
struct Waiting {
    guests: VecDeque<(Instant, Guest)>,
    /// Whether somebody ends those that have waited enough.
    is_swept: bool,
}

impl Idle {
    /// The one that was used last, whose memory is warmest.
    pub(crate) fn take(&self) -> Option<Guest> {
        self.lock().guests.pop_back().map(|(_, guest)| guest)
    }

    /// The next one that waits. Dropping the future loses none.
    pub(crate) async fn next(&self) -> Guest {
        loop {
            let given = self.given.notified();
            if let Some(guest) = self.take() {
                return guest;
            }
            given.await;
        }
    }

    /// Keeps an instance for `longest`, or twice that at most, unless it has answered enough or enough are waiting.
    pub(crate) fn give(self: &Arc<Self>, guest: Guest, longest: Duration) {
        let mut waiting = self.lock();
        if guest.uses >= MOST_USES || waiting.guests.len() >= MOST {
            // It ends where nobody waits for the lock.
            drop(waiting);
            return drop(guest);
        }
        waiting.guests.push_back((Instant::now(), guest));
        if !waiting.is_swept {
            waiting.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self), longest));
        }
        drop(waiting);
        self.given.notify_waiters();
    }

    /// Ends those that have waited enough; tells whether others are left.
    fn end_old(&self, longest: Duration) -> bool {
        let mut waiting = self.lock();
        let old = waiting.guests.iter().take_while(|(since, _)| since.elapsed() >= longest).count();
        let ended: Vec<_> = waiting.guests.drain(..old).collect();
        waiting.is_swept = !waiting.guests.is_empty();
        let is_swept = waiting.is_swept;
        drop(waiting);
        ended.into_iter().for_each(|(_, guest)| guest.end());
        is_swept
    }

    /// Ends the one that has waited longest, since somebody needs its memory; tells whether there was one.
    pub(crate) fn end_one(&self) -> bool {
        let ended = self.lock().guests.pop_front();
        ended.map(|(_, guest)| guest.end()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks after instances that wait until none is left. What they know of their callers is not kept longer than it is of use.
async fn sweep(idle: Weak<Idle>, longest: Duration) {
    loop {
        sleep(longest).await;
        if !idle.upgrade().is_some_and(|idle| idle.end_old(longest)) {
            return;
        }
    }
}
