//! Instances that wait for another request, of functions that allow reuse (CONTRACT.md H10).

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

use super::memory::EndsIdleInstances;

/// Idle instances that one function may keep.
const MAX_IDLE: usize = 32;
/// Requests that one instance answers at most.
const MAX_USES: u32 = 1000;

/// An instance that can answer another request.
pub(crate) trait Reusable: Send + 'static {
    /// Requests that it has answered.
    fn uses(&self) -> u32;

    /// Gives its memory back to the node at once, although the instance is dropped later.
    fn release_memory(&mut self);
}

/// An instance between two requests.
pub(crate) struct IdleInstance<I> {
    pub(crate) instance: I,
    /// One of the idle slots. They are counted apart from the slots of running instances.
    pub(crate) idle_slot: OwnedSemaphorePermit,
    /// A part of the memory that all idle instances together may hold.
    pub(crate) _memory: OwnedSemaphorePermit,
}

impl<I: Reusable> IdleInstance<I> {
    /// Gives its memory back at once and drops the instance on another thread. The caller may be
    /// a guest that is growing its memory: dropping the instance inline would take that guest's
    /// CPU time and stack. So for a moment more memory is in use than is counted.
    fn end(self) {
        let Self { mut instance, idle_slot, _memory: memory } = self;
        instance.release_memory();
        drop(memory);
        // Without a runtime the process is about to end.
        if let Ok(runtime) = Handle::try_current() {
            drop(runtime.spawn_blocking(move || drop((instance, idle_slot))));
        }
    }
}

/// The idle instances of one version of a function.
pub(crate) struct IdlePool<I> {
    waiting: Mutex<Waiting<I>>,
    added: Notify,
}

/// Those that have waited longest come first.
struct Waiting<I> {
    instances: VecDeque<(Instant, IdleInstance<I>)>,
    /// Whether a task ends the instances that have waited long enough.
    is_swept: bool,
}

impl<I> Default for IdlePool<I> {
    fn default() -> Self {
        let waiting = Waiting { instances: VecDeque::new(), is_swept: false };
        Self { waiting: Mutex::new(waiting), added: Notify::new() }
    }
}

impl<I: Reusable> IdlePool<I> {
    /// Takes the instance that was used last: its memory is most likely still in the caches.
    pub(crate) fn take(&self) -> Option<IdleInstance<I>> {
        self.lock().instances.pop_back().map(|(_, instance)| instance)
    }

    /// Waits for an idle instance. Dropping the future loses none.
    pub(crate) async fn next(&self) -> IdleInstance<I> {
        loop {
            let added = self.added.notified();
            if let Some(instance) = self.take() {
                return instance;
            }
            added.await;
        }
    }

    /// Keeps an instance for `longest`, at most twice that. Drops it if it has answered enough
    /// requests, or if enough instances are idle.
    pub(crate) fn add(self: &Arc<Self>, instance: IdleInstance<I>, longest: Duration) {
        let mut waiting = self.lock();
        if instance.instance.uses() >= MAX_USES || waiting.instances.len() >= MAX_IDLE {
            // The instance is dropped without the lock.
            drop(waiting);
            return drop(instance);
        }
        waiting.instances.push_back((Instant::now(), instance));
        if !waiting.is_swept {
            waiting.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self), longest));
        }
        drop(waiting);
        self.added.notify_waiters();
    }

    /// Ends the instances that have waited for `longest`. Returns whether others are left.
    fn end_old(&self, longest: Duration) -> bool {
        let mut waiting = self.lock();
        let old = waiting.instances.iter().take_while(|(since, _)| since.elapsed() >= longest).count();
        let ended: Vec<_> = waiting.instances.drain(..old).collect();
        waiting.is_swept = !waiting.instances.is_empty();
        let is_swept = waiting.is_swept;
        drop(waiting);
        ended.into_iter().for_each(|(_, instance)| instance.end());
        is_swept
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<I>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<I: Reusable> EndsIdleInstances for IdlePool<I> {
    /// Ends the instance that has waited longest.
    fn end_one(&self) -> bool {
        let ended = self.lock().instances.pop_front();
        ended.map(|(_, instance)| instance.end()).is_some()
    }
}

/// Ends old instances of a pool until it is empty, so that no instance keeps what it knows of its
/// callers for longer than needed.
async fn sweep<I: Reusable>(pool: Weak<IdlePool<I>>, longest: Duration) {
    loop {
        sleep(longest).await;
        if !pool.upgrade().is_some_and(|pool| pool.end_old(longest)) {
            return;
        }
    }
}
