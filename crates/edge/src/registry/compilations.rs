//! The compilations that functions wait for: their order, and whether the first ones are done.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::sync::watch;

use crate::capacity::compile_queue::{Candidate, CompileJob, CompileQueue};

/// The compilations of a node.
pub(super) struct Compilations {
    queue: CompileQueue,
    is_stopping: AtomicBool,
    /// Sent after each compilation: whether every component found at the start is compiled.
    startup_done: watch::Sender<bool>,
}

impl Default for Compilations {
    fn default() -> Self {
        Self {
            queue: CompileQueue::default(),
            is_stopping: AtomicBool::new(false),
            startup_done: watch::Sender::new(false),
        }
    }
}

impl Compilations {
    /// Starts no more compilations, so that a stop waits only for those that run.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Relaxed);
    }

    /// The next compilation, if one may start now.
    pub(super) fn next(&self, candidates: impl FnOnce() -> Vec<Candidate>) -> Option<CompileJob<'_>> {
        if self.is_stopping.load(Relaxed) { None } else { self.queue.next(candidates) }
    }

    /// Notes that the number of pending compilations may have changed. Once it was none, the start
    /// is done for good.
    pub(super) fn note_pending(&self, pending: usize) {
        self.startup_done.send_modify(|is_done| *is_done |= pending == 0);
    }

    pub(super) fn is_startup_done(&self) -> bool {
        *self.startup_done.borrow()
    }

    /// Receives a value after each compilation.
    pub(super) fn subscribe(&self) -> watch::Receiver<bool> {
        self.startup_done.subscribe()
    }
}
