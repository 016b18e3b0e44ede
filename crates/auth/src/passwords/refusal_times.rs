use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// A time never counts for more, whatever was seen.
const LONGEST: Duration = Duration::from_secs(6);
/// A span counts until the end of the next span with a refusal. Neither a single refusal nor the
/// clock alone ends it. Otherwise refusals for unknown addresses would become faster than those for
/// known ones (CONTRACT.md PW9, C12). The span is long, so that somebody with a quick hash cannot
/// hide the slow hashes of others.
const SPAN: Duration = Duration::from_secs(3600);

/// The longest that a refused sign-in at an account took of late.
pub(super) struct RefusalTimes(Mutex<Spans>);

#[derive(Default)]
struct Spans {
    /// When the span began.
    began: Option<Instant>,
    /// The longest in this span.
    now: Option<Duration>,
    /// The longest in the span before in which something was seen.
    before: Duration,
}

impl RefusalTimes {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    /// Takes a time into account.
    pub(super) fn note(&self, time: Duration, now: Instant) {
        let mut spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spans.begin_span_if_due(now);
        spans.now = spans.now.max(Some(time.min(LONGEST)));
    }

    pub(super) fn slowest(&self, now: Instant) -> Duration {
        let mut spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spans.begin_span_if_due(now);
        spans.before.max(spans.now.unwrap_or_default())
    }
}

impl Spans {
    /// Begins a new span where the one before is over.
    fn begin_span_if_due(&mut self, now: Instant) {
        if self.began.is_some_and(|began| now.saturating_duration_since(began) < SPAN) {
            return;
        }
        self.began = Some(now);
        self.before = self.now.take().unwrap_or(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Duration = Duration::from_secs(2);
    const QUICK: Duration = Duration::from_millis(10);

    // rows: PW9 C12
    #[tokio::test]
    async fn neither_refusals_nor_the_clock_alone_forget_the_slowest_time() {
        let (times, start) = (RefusalTimes::new(), Instant::now());
        times.note(SLOW, start);
        for _ in 0..100 {
            times.note(QUICK, start);
        }
        assert_eq!(times.slowest(start), SLOW, "refusals at an account change nothing");
        assert_eq!(times.slowest(start + SPAN * 50), SLOW, "nor does a time in which there are none");
        times.note(QUICK, start + SPAN * 50);
        assert_eq!(times.slowest(start + SPAN * 50), SLOW, "nor the first one after it");
        assert_eq!(times.slowest(start + SPAN * 51), QUICK, "a span of quicker ones does");
        times.note(Duration::from_secs(60), start + SPAN * 51);
        assert_eq!(times.slowest(start + SPAN * 51), LONGEST);
    }
}
