//! Instances that wait for another request, of functions that allow it (functions.md H10).

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::OwnedSemaphorePermit;
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

/// The waiting instances of one version of a function.
#[derive(Default)]
pub(crate) struct Idle(Mutex<VecDeque<(Instant, Guest)>>);

impl Idle {
    /// The one that was used last, whose memory is warmest.
    pub(crate) fn take(&self) -> Option<Guest> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.pop_back().map(|(_, guest)| guest)
    }

    /// Keeps an instance, unless it has answered enough or enough are waiting.
    pub(crate) fn give(&self, guest: Guest) {
        if guest.uses >= MOST_USES {
            return;
        }
        let now = Instant::now();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while waiting.front().is_some_and(|(since, _)| now.duration_since(*since) > LONGEST) {
            waiting.pop_front();
        }
        if waiting.len() < MOST {
            waiting.push_back((now, guest));
        }
    }
    /// Ends all that wait, since somebody needs their memory; tells whether there were any.
    pub(crate) fn give_way(&self) -> bool {
        let ended = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        !ended.is_empty()
    }
}
