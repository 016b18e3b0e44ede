//! What an instance may use: memory, tables, CPU (functions.md section 5, H09).

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};
use wasmtime::{ResourceLimiter, StoreLimits, StoreLimitsBuilder};

use crate::engine::TABLE_ELEMENTS;

/// Handles to host resources at a time.
pub(crate) const HANDLES: usize = 1000;

/// Memory and tables of one instance; remembers that memory was refused, since the guest then ends in a plain trap.
pub(crate) struct Limits {
    limits: StoreLimits,
    memory_refused: bool,
    largest_memory: usize,
}

impl Limits {
    pub(crate) fn new(memory_mb: u32) -> Self {
        let limits = StoreLimitsBuilder::new()
            .memory_size(memory_mb as usize * (1 << 20))
            .table_elements(TABLE_ELEMENTS)
            .memories(1)
            .tables(4)
            .instances(8)
            .build();
        Self { limits, memory_refused: false, largest_memory: 0 }
    }

    /// Begins another request.
    pub(crate) fn renew(&mut self) {
        self.memory_refused = false;
    }

    /// Whether the guest asked for more memory than it may have.
    pub(crate) fn memory_refused(&self) -> bool {
        self.memory_refused
    }

    /// The largest the memory has been, in bytes.
    pub(crate) fn largest_memory(&self) -> usize {
        self.largest_memory
    }
}

impl ResourceLimiter for Limits {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let allowed = self.limits.memory_growing(current, desired, maximum)?;
        if allowed {
            self.largest_memory = self.largest_memory.max(desired);
        } else {
            self.memory_refused = true;
        }
        Ok(allowed)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.limits.table_growing(current, desired, maximum)
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

/// The CPU time of one instance: what its thread spent while it was polled, so waiting costs nothing.
#[derive(Debug)]
pub(crate) struct CpuMeter {
    limit: Duration,
    spent: AtomicU64,
    polled_at: AtomicU64,
    exceeded: AtomicBool,
}

impl CpuMeter {
    pub(crate) fn new(limit: Duration) -> Arc<Self> {
        let zero = || AtomicU64::new(0);
        Arc::new(Self { limit, spent: zero(), polled_at: zero(), exceeded: AtomicBool::new(false) })
    }

    /// Called by a running guest at every tick: whether it must stop.
    pub(crate) fn is_exceeded_now(&self) -> bool {
        let running = thread_time().saturating_sub(self.polled_at.load(Relaxed));
        let exceeded = self.spent() + Duration::from_nanos(running) > self.limit;
        if exceeded {
            self.exceeded.store(true, Relaxed);
        }
        exceeded
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

/// A future whose polls are measured; a guest runs on the polling thread from the start of a poll to its end.
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
        let started = thread_time();
        self.meter.polled_at.store(started, Relaxed);
        let polled = self.inner.as_mut().poll(context);
        self.meter.spent.fetch_add(thread_time().saturating_sub(started), Relaxed);
        polled
    }
}
