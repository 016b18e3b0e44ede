//! What one instance may use: memory, tables, CPU time (CONTRACT.md H09, `LIMIT_…`).

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};
use wasmtime::{ResourceLimiter, StoreLimits, StoreLimitsBuilder};

use super::memory::MemoryReservation;
use crate::engine::{CORE_INSTANCES, TABLE_ELEMENTS, TABLES};

/// Handles to host resources at a time. Each one takes memory of the host: a message's headers take
/// up to 48 KB.
pub(crate) const HANDLES: usize = 256;

/// Bytes of the headers of one message, as the host keeps them.
pub(crate) const HEADER_BYTES: usize = 32 << 10;

/// Bytes that a guest may pass in one call of the host. They cost memory and work of the host. A
/// piece of a body has half of that.
pub(crate) const HOSTCALL_BYTES: usize = 128 << 10;

/// Bytes of random numbers that one call gives.
pub(crate) const RANDOM_BYTES: u64 = 1 << 20;

/// Bytes of a method, or of a host with its port, in a request that a guest makes. The host keeps
/// both with the request's handle.
pub(crate) const NAME_BYTES: usize = 1 << 10;

/// A path of more bytes counts as long. Shorter paths of all handles together are few bytes.
pub(crate) const LONG_PATH: usize = 4 << 10;

/// Bytes of the long paths that one instance may have at a time, in requests that it made and in
/// calls without an answer: sixteen of the longest paths, such as a list of a thousand ids.
pub(crate) const LONG_PATHS: usize = 1 << 20;

/// Bytes of a table's element.
const ELEMENT: usize = 8;

/// A guest that runs for so long without waiting is busy. A function whose requests take so much
/// CPU time is busy too.
pub(crate) const BUSY: Duration = Duration::from_millis(2);

/// A poll that took less time by the clock counts with that time. A thread that lost its processor
/// would hardly have it back sooner, and reading CPU time is a system call, which is slow for a
/// short request.
const SHORT: Duration = Duration::from_micros(200);

/// Why a guest got no more memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryRefusal {
    /// Its function may have no more.
    Function,
    /// The node has no more.
    Node,
}

/// Bounds memory and tables of one instance. Remembers that memory was refused, because the guest
/// then ends in a plain trap.
pub(crate) struct InstanceLimits {
    limits: StoreLimits,
    reservation: MemoryReservation,
    refused: Option<MemoryRefusal>,
    largest_memory: usize,
    /// Bytes of all tables, which never shrink.
    tables: usize,
    /// Bytes that it would have held if the node had had the memory.
    wanted: usize,
}

impl InstanceLimits {
    /// Allows at most `memory` bytes. They are added to the reservation as the instance needs them.
    pub(crate) fn new(memory: usize, reservation: MemoryReservation) -> Self {
        let limits = StoreLimitsBuilder::new()
            .memory_size(memory)
            .table_elements(TABLE_ELEMENTS)
            .memories(1)
            .tables(TABLES as usize)
            .instances(CORE_INSTANCES as usize)
            .build();
        Self { limits, reservation, refused: None, largest_memory: 0, tables: 0, wanted: 0 }
    }

    /// Begins another request.
    pub(crate) fn renew(&mut self) {
        self.refused = None;
        self.wanted = 0;
    }

    /// Whether the guest asked for more memory than it may have, or than there was.
    pub(crate) fn refused(&self) -> Option<MemoryRefusal> {
        self.refused
    }

    /// What it holds of the node's memory.
    pub(crate) fn reservation(&self) -> &MemoryReservation {
        &self.reservation
    }

    /// Gives back what it holds of the node's memory. The instance must not run again.
    pub(crate) fn release_memory(&mut self) {
        self.reservation.release();
    }

    /// The largest the memory has been, in bytes.
    pub(crate) fn largest_memory(&self) -> usize {
        self.largest_memory
    }

    /// Bytes that a request like this needs: what it had, or what it would have had if the node had
    /// had more memory.
    pub(crate) fn needed(&self) -> usize {
        self.held().max(self.wanted)
    }

    /// Bytes of memory and tables. Neither ever shrinks.
    fn held(&self) -> usize {
        self.largest_memory + self.tables
    }

    /// Adds `more` bytes to the reservation. Returns false if the node does not have so much left.
    fn reserve(&mut self, more: usize) -> bool {
        let all = self.held().saturating_add(more);
        let has_memory = self.reservation.grow(all);
        if !has_memory {
            self.refused = Some(MemoryRefusal::Node);
            self.wanted = self.wanted.max(all);
        }
        has_memory
    }
}

impl ResourceLimiter for InstanceLimits {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if !self.limits.memory_growing(current, desired, maximum)? {
            self.refused = Some(MemoryRefusal::Function);
            return Ok(false);
        }
        let has_memory = self.reserve(desired.saturating_sub(self.largest_memory));
        if has_memory {
            self.largest_memory = self.largest_memory.max(desired);
        }
        Ok(has_memory)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if !self.limits.table_growing(current, desired, maximum)? {
            return Ok(false);
        }
        let more = desired.saturating_sub(current).saturating_mul(ELEMENT);
        let has_memory = self.reserve(more);
        if has_memory {
            self.tables += more;
        }
        Ok(has_memory)
    }

    fn instances(&self) -> usize {
        self.limits.instances()
    }

    fn tables(&self) -> usize {
        self.limits.tables()
    }

    fn memories(&self) -> usize {
        self.limits.memories()
    }
}

/// What happens to a guest at a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tick {
    /// It has used up its CPU time.
    Stop,
    /// It has run for long enough without a pause.
    Yield,
    /// It has only just started.
    GoOn,
}

/// The CPU time of one instance: what its thread spent while the instance was polled. Waiting costs
/// nothing.
#[derive(Debug)]
pub(crate) struct CpuMeter {
    limit: Duration,
    spent: AtomicU64,
    polled_at: AtomicU64,
    exceeded: AtomicBool,
    busy: AtomicBool,
}

impl CpuMeter {
    pub(crate) fn new(limit: Duration) -> Arc<Self> {
        let (zero, no) = (|| AtomicU64::new(0), || AtomicBool::new(false));
        Arc::new(Self { limit, spent: zero(), polled_at: zero(), exceeded: no(), busy: no() })
    }

    /// Called by a running guest at every tick. Returns what happens to it.
    pub(crate) fn tick(&self) -> Tick {
        let running = Duration::from_nanos(thread_time().saturating_sub(self.polled_at.load(Relaxed)));
        if self.spent() + running > self.limit {
            self.exceeded.store(true, Relaxed);
            Tick::Stop
        } else if running > BUSY {
            self.busy.store(true, Relaxed);
            Tick::Yield
        } else {
            Tick::GoOn
        }
    }

    /// Whether the guest ran for long without waiting for anything.
    pub(crate) fn was_busy(&self) -> bool {
        self.busy.load(Relaxed)
    }

    /// Whether the guest was stopped for its CPU time.
    pub(crate) fn was_exceeded(&self) -> bool {
        self.exceeded.load(Relaxed)
    }

    /// CPU time up to the last poll.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Relaxed))
    }
}

/// CPU time of this thread in nanoseconds.
fn thread_time() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or_default()
}

/// Measures the polls of a future. A guest runs on the polling thread from the start of a poll to
/// its end.
pub(crate) struct Metered<F> {
    meter: Arc<CpuMeter>,
    inner: Pin<Box<F>>,
}

impl<F: Future> Metered<F> {
    pub(crate) fn new(meter: Arc<CpuMeter>, inner: F) -> Self {
        Self { meter, inner: Box::pin(inner) }
    }
}

impl<F: Future> Future for Metered<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let (started, began) = (thread_time(), Instant::now());
        self.meter.polled_at.store(started, Relaxed);
        let polled = self.inner.as_mut().poll(context);
        let spent = match began.elapsed() {
            took if took < SHORT => took.subsec_nanos().into(),
            _ => thread_time().saturating_sub(started),
        };
        self.meter.spent.fetch_add(spent, Relaxed);
        polled
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::capacity::memory::MemoryBudget;

    const MB: usize = 1 << 20;

    // rows: LIMIT_BUDGET
    #[test]
    fn what_the_node_had_no_memory_for_counts_as_needed() {
        let budget = MemoryBudget::new(Some(64 << 20));
        let others = budget.for_function(Arc::new(()));
        let mut held = others.try_take().expect("free");
        assert!(held.grow(48 * MB));
        let mut limits =
            InstanceLimits::new(48 * MB, budget.for_function(Arc::new(())).try_take().expect("free"));
        let grow =
            |limits: &mut InstanceLimits, megabytes| limits.memory_growing(0, megabytes * MB, None).unwrap();
        assert!(grow(&mut limits, 8) && !grow(&mut limits, 20));
        assert_eq!(limits.refused(), Some(MemoryRefusal::Node));
        assert_eq!((limits.largest_memory(), limits.needed()), (8 * MB, 20 * MB));
        limits.renew();
        assert!(!grow(&mut limits, 50));
        assert_eq!(limits.refused(), Some(MemoryRefusal::Function));
        assert_eq!(limits.needed(), 8 * MB, "more than it may ever have is nothing to wait for");
    }

    #[test]
    fn a_thread_that_lost_its_processor_costs_nothing() {
        let spent_by = |work: fn()| {
            let meter = CpuMeter::new(Duration::from_secs(1));
            Metered::new(Arc::clone(&meter), async move { work() })
                .now_or_never()
                .expect("waits for nothing");
            meter.spent()
        };
        let slept = spent_by(|| std::thread::sleep(Duration::from_millis(50)));
        assert!(slept < Duration::from_millis(10), "{slept:?}");
        let worked = spent_by(|| {
            let began = thread_time();
            while thread_time() - began < 5_000_000 {}
        });
        assert!(worked >= Duration::from_millis(5), "{worked:?}");
        assert!(spent_by(|| {}) > Duration::ZERO);
    }

    // rows: LIMIT_BUDGET
    #[test]
    fn tables_count_as_memory() {
        let budget = MemoryBudget::new(Some(64 << 20));
        let mut limits =
            InstanceLimits::new(48 * MB, budget.for_function(Arc::new(())).try_take().expect("free"));
        assert!(limits.memory_growing(0, 16 * MB, None).unwrap());
        let before = budget.megabytes().1;
        for _ in 0..16 {
            assert!(limits.table_growing(0, 20_000, Some(20_000)).unwrap());
        }
        assert_eq!(before - budget.megabytes().1, 3, "16 tables of 160,000 bytes");
        assert_eq!(limits.largest_memory(), 16 * MB);
    }
}
