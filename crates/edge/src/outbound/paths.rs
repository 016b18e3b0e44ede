//! Long paths of calls that are on their way. They are in the host's memory, of which one instance
//! may use little.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use crate::capacity::limits::LONG_PATH;

/// Bytes of the long paths of one instance's calls that are on their way.
#[derive(Debug, Clone, Default)]
pub(super) struct SentPaths(Arc<AtomicUsize>);

impl SentPaths {
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Relaxed)
    }

    /// Counts a long path, until the result is dropped.
    pub(super) fn count(&self, length: usize) -> Counted {
        let counted = if length > LONG_PATH { length } else { 0 };
        self.0.fetch_add(counted, Relaxed);
        Counted(self.clone(), counted)
    }
}

/// A counted path.
pub(super) struct Counted(SentPaths, usize);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(self.1, Relaxed);
    }
}
