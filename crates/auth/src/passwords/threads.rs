//! The threads that hash: few, of low priority, with a bounded queue.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use crate::wire::error::PasswordError;

/// Most passwords that wait at once.
const LONGEST_QUEUE: usize = 256;
/// Longest that one of them waits: where the machine has no time for more, who asks hears of it
/// well before the request's own time is over, and the hash is not begun.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Added to the priority number of the threads: other work of the machine goes first.
const NICENESS: i32 = 5;

type Job = Box<dyn FnOnce() + Send>;

/// Half of the machine's cores. The threads end when this value is dropped.
pub(super) struct Threads {
    queue: SyncSender<Job>,
    longest_wait: Duration,
}

impl Threads {
    pub(super) fn start() -> Self {
        Self::waiting_at_most(LONGEST_WAIT)
    }

    fn waiting_at_most(longest_wait: Duration) -> Self {
        let (queue, jobs) = sync_channel::<Job>(LONGEST_QUEUE);
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..count() {
            let jobs = Arc::clone(&jobs);
            let work = move || work(&jobs);
            if let Err(error) = std::thread::Builder::new().name(format!("hashing-{number}")).spawn(work) {
                tracing::error!(%error, "a hashing thread could not be started");
            }
        }
        Self { queue, longest_wait }
    }

    /// Runs a job on one of the threads; what it gave, and how long it waited for its turn. When
    /// the future is dropped before that, the job is not done.
    ///
    /// # Errors
    /// [`PasswordError::Busy`] when the queue is full, or does not come to the job in time.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Duration), PasswordError> {
        let (answer, answered) = oneshot::channel();
        let (queued, longest_wait) = (Instant::now(), self.longest_wait);
        let job: Job = Box::new(move || {
            if !answer.is_closed() {
                let waited = queued.elapsed();
                // Whoever asked may have gone meanwhile.
                let _ = answer.send((waited <= longest_wait).then(|| (job(), waited)));
            }
        });
        self.queue.try_send(job).map_err(|refused| match refused {
            TrySendError::Full(_) => PasswordError::Busy,
            TrySendError::Disconnected(_) => PasswordError::ThreadLost,
        })?;
        answered.await.map_err(|_| PasswordError::ThreadLost)?.ok_or(PasswordError::Busy)
    }
}

/// Half of the machine's cores.
pub(super) fn count() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (cores / 2).max(1)
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::warn!(%error, "a hashing thread keeps its priority");
    }
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            // A job that panics must not take the thread with it: the next password is somebody
            // else's.
            Ok(job) => drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(job))),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: PW8
    #[tokio::test]
    async fn a_password_that_waited_too_long_is_not_hashed() {
        let threads = Threads::waiting_at_most(Duration::ZERO);
        let begun = threads.run(|| ()).await;
        assert!(matches!(begun, Err(PasswordError::Busy)));
    }

    // rows: PW8
    #[tokio::test]
    async fn the_queue_is_bounded_and_a_panic_takes_no_thread_along() {
        let threads = Threads::start();
        for _ in 0..8 {
            let lost: Result<((), _), _> = threads.run(|| panic!("a test")).await;
            assert!(matches!(lost, Err(PasswordError::ThreadLost)));
        }
        assert_eq!(threads.run(|| 7).await.unwrap().0, 7);
        let (stop, stopped) = sync_channel::<()>(0);
        let stopped = Arc::new(Mutex::new(stopped));
        let mut waiting = Vec::new();
        let mut refused = 0;
        let threads = Arc::new(threads);
        for _ in 0..LONGEST_QUEUE + 64 {
            let (threads, stopped) = (Arc::clone(&threads), Arc::clone(&stopped));
            waiting.push(tokio::spawn(async move {
                threads.run(move || stopped.lock().unwrap().recv().is_err()).await
            }));
        }
        // The runtime looks after a few dozen tasks at a time.
        for _ in 0..LONGEST_QUEUE {
            tokio::task::yield_now().await;
        }
        drop(stop);
        for one in waiting {
            refused += usize::from(matches!(one.await.unwrap(), Err(PasswordError::Busy)));
        }
        assert!(refused > 0, "what does not fit into the queue is told so");
    }
}
