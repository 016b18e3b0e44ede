//! Instances that wait for another request, of functions that allow it (functions.md H10).

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{
    runtime::Handle,
    sync::{Notify, OwnedSemaphorePermit},
};
use wasmtime::Store;
use wasmtime_wasi_http::p2::bindings::Proxy;

use crate::host::Host;

/// Instances that one function may keep waiting.
const MOST: usize = 32;
/// Requests that one instance answers at most.
const MOST_USES: u32 = 1000;
/// How long an instance waits, told when another one comes or goes.
const LONGEST: Duration = Duration::from_secs(30);

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
    waiting: Mutex<VecDeque<(Instant, Guest)>>,
    given: Notify,
}

impl Idle {
    /// The one that was used last, whose memory is warmest.
    pub(crate) fn take(&self) -> Option<Guest> {
        self.lock().pop_back().map(|(_, guest)| guest)
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

    /// Keeps an instance, unless it has answered enough or enough are waiting.
    pub(crate) fn give(&self, guest: Guest) {
        if guest.uses >= MOST_USES {
            return;
        }
        let now = Instant::now();
        let mut waiting = self.lock();
        let is_old = |(since, _): &(Instant, Guest)| now.duration_since(*since) > LONGEST;
        let old = waiting.iter().take_while(|guest| is_old(guest)).count();
        // They end where nobody waits for the lock.
        let ended: Vec<_> = waiting.drain(..old).collect();
        let left = if waiting.len() < MOST {
            waiting.push_back((now, guest));
            None
        } else {
            Some(guest)
        };
        drop(waiting);
        self.given.notify_waiters();
        drop((ended, left));
    }

    /// Ends the one that has waited longest, since somebody needs its memory; tells whether there was one.
    pub(crate) fn end_one(&self) -> bool {
        let ended = self.lock().pop_front();
        ended.map(|(_, guest)| guest.end()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Instant, Guest)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
