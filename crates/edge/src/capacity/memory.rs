//! The memory of all instances together (CONTRACT.md LIMIT_BUDGET): what they hold never exceeds
//! the node's budget.
//!
//! A request first reserves what instances of its function used lately, so that a small function
//! waits for little memory. Its instance reserves more as it grows. A waiting request holds no
//! memory: free memory belongs to running instances that grow, because ending one of them would
//! lose work. Idle instances are ended where that frees the memory that a request needs, also if
//! they become idle after the request began to wait.

use std::{
    sync::{
        Arc, PoisonError, Weak,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use banyan_config::machine;
use tokio::{
    sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Bytes of a permit: a page of WebAssembly.
const PAGE: u64 = 64 << 10;
/// Pages that an instance is expected to need until the function has run.
const INITIAL_PAGES: u32 = 64;
/// How long the first waiting request keeps later ones from free memory. The time doubles each
/// time that it has let them pass.
const FIRST_IN_QUEUE: Duration = Duration::from_millis(250);

/// The idle instances of one version of a function, as the budget sees them.
pub(crate) trait EndsIdleInstances: Send + Sync {
    /// Ends one idle instance and frees its memory at once. Returns false if none is idle.
    fn end_one(&self) -> bool;
}

/// A function without idle instances.
#[cfg(test)]
impl EndsIdleInstances for () {
    fn end_one(&self) -> bool {
        false
    }
}

/// The budget of a node.
pub(crate) struct MemoryBudget {
    pages: u32,
    node: Arc<NodeMemory>,
}

/// What instances of all functions share.
struct NodeMemory {
    free: Arc<Semaphore>,
    /// Held by the request that is served next.
    queue: Mutex<()>,
    released: Notify,
    /// The pools of idle instances. Idle instances stay as long as nobody needs their memory.
    pools: std::sync::Mutex<Vec<Weak<dyn EndsIdleInstances>>>,
    /// What idle instances may still hold.
    idle_free: Arc<Semaphore>,
    /// Pages that all idle instances together may hold.
    max_idle: u32,
}

impl NodeMemory {
    /// Adds the idle instances of another version.
    fn register(&self, idle: &Arc<dyn EndsIdleInstances>) {
        let mut all = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() > 0);
        all.push(Arc::downgrade(idle));
    }

    /// Pages of idle instances.
    fn idle_pages(&self) -> usize {
        (self.max_idle as usize).saturating_sub(self.idle_free.available_permits())
    }

    /// Ends idle instances until `pages` are free. Ends none if that cannot be reached. Returns
    /// whether it ended any.
    fn reclaim(&self, pages: u32) -> bool {
        let is_short = || self.free.available_permits() < pages as usize;
        if self.free.available_permits() + self.idle_pages() < pages as usize {
            return false;
        }
        let pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut has_ended = false;
        for pool in pools.iter().filter_map(Weak::upgrade) {
            while is_short() && pool.end_one() {
                has_ended = true;
            }
        }
        has_ended
    }
}

/// A function's part of the budget.
pub(crate) struct FunctionMemory {
    node: Arc<NodeMemory>,
    /// What its instances together may still hold, so that some memory is always left for other
    /// functions.
    free: Arc<Semaphore>,
    /// Pages that its instances together may hold.
    max: u32,
    /// Held by the first of its waiting requests.
    queue: Mutex<()>,
    /// Its idle instances.
    idle: Arc<dyn EndsIdleInstances>,
    /// Pages that an instance used lately.
    usual: AtomicU32,
}

/// What one instance holds. Dropping this gives it back.
pub(crate) struct MemoryReservation {
    pages: u32,
    of_function: OwnedSemaphorePermit,
    of_node: OwnedSemaphorePermit,
    /// The idle instances of its function, among which this instance may be one day.
    idle: Weak<dyn EndsIdleInstances>,
    /// Declared after the permits and so dropped after them: who is notified finds them free.
    notifies: NotifyOnDrop,
}

/// Notifies those who wait for memory.
struct NotifyOnDrop(Arc<NodeMemory>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        self.0.released.notify_waiters();
    }
}

impl MemoryBudget {
    /// A budget of so many bytes, or of half the machine's memory.
    pub(crate) fn new(bytes: Option<u64>) -> Self {
        let bytes = bytes.unwrap_or_else(|| machine::memory() / 2);
        let pages = u32::try_from(bytes / PAGE).unwrap_or(u32::MAX);
        let node = NodeMemory {
            free: semaphore(pages),
            queue: Mutex::default(),
            released: Notify::new(),
            pools: std::sync::Mutex::default(),
            idle_free: semaphore(pages / 4),
            max_idle: pages / 4,
        };
        Self { pages, node: Arc::new(node) }
    }

    /// Megabytes of the budget, and how many of them are free.
    pub(crate) fn megabytes(&self) -> (u64, u64) {
        let free = u64::try_from(self.node.free.available_permits()).unwrap_or(u64::MAX);
        ((u64::from(self.pages) * PAGE) >> 20, (free * PAGE) >> 20)
    }

    /// The part of a function with these idle instances.
    pub(crate) fn for_function(&self, idle: Arc<dyn EndsIdleInstances>) -> FunctionMemory {
        let max = max_of_one(self.pages);
        self.node.register(&idle);
        FunctionMemory {
            node: Arc::clone(&self.node),
            free: semaphore(max),
            max,
            queue: Mutex::default(),
            idle,
            usual: AtomicU32::new(INITIAL_PAGES.min(max)),
        }
    }

    /// Lets an instance keep its memory while it is idle. Returns nothing if idle instances hold
    /// as much as they may.
    pub(crate) fn reserve_idle(&self, reservation: &MemoryReservation) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.node.idle_free).try_acquire_many_owned(reservation.pages).ok()
    }

    /// Tells those who wait for memory that an idle instance can be ended for it.
    pub(crate) fn notify_idle(&self) {
        self.node.released.notify_waiters();
    }
}

impl FunctionMemory {
    /// Waits for what an instance is likely to need. The first to wait is served first.
    pub(crate) async fn take(&self) -> MemoryReservation {
        let _first_of_function = self.queue.lock().await;
        loop {
            let released = self.node.released.notified();
            if !self.function_has_enough() {
                // Ending idle instances of other functions would not help.
                if !self.idle.end_one() {
                    released.await;
                }
                continue;
            }
            if let Some(reservation) = self.take_from_node().await {
                return reservation;
            }
        }
    }

    /// Takes what an instance is likely to need, if it is free and nobody waits for it.
    pub(crate) fn try_take(&self) -> Option<MemoryReservation> {
        let _queues = (self.queue.try_lock().ok()?, self.node.queue.try_lock().ok()?);
        self.acquire()
    }

    /// Waits for memory of the node. Returns nothing when the function's own part is used up
    /// meanwhile, because other functions must not wait for that. The first in the queue now and
    /// then lets those behind it pass, who may need less, and waits longer each time.
    async fn take_from_node(&self) -> Option<MemoryReservation> {
        let mut stays_first = FIRST_IN_QUEUE;
        loop {
            let _first_of_all = self.node.queue.lock().await;
            match timeout(stays_first, self.take_as_first()).await {
                Ok(taken) => return taken,
                Err(_) => stays_first *= 2,
            }
        }
    }

    async fn take_as_first(&self) -> Option<MemoryReservation> {
        loop {
            let released = self.node.released.notified();
            if let Some(reservation) = self.acquire() {
                return Some(reservation);
            }
            if !self.function_has_enough() {
                return None;
            }
            if !self.node.reclaim(self.usual.load(Relaxed)) {
                released.await;
            }
        }
    }

    /// Whether one more instance could have its memory now, if idle instances of other functions
    /// were ended.
    pub(crate) fn has_enough(&self) -> bool {
        let usual = self.usual.load(Relaxed) as usize;
        let of_node = self.node.free.available_permits() + self.node.idle_pages();
        self.function_has_enough() && of_node >= usual
    }

    fn function_has_enough(&self) -> bool {
        self.free.available_permits() >= self.usual.load(Relaxed) as usize
    }

    fn acquire(&self) -> Option<MemoryReservation> {
        let pages = self.usual.load(Relaxed);
        let (of_function, of_node) = acquire_both(&self.free, &self.node.free, pages)?;
        let idle = Arc::downgrade(&self.idle);
        let notifies = NotifyOnDrop(Arc::clone(&self.node));
        Some(MemoryReservation { pages, of_function, of_node, idle, notifies })
    }

    /// The part of the next version of the function: both versions share it.
    pub(crate) fn for_next_version(&self, idle: Arc<dyn EndsIdleInstances>) -> Self {
        self.node.register(&idle);
        Self {
            node: Arc::clone(&self.node),
            free: Arc::clone(&self.free),
            max: self.max,
            queue: Mutex::default(),
            idle,
            usual: AtomicU32::new(self.usual.load(Relaxed)),
        }
    }

    /// The most that one instance can ever have, in bytes.
    pub(crate) fn max_bytes(&self) -> usize {
        usize::try_from(u64::from(self.max) * PAGE).unwrap_or(usize::MAX)
    }

    /// Records what an instance needed. A larger value counts at once and fades little by little.
    pub(crate) fn record(&self, bytes: usize) {
        let usual = self.usual.load(Relaxed);
        let used = pages(bytes).map_or(self.max, |used| used.min(self.max));
        let next = used.max(usual - usual / 8);
        if next != usual {
            self.usual.store(next, Relaxed);
        }
    }
}

impl MemoryReservation {
    /// Grows the reservation to `bytes`. Returns false if not enough is left.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        match pages(bytes).map(|pages| pages.saturating_sub(self.pages)) {
            None => false,
            Some(0) => true,
            Some(more) => self.reserve(more) || self.reclaim(more) && self.reserve(more),
        }
    }

    /// Ends idle instances where that helps. If its function's part is used up, only those of its
    /// function do.
    fn reclaim(&self, more: u32) -> bool {
        while self.of_function.semaphore().available_permits() < more as usize {
            if !self.idle.upgrade().is_some_and(|idle| idle.end_one()) {
                return false;
            }
        }
        self.of_node.semaphore().available_permits() >= more as usize || self.notifies.0.reclaim(more)
    }

    /// Gives everything back and notifies those who wait.
    pub(crate) fn release(&mut self) {
        let pages = self.pages as usize;
        drop((self.of_function.split(pages), self.of_node.split(pages)));
        self.pages = 0;
        self.notifies.0.released.notify_waiters();
    }

    fn reserve(&mut self, more: u32) -> bool {
        let taken = acquire_both(self.of_function.semaphore(), self.of_node.semaphore(), more);
        let Some((of_function, of_node)) = taken else { return false };
        self.of_function.merge(of_function);
        self.of_node.merge(of_node);
        self.pages += more;
        true
    }
}

/// Takes pages of both semaphores, or of none. Holds none of them for a moment if the node has too
/// few.
fn acquire_both(
    function: &Arc<Semaphore>,
    node: &Arc<Semaphore>,
    pages: u32,
) -> Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)> {
    if node.available_permits() < pages as usize {
        return None;
    }
    let of_function = Arc::clone(function).try_acquire_many_owned(pages).ok()?;
    let of_node = Arc::clone(node).try_acquire_many_owned(pages).ok()?;
    Some((of_function, of_node))
}

fn semaphore(pages: u32) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(pages as usize))
}

fn pages(bytes: usize) -> Option<u32> {
    u32::try_from(u64::try_from(bytes).ok()?.div_ceil(PAGE)).ok()
}

/// Pages that one function may have of so many.
fn max_of_one(pages: u32) -> u32 {
    pages / 4 * 3
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const MB: usize = 1 << 20;

    fn budget(megabytes: u64) -> MemoryBudget {
        MemoryBudget::new(Some(megabytes << 20))
    }

    // rows: LIMIT_BUDGET
    #[test]
    fn instances_grow_until_the_budget_is_used_up_and_give_it_back() {
        let budget = budget(64);
        let (one, other) = (budget.for_function(Arc::new(())), budget.for_function(Arc::new(())));
        let mut large = one.try_take().expect("the first");
        assert!(large.grow(40 * MB));
        assert!(!large.grow(49 * MB), "three quarters are the most that one function may have");
        let mut small = other.try_take().expect("room for another function");
        assert!(small.grow(20 * MB) && !small.grow(40 * MB));
        assert_eq!(budget.megabytes(), (64, 4));
        drop(large);
        assert!(small.grow(40 * MB));
        drop(small);
        assert_eq!(budget.megabytes(), (64, 64));
    }

    // rows: LIMIT_BUDGET
    #[test]
    fn memory_is_enough_if_its_function_and_the_node_have_it_free() {
        let budget = budget(64);
        let (one, other) = (budget.for_function(Arc::new(())), budget.for_function(Arc::new(())));
        let mut held = one.try_take().expect("the first");
        assert!(held.grow(40 * MB));
        one.record(8 * MB);
        assert!(one.has_enough(), "8 of 48 MB are left to it");
        one.record(9 * MB);
        other.record(24 * MB);
        assert!(!one.has_enough() && other.has_enough());
        other.record(25 * MB);
        assert!(!other.has_enough());
    }

    // rows: LIMIT_BUDGET
    #[tokio::test]
    async fn the_first_to_wait_is_served_first() {
        let budget = budget(64);
        let (large, small) = (budget.for_function(Arc::new(())), budget.for_function(Arc::new(())));
        let mut held = large.try_take().expect("the first");
        assert!(held.grow(48 * MB));
        small.record(20 * MB);
        let mut waits = Box::pin(small.take());
        assert!((&mut waits).now_or_never().is_none());
        small.record(0);
        let next = budget.for_function(Arc::new(()));
        assert!(next.try_take().is_none(), "a later one does not overtake, though it would fit");
        drop(held);
        assert!(waits.now_or_never().is_some());
    }

    // rows: LIMIT_BUDGET X16
    #[tokio::test]
    async fn a_request_that_waits_for_much_lets_smaller_ones_pass() {
        let budget = budget(64);
        let (large, held) = (budget.for_function(Arc::new(())), budget.for_function(Arc::new(())));
        let mut running = held.try_take().expect("the first");
        assert!(running.grow(40 * MB));
        large.record(30 * MB);
        let small = budget.for_function(Arc::new(()));
        let (reservation, ()) = tokio::join!(large.take(), async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let passed = timeout(Duration::from_secs(5), small.take()).await.expect("what it needs is free");
            assert_eq!(passed.pages, INITIAL_PAGES);
            drop((passed, running));
        });
        assert_eq!(reservation.pages, 480, "and it comes to its own");
    }

    // rows: LIMIT_BUDGET
    #[tokio::test]
    async fn a_waiting_request_holds_no_memory_that_a_running_instance_needs() {
        let budget = budget(64);
        let (running, large) = (budget.for_function(Arc::new(())), budget.for_function(Arc::new(())));
        let mut held = running.try_take().expect("the first");
        assert!(held.grow(40 * MB));
        large.record(30 * MB);
        let mut waits = Box::pin(large.take());
        assert!((&mut waits).now_or_never().is_none());
        assert!(held.grow(44 * MB), "20 MB are used by nobody");
        assert_eq!(budget.megabytes(), (64, 20));
        running.record(8 * MB);
        let mut waits_for_own = Box::pin(running.take());
        assert!((&mut waits_for_own).now_or_never().is_none());
        assert!(held.grow(48 * MB), "nor do those of its own function take any");
        drop(held);
        assert_eq!(waits.now_or_never().expect("room again").pages, 480);
        assert!(waits_for_own.now_or_never().is_some());
    }

    // rows: LIMIT_BUDGET
    #[tokio::test]
    async fn a_wait_for_its_own_functions_memory_blocks_no_other_function() {
        let budget = budget(64);
        let (one, other) = (budget.for_function(Arc::new(())), budget.for_function(Arc::new(())));
        let mut held = one.try_take().expect("the first");
        assert!(held.grow(48 * MB));
        let mut waits = Box::pin(one.take());
        assert!((&mut waits).now_or_never().is_none());
        let small = other.try_take().expect("12 MB are free for others");
        assert_eq!(other.take().now_or_never().expect("and for one who would wait").pages, small.pages);
    }

    // rows: LIMIT_BUDGET
    #[test]
    fn what_is_taken_follows_what_was_used() {
        let budget = budget(64);
        let function = budget.for_function(Arc::new(()));
        function.record(32 * MB);
        assert_eq!(function.try_take().expect("free").pages, 512);
        for _ in 0..40 {
            function.record(2 * MB);
        }
        assert!((32..=40).contains(&function.try_take().expect("free").pages));
    }

    // rows: LIMIT_BUDGET
    #[tokio::test]
    async fn a_reservation_may_be_released_before_its_instance_is_gone() {
        let budget = budget(64);
        let function = budget.for_function(Arc::new(()));
        let mut reservation = function.try_take().expect("free");
        assert!(reservation.grow(48 * MB));
        let mut waits = Box::pin(function.take());
        assert!((&mut waits).now_or_never().is_none());
        reservation.release();
        assert_eq!(budget.megabytes(), (64, 64));
        assert!(waits.now_or_never().is_some(), "it is told");
        drop(reservation);
        assert_eq!(budget.megabytes(), (64, 64), "once");
    }

    // rows: LIMIT_BUDGET
    #[test]
    fn idle_instances_hold_a_quarter_at_most() {
        let budget = budget(64);
        let function = budget.for_function(Arc::new(()));
        let mut reservation = function.try_take().expect("free");
        let first = budget.reserve_idle(&reservation).expect("4 MB may wait");
        assert!(reservation.grow(13 * MB) && budget.reserve_idle(&reservation).is_none());
        drop(first);
        assert!(budget.reserve_idle(&reservation).is_some());
    }

    #[test]
    fn the_default_budget_is_half_of_the_memory() {
        let (all, free) = MemoryBudget::new(None).megabytes();
        assert!(all == free && all >= 32, "{all} MB");
    }
}
