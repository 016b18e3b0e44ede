//! The memory of all instances together (CONTRACT.md LIMIT_BUDGET): what they hold never exceeds
//! the node's budget.
//!
//! A request takes what instances of its function used lately before it runs, so that a small function waits for little,
//! and takes more as its instance grows. Who waits holds nothing meanwhile: what is free belongs to instances that run and
//! grow, since ending one of them would lose work that was done. Instances that wait for another request are ended where
//! that makes the room that somebody needs, also when they begin to wait later than the one who needs it.

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

use crate::idle::Idle;

/// Bytes of a permit: a page of WebAssembly.
const PAGE: u64 = 64 << 10;
/// Pages that a function is taken to need until it has run.
const AT_FIRST: u32 = 64;
/// How long the first who waits keeps those behind it from what is free; twice as long each time that it has let them pass.
const PATIENCE: Duration = Duration::from_millis(250);

/// The budget of a node.
pub(crate) struct Budget {
    pages: u32,
    all: Arc<All>,
}

/// What instances of all functions share.
struct All {
    free: Arc<Semaphore>,
    /// Held by the one who has the next turn.
    line: Mutex<()>,
    given_back: Notify,
    /// Instances that wait for another request. They are an advantage for as long as nobody needs their memory.
    idle: std::sync::Mutex<Vec<Weak<Idle>>>,
    /// What those may hold.
    may_idle: Arc<Semaphore>,
    /// The pages of that.
    most_idle: u32,
}

impl All {
    /// Instances of another version may wait from now on.
    fn know(&self, idle: &Arc<Idle>) {
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() > 0);
        all.push(Arc::downgrade(idle));
    }

    /// Pages of instances that wait.
    fn held_by_waiting(&self) -> usize {
        (self.most_idle as usize).saturating_sub(self.may_idle.available_permits())
    }

    /// Ends instances that wait until so many pages are free, and none where that cannot be reached; tells whether it
    /// ended any.
    fn make_room(&self, pages: u32) -> bool {
        let lacks = || self.free.available_permits() < pages as usize;
        if self.free.available_permits() + self.held_by_waiting() < pages as usize {
            return false;
        }
        let functions = self.idle.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut has_ended = false;
        for idle in functions.iter().filter_map(Weak::upgrade) {
            while lacks() && idle.end_one() {
                has_ended = true;
            }
        }
        has_ended
    }
}

/// A function's part in it.
pub(crate) struct Portion {
    all: Arc<All>,
    /// What its instances may hold together, so that some is always left for other functions.
    own: Arc<Semaphore>,
    /// The pages of that.
    most: u32,
    /// Held by the first of its requests that wait.
    line: Mutex<()>,
    /// Its instances that wait for another request.
    idle: Arc<Idle>,
    /// Pages that an instance used lately.
    usual: AtomicU32,
}

/// What one instance holds; given back when this is dropped.
pub(crate) struct Share {
    pages: u32,
    own: OwnedSemaphorePermit,
    all: OwnedSemaphorePermit,
    /// Those of its function that wait, among which this may be one day.
    idle: Weak<Idle>,
    /// Dropped after the permits, so that who is told finds them.
    tells: Tells,
}

/// Tells those that wait that something was given back.
struct Tells(Arc<All>);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.given_back.notify_waiters();
    }
}

impl Budget {
    /// Of so many bytes, or else of half the memory there is.
    pub(crate) fn new(bytes: Option<u64>) -> Self {
        let pages = u32::try_from(bytes.unwrap_or_else(|| machine::memory() / 2) / PAGE).unwrap_or(u32::MAX);
        let all = All {
            free: semaphore(pages),
            line: Mutex::default(),
            given_back: Notify::new(),
            idle: std::sync::Mutex::default(),
            may_idle: semaphore(pages / 4),
            most_idle: pages / 4,
        };
        Self { pages, all: Arc::new(all) }
    }

    /// Megabytes in all, and those that nobody holds.
    pub(crate) fn megabytes(&self) -> (u64, u64) {
        let free = u64::try_from(self.all.free.available_permits()).unwrap_or(u64::MAX);
        ((u64::from(self.pages) * PAGE) >> 20, (free * PAGE) >> 20)
    }

    /// A function's part.
    pub(crate) fn portion(&self) -> Portion {
        let most = most_of_one(self.pages);
        let idle = Arc::new(Idle::default());
        self.all.know(&idle);
        Portion {
            all: Arc::clone(&self.all),
            own: semaphore(most),
            most,
            line: Mutex::default(),
            idle,
            usual: AtomicU32::new(AT_FIRST.min(most)),
        }
    }

    /// Lets an instance hold what it has while it waits for another request; nothing where others hold as much already.
    pub(crate) fn let_wait(&self, share: &Share) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.all.may_idle).try_acquire_many_owned(share.pages).ok()
    }

    /// Tells those who wait for memory that an instance waits which can be ended for it.
    pub(crate) fn note_idle(&self) {
        self.all.given_back.notify_waiters();
    }
}

impl Portion {
    /// What an instance is likely to need, as soon as it is free; who came first has it first.
    pub(crate) async fn take(&self) -> Share {
        let _first_of_function = self.line.lock().await;
        loop {
            let given_back = self.all.given_back.notified();
            if !self.has_own() {
                // What others hold is not what it lacks.
                if !self.idle.end_one() {
                    given_back.await;
                }
                continue;
            }
            if let Some(share) = self.take_from_all().await {
                return share;
            }
        }
    }

    /// The same where it is free now, and nobody waits for it.
    pub(crate) fn try_take(&self) -> Option<Share> {
        let _lines = (self.line.try_lock().ok()?, self.all.line.try_lock().ok()?);
        self.acquire()
    }

    /// Waits for the others' memory; nothing when the function's own is used up meanwhile, which other functions must not
    /// wait for. Who is first lets those behind it pass now and then, who may need less, and waits longer each time.
    async fn take_from_all(&self) -> Option<Share> {
        let mut patience = PATIENCE;
        loop {
            let _first_of_all = self.all.line.lock().await;
            match timeout(patience, self.take_as_first()).await {
                Ok(taken) => return taken,
                Err(_) => patience *= 2,
            }
        }
    }

    async fn take_as_first(&self) -> Option<Share> {
        loop {
            let given_back = self.all.given_back.notified();
            if let Some(share) = self.acquire() {
                return Some(share);
            }
            if !self.has_own() {
                return None;
            }
            if !self.all.make_room(self.usual.load(Relaxed)) {
                given_back.await;
            }
        }
    }

    /// Its instances that wait, which give way to who needs their memory.
    pub(crate) fn idle(&self) -> &Arc<Idle> {
        &self.idle
    }

    /// Whether one more instance could have its memory now, if those of other functions gave way that only wait.
    pub(crate) fn has_room(&self) -> bool {
        let usual = self.usual.load(Relaxed) as usize;
        self.has_own() && self.all.free.available_permits() + self.all.held_by_waiting() >= usual
    }

    fn has_own(&self) -> bool {
        self.own.available_permits() >= self.usual.load(Relaxed) as usize
    }

    fn acquire(&self) -> Option<Share> {
        let pages = self.usual.load(Relaxed);
        let (own, all) = both(&self.own, &self.all.free, pages)?;
        let idle = Arc::downgrade(&self.idle);
        Some(Share { pages, own, all, idle, tells: Tells(Arc::clone(&self.all)) })
    }

    /// That of another version of the function, which has it together with this one.
    pub(crate) fn of_next_version(&self) -> Self {
        let idle = Arc::new(Idle::default());
        self.all.know(&idle);
        Self {
            all: Arc::clone(&self.all),
            own: Arc::clone(&self.own),
            most: self.most,
            line: Mutex::default(),
            idle,
            usual: AtomicU32::new(self.usual.load(Relaxed)),
        }
    }

    /// The most that one instance can ever have, in bytes.
    pub(crate) fn most(&self) -> usize {
        usize::try_from(u64::from(self.most) * PAGE).unwrap_or(usize::MAX)
    }

    /// Remembers what an instance has needed. A larger one counts at once and is forgotten little by little.
    pub(crate) fn learn(&self, bytes: usize) {
        let usual = self.usual.load(Relaxed);
        let used = pages(bytes).map_or(self.most, |used| used.min(self.most));
        let next = used.max(usual - usual / 8);
        if next != usual {
            self.usual.store(next, Relaxed);
        }
    }
}

impl Share {
    /// Holds `bytes`; false when there is not so much left.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        match pages(bytes).map(|pages| pages.saturating_sub(self.pages)) {
            None => false,
            Some(0) => true,
            Some(more) => self.take(more) || self.make_room(more) && self.take(more),
        }
    }

    /// Ends instances that wait where that helps: those of its own function when their common part is used up.
    fn make_room(&self, more: u32) -> bool {
        while self.own.semaphore().available_permits() < more as usize {
            if !self.idle.upgrade().is_some_and(|idle| idle.end_one()) {
                return false;
            }
        }
        self.all.semaphore().available_permits() >= more as usize || self.tells.0.make_room(more)
    }

    /// Holds nothing any more, and tells those that wait.
    pub(crate) fn give_back(&mut self) {
        let pages = self.pages as usize;
        drop((self.own.split(pages), self.all.split(pages)));
        self.pages = 0;
        self.tells.0.given_back.notify_waiters();
    }

    fn take(&mut self, more: u32) -> bool {
        let Some((own, all)) = both(self.own.semaphore(), self.all.semaphore(), more) else { return false };
        self.own.merge(own);
        self.all.merge(all);
        self.pages += more;
        true
    }
}

/// Pages of both; nothing is held for a moment of what cannot be had.
fn both(
    own: &Arc<Semaphore>,
    all: &Arc<Semaphore>,
    pages: u32,
) -> Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)> {
    if all.available_permits() < pages as usize {
        return None;
    }
    let own = Arc::clone(own).try_acquire_many_owned(pages).ok()?;
    let all = Arc::clone(all).try_acquire_many_owned(pages).ok()?;
    Some((own, all))
}

fn semaphore(pages: u32) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(pages as usize))
}

fn pages(bytes: usize) -> Option<u32> {
    u32::try_from(u64::try_from(bytes).ok()?.div_ceil(PAGE)).ok()
}

/// What one function may have of so many pages.
fn most_of_one(pages: u32) -> u32 {
    pages / 4 * 3
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const MB: usize = 1 << 20;

    fn budget(megabytes: u64) -> Budget {
        Budget::new(Some(megabytes << 20))
    }

    #[test]
    fn functions_limit_budget_instances_grow_until_the_budget_is_used_up_and_give_it_back() {
        let budget = budget(64);
        let (one, other) = (budget.portion(), budget.portion());
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

    #[test]
    fn functions_limit_budget_there_is_room_for_what_its_function_and_the_node_have_free() {
        let budget = budget(64);
        let (one, other) = (budget.portion(), budget.portion());
        let mut held = one.try_take().expect("the first");
        assert!(held.grow(40 * MB));
        one.learn(8 * MB);
        assert!(one.has_room(), "8 of 48 MB are left to it");
        one.learn(9 * MB);
        other.learn(24 * MB);
        assert!(!one.has_room() && other.has_room());
        other.learn(25 * MB);
        assert!(!other.has_room());
    }

    #[tokio::test]
    async fn functions_limit_budget_who_came_first_has_it_first() {
        let budget = budget(64);
        let (large, small) = (budget.portion(), budget.portion());
        let mut held = large.try_take().expect("the first");
        assert!(held.grow(48 * MB));
        small.learn(20 * MB);
        let mut waits = Box::pin(small.take());
        assert!((&mut waits).now_or_never().is_none());
        small.learn(0);
        let next = budget.portion();
        assert!(next.try_take().is_none(), "a later one does not overtake, though it would fit");
        drop(held);
        assert!(waits.now_or_never().is_some());
    }

    #[tokio::test]
    async fn functions_limit_budget_x16_who_needs_much_lets_those_pass_who_need_little() {
        let budget = budget(64);
        let (large, held) = (budget.portion(), budget.portion());
        let mut running = held.try_take().expect("the first");
        assert!(running.grow(40 * MB));
        large.learn(30 * MB);
        let small = budget.portion();
        let (share, ()) = tokio::join!(large.take(), async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let passed = timeout(Duration::from_secs(5), small.take()).await.expect("what it needs is free");
            assert_eq!(passed.pages, AT_FIRST);
            drop((passed, running));
        });
        assert_eq!(share.pages, 480, "and it comes to its own");
    }

    #[tokio::test]
    async fn functions_limit_budget_who_waits_holds_nothing_that_a_running_instance_needs() {
        let budget = budget(64);
        let (running, large) = (budget.portion(), budget.portion());
        let mut held = running.try_take().expect("the first");
        assert!(held.grow(40 * MB));
        large.learn(30 * MB);
        let mut waits = Box::pin(large.take());
        assert!((&mut waits).now_or_never().is_none());
        assert!(held.grow(44 * MB), "20 MB are used by nobody");
        assert_eq!(budget.megabytes(), (64, 20));
        running.learn(8 * MB);
        let mut waits_for_own = Box::pin(running.take());
        assert!((&mut waits_for_own).now_or_never().is_none());
        assert!(held.grow(48 * MB), "nor do those of its own function take any");
        drop(held);
        assert_eq!(waits.now_or_never().expect("room again").pages, 480);
        assert!(waits_for_own.now_or_never().is_some());
    }

    #[tokio::test]
    async fn functions_limit_budget_who_waits_for_memory_of_its_own_function_keeps_no_other_waiting() {
        let budget = budget(64);
        let (one, other) = (budget.portion(), budget.portion());
        let mut held = one.try_take().expect("the first");
        assert!(held.grow(48 * MB));
        let mut waits = Box::pin(one.take());
        assert!((&mut waits).now_or_never().is_none());
        let small = other.try_take().expect("12 MB are free for others");
        assert_eq!(other.take().now_or_never().expect("and for one who would wait").pages, small.pages);
    }

    #[test]
    fn functions_limit_budget_what_is_taken_follows_what_was_used() {
        let budget = budget(64);
        let portion = budget.portion();
        portion.learn(32 * MB);
        assert_eq!(portion.try_take().expect("free").pages, 512);
        for _ in 0..40 {
            portion.learn(2 * MB);
        }
        assert!((32..=40).contains(&portion.try_take().expect("free").pages));
    }

    #[tokio::test]
    async fn functions_limit_budget_a_share_may_be_given_back_before_its_instance_is_gone() {
        let budget = budget(64);
        let portion = budget.portion();
        let mut share = portion.try_take().expect("free");
        assert!(share.grow(48 * MB));
        let mut waits = Box::pin(portion.take());
        assert!((&mut waits).now_or_never().is_none());
        share.give_back();
        assert_eq!(budget.megabytes(), (64, 64));
        assert!(waits.now_or_never().is_some(), "it is told");
        drop(share);
        assert_eq!(budget.megabytes(), (64, 64), "once");
    }

    #[test]
    fn functions_limit_budget_instances_that_wait_hold_a_quarter_at_most() {
        let budget = budget(64);
        let portion = budget.portion();
        let mut share = portion.try_take().expect("free");
        let first = budget.let_wait(&share).expect("4 MB may wait");
        assert!(share.grow(13 * MB) && budget.let_wait(&share).is_none());
        drop(first);
        assert!(budget.let_wait(&share).is_some());
    }

    #[test]
    fn without_a_word_the_budget_is_half_of_what_there_is() {
        let (all, free) = Budget::new(None).megabytes();
        assert!(all == free && all >= 32, "{all} MB");
    }
}
