//! How many deployments are compiled at a time.

use tokio::{runtime::Handle, sync::Semaphore};

/// Deployments that are compiled at a time. Each one takes hundreds of megabytes, and as many
/// threads as there are processors.
const AT_ONCE: usize = 2;

/// Bounds the compilations of deployments. Components that were found in the folder have a queue of
/// their own (`compile_queue.rs`), so that neither waits for the other.
pub(crate) struct CompilePermits(Semaphore);

impl Default for CompilePermits {
    fn default() -> Self {
        Self(Semaphore::new(AT_ONCE))
    }
}

impl CompilePermits {
    /// Calls `compile` once fewer than two deployments compile. Must be called on a thread that may
    /// block.
    pub(crate) fn compile<T>(&self, compile: impl FnOnce() -> T) -> T {
        let _permit = Handle::current().block_on(self.0.acquire()).expect("it is never closed");
        compile()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering::SeqCst},
        },
        time::Duration,
    };

    use super::*;

    // rows: G10
    #[tokio::test]
    async fn no_more_than_two_deployments_are_compiled_at_a_time() {
        let (permits, now, most) = (
            Arc::new(CompilePermits::default()),
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicUsize::new(0)),
        );
        let compilations = (0..6).map(|_| {
            let (permits, now, most) = (Arc::clone(&permits), Arc::clone(&now), Arc::clone(&most));
            tokio::task::spawn_blocking(move || {
                permits.compile(|| {
                    most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                    std::thread::sleep(Duration::from_millis(20));
                    now.fetch_sub(1, SeqCst);
                });
            })
        });
        for done in futures_util::future::join_all(compilations).await {
            done.unwrap();
        }
        assert_eq!(most.load(SeqCst), 2);
    }
}
