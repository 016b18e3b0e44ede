//! Where instances run: short ones where their request came in, busy ones on threads of their own.
//!
//! Most requests need a processor for less time than it takes to wake another thread. A request
//! that runs for longer would block sockets, sign-ins and rows that the same threads serve. So it
//! moves, and later requests of its function start on the threads for busy functions. Outgoing
//! calls of functions always run on the server's own threads.

use std::{
    cell::Cell,
    io,
    panic::{self, AssertUnwindSafe},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    task::{Context, Poll},
    thread,
    time::Duration,
};

use tokio::runtime::{Builder, Handle, Runtime};

use super::limits::{BUSY, CpuMeter};

/// How far busy functions give way to the server's own threads.
const NICE: i32 = 5;

thread_local! {
    static IS_BUSY_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// The threads for busy functions, one for each processor.
pub(crate) struct BusyThreads(Option<Runtime>);

impl BusyThreads {
    pub(crate) fn start() -> io::Result<Self> {
        Builder::new_multi_thread()
            .worker_threads(thread::available_parallelism().map_or(1, usize::from))
            .thread_name("function")
            .on_thread_start(|| {
                IS_BUSY_THREAD.set(true);
                if let Err(error) = rustix::process::nice(NICE) {
                    tracing::debug!(error = %error, "functions do not give way to others");
                }
            })
            .enable_all()
            .build()
            .map(|runtime| Self(Some(runtime)))
    }

    pub(crate) fn handle(&self) -> Handle {
        self.0.as_ref().expect("there until it is dropped").handle().clone()
    }
}

impl Drop for BusyThreads {
    fn drop(&mut self) {
        // Running tasks have been waited for. Waiting here would block a thread of the server.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Whether the current thread is one of the threads for busy functions.
pub(crate) fn is_busy_thread() -> bool {
    IS_BUSY_THREAD.get()
}

/// How much CPU time a function's requests took lately.
#[derive(Debug, Default)]
pub(crate) struct CpuStats(AtomicU32);

impl CpuStats {
    /// Whether its requests start on the threads for busy functions.
    pub(crate) fn is_busy(&self) -> bool {
        u128::from(self.0.load(Relaxed)) > BUSY.as_micros()
    }

    /// Records one request. A long one counts at once and fades little by little.
    pub(crate) fn record(&self, spent: Duration) {
        let usual = self.0.load(Relaxed);
        let spent = u32::try_from(spent.as_micros()).unwrap_or(u32::MAX);
        let next = spent.max(usual - usual.div_ceil(8));
        if next != usual {
            self.0.store(next, Relaxed);
        }
    }
}

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs an instance until it is done, or until it moves to the threads for busy functions.
pub(crate) struct GuestTask {
    instance: Option<Boxed>,
    meter: Arc<CpuMeter>,
    cpu_stats: Arc<CpuStats>,
    busy: Handle,
}

impl GuestTask {
    /// Runs where it is polled, or on the threads of `busy` if the function is busy by its
    /// statistics.
    pub(crate) fn new(
        instance: impl Future<Output = ()> + Send + 'static,
        meter: Arc<CpuMeter>,
        cpu_stats: Arc<CpuStats>,
        busy: Handle,
    ) -> Self {
        let mut work = Self { instance: Some(Box::pin(instance)), meter, cpu_stats, busy };
        if work.cpu_stats.is_busy() {
            work.move_to_busy_threads();
        }
        work
    }

    fn move_to_busy_threads(&mut self) {
        if let Some(instance) = self.instance.take() {
            self.busy.spawn(instance);
        }
    }

    /// Polls the instance. Returns whether nothing is left to do here. A panic of the host ends the
    /// instance, but not the task that waits for it.
    fn poll_here(&mut self, context: &mut Context<'_>) -> bool {
        let Some(instance) = &mut self.instance else { return true };
        let polled = panic::catch_unwind(AssertUnwindSafe(|| instance.as_mut().poll(context)));
        if !matches!(polled, Ok(Poll::Pending)) {
            self.instance = None;
        } else if self.meter.was_busy() {
            self.cpu_stats.record(BUSY * 2);
            self.move_to_busy_threads();
        }
        self.instance.is_none()
    }
}

impl Future for GuestTask {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.poll_here(context) { Poll::Ready(()) } else { Poll::Pending }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_busy_for_a_while_after_a_long_request() {
        let cpu_stats = CpuStats::default();
        assert!(!cpu_stats.is_busy());
        cpu_stats.record(Duration::from_millis(10));
        assert!(cpu_stats.is_busy());
        for _ in 0..20 {
            cpu_stats.record(Duration::from_micros(50));
        }
        assert!(!cpu_stats.is_busy());
    }
}
