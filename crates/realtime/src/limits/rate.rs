use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// What one count covers.
const BUCKET: Duration = Duration::from_secs(5);
/// How many counts an average is made of: a minute.
const BUCKETS: usize = 12;

/// Counts something, and says when its average per second of the last minute is above a limit.
#[derive(Debug)]
pub(crate) struct Rate {
    per_second: u32,
    /// Of the bucket that is being filled.
    count: AtomicU64,
    past: Mutex<Past>,
}

#[derive(Debug)]
struct Past {
    counts: VecDeque<u64>,
    /// When the bucket began that is being filled.
    since: Instant,
}

impl Rate {
    /// Nothing is counted yet.
    pub(crate) fn new(per_second: u32, now: Instant) -> Self {
        let past = Past { counts: VecDeque::new(), since: now };
        Self { per_second, count: AtomicU64::new(0), past: Mutex::new(past) }
    }

    /// Counts so many.
    pub(crate) fn add(&self, count: usize) {
        self.count.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// As many as there may be in a second.
    pub(crate) fn limit(&self) -> u32 {
        self.per_second
    }

    /// Whether the average is above the limit.
    pub(crate) fn is_exceeded(&self, now: Instant) -> bool {
        self.average(now) > f64::from(self.per_second)
    }

    /// The average per second. The bucket that is being filled counts as a whole one.
    pub(crate) fn average(&self, now: Instant) -> f64 {
        let past = self.full_buckets(now);
        let total = past.counts.iter().sum::<u64>() + self.count.load(Ordering::Relaxed);
        total as f64 / (BUCKET.as_secs_f64() * (past.counts.len() + 1) as f64)
    }

    fn full_buckets(&self, now: Instant) -> MutexGuard<'_, Past> {
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        let full = now.saturating_duration_since(past.since).as_secs() / BUCKET.as_secs();
        if full > 0 {
            past.since += BUCKET * u32::try_from(full).unwrap_or(u32::MAX);
            let counted = self.count.swap(0, Ordering::Relaxed);
            past.counts.push_back(counted);
            past.counts.extend((1..full).take(BUCKETS).map(|_| 0));
            let surplus = past.counts.len().saturating_sub(BUCKETS - 1);
            past.counts.drain(..surplus);
        }
        past
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LIM-JOINS LIM-MESSAGES
    #[test]
    fn an_average_is_of_the_last_minute() {
        let start = Instant::now();
        let rate = Rate::new(10, start);
        rate.add(50);
        assert!(!rate.is_exceeded(start));
        rate.add(1);
        assert!(rate.is_exceeded(start));
        let next = start + BUCKET;
        assert!(!rate.is_exceeded(next), "51 in ten seconds");
        rate.add(60);
        assert!(rate.is_exceeded(next));
        assert!(rate.average(next + BUCKET * 20) < 0.001, "all is past");
    }
}
