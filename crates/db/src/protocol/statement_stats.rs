//! How long statements took that ran before, and how much they returned.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use quick_cache::sync::Cache;

use super::streaming::LARGEST_WITHOUT_PERMIT;

/// Statements remembered; the least used gives way.
const KEPT: usize = 4096;
/// A statement that takes longer on average runs on a connection of its own.
const LONGEST_SHARED: Duration = Duration::from_millis(5);
/// So does one that returns more on average.
const LARGEST_SHARED: u32 = 128 << 10;
/// No single run counts for more.
const LONGEST_COUNTED: Duration = Duration::from_secs(1);

/// The statistics of statements, by text.
#[derive(Debug)]
pub(crate) struct StatsByText {
    by_text: Cache<u64, Arc<StatementStats>>,
    hasher: RandomState,
}

/// Averages over a statement's runs, the newer ones weighing more.
#[derive(Debug, Default)]
pub(crate) struct StatementStats {
    runs: AtomicU32,
    microseconds: AtomicU32,
    bytes: AtomicU32,
}

impl StatsByText {
    pub(crate) fn new() -> Self {
        Self { by_text: Cache::new(KEPT), hasher: RandomState::new() }
    }

    /// The statistics of a text; a new one has counted nothing yet.
    pub(crate) fn of(&self, text: &str) -> Arc<StatementStats> {
        let key = self.hasher.hash_one(text);
        if let Some(stats) = self.by_text.get(&key) {
            return stats;
        }
        let stats = Arc::new(StatementStats::default());
        self.by_text.insert(key, Arc::clone(&stats));
        stats
    }
}

impl StatementStats {
    /// Whether the statement is known to be short and its result to be small.
    pub(crate) fn is_short(&self) -> bool {
        let longest = u32::try_from(LONGEST_SHARED.as_micros()).unwrap_or(u32::MAX);
        self.runs.load(Ordering::Relaxed) > 0
            && self.microseconds.load(Ordering::Relaxed) <= longest
            && self.bytes.load(Ordering::Relaxed) <= LARGEST_SHARED
    }

    /// Whether its result is known to be so large that it needs a permit to be streamed.
    pub(crate) fn is_large(&self) -> bool {
        usize::try_from(self.bytes.load(Ordering::Relaxed)).unwrap_or(usize::MAX) > LARGEST_WITHOUT_PERMIT
    }

    /// Counts a run. Runs that are counted at once may lose one another, which an average survives.
    pub(crate) fn count(&self, took: Duration, bytes: usize) {
        let took = took.min(LONGEST_COUNTED).as_micros();
        let first = self.runs.load(Ordering::Relaxed) == 0;
        blend(&self.microseconds, u32::try_from(took).unwrap_or(u32::MAX), first);
        blend(&self.bytes, u32::try_from(bytes).unwrap_or(u32::MAX), first);
        if first {
            self.runs.store(1, Ordering::Relaxed);
        }
    }
}

fn blend(average: &AtomicU32, value: u32, first: bool) {
    let before = average.load(Ordering::Relaxed);
    let after = if first { value } else { before - before / 4 + value / 4 };
    average.store(after, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_short_once_it_was_and_until_it_no_longer_is() {
        let by_text = StatsByText::new();
        let stats = by_text.of("select 1");
        assert!(!stats.is_short(), "nobody knows yet");
        stats.count(Duration::from_micros(300), 20);
        assert!(by_text.of("select 1").is_short());
        stats.count(Duration::from_millis(40), 20);
        assert!(!stats.is_short());
        for _ in 0..12 {
            stats.count(Duration::from_micros(300), 20);
        }
        assert!(stats.is_short(), "an outlier is forgotten");
    }

    #[test]
    fn a_large_result_is_not_shared() {
        let stats = StatementStats::default();
        stats.count(Duration::from_micros(300), 5 << 20);
        assert!(!stats.is_short() && stats.is_large());
    }
}
