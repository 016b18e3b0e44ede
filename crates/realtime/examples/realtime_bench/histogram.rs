use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Microseconds of a bucket.
const WIDTH: u128 = 20;
const BUCKETS: usize = 100_000;

/// How long messages took: counts in buckets of 20 microseconds, up to 2 seconds.
#[derive(Debug)]
pub(crate) struct Histogram(Vec<AtomicU64>);

impl Default for Histogram {
    fn default() -> Self {
        Self((0..BUCKETS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Histogram {
    /// Counts a message.
    pub(crate) fn add(&self, took: Duration) {
        let bucket = usize::try_from(took.as_micros() / WIDTH).unwrap_or(BUCKETS).min(BUCKETS - 1);
        self.0[bucket].fetch_add(1, Ordering::Relaxed);
    }

    /// Milliseconds below which a share of the messages took.
    pub(crate) fn at(&self, share: f64) -> f64 {
        let counts: Vec<u64> = self.0.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let wanted = counts.iter().sum::<u64>() as f64 * share;
        let mut sum = 0;
        let place = counts.iter().position(|count| {
            sum += count;
            sum as f64 >= wanted
        });
        place.unwrap_or_default() as f64 * WIDTH as f64 / 1000.0
    }
}
