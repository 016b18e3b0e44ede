use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// A time never counts for more, whatever was seen.
const LONGEST: Duration = Duration::from_secs(6);
/// After it half of what was seen is forgotten. Only the clock forgets: if each refusal at an account did, how fast they
/// become would tell who has one (auth.md PW9, C12).
const HALF_LIFE: Duration = Duration::from_secs(60);

/// The longest that a refused sign-in at an account took of late, and when that was so.
pub(super) struct Pace(Mutex<Option<(Duration, Instant)>>);

impl Pace {
    pub(super) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Takes a time into account.
    pub(super) fn note(&self, time: Duration, now: Instant) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let time = time.min(LONGEST);
        if time > left(*seen, now) {
            *seen = Some((time, now));
        }
    }

    pub(super) fn slowest(&self, now: Instant) -> Duration {
        left(*self.0.lock().unwrap_or_else(PoisonError::into_inner), now)
    }
}

/// What is left of a time that was seen.
fn left(seen: Option<(Duration, Instant)>, now: Instant) -> Duration {
    seen.map_or(Duration::ZERO, |(time, at)| {
        let halves = now.saturating_duration_since(at).as_secs_f64() / HALF_LIFE.as_secs_f64();
        time.mul_f64(0.5_f64.powf(halves))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn auth_pw9_c12_the_slowest_time_is_forgotten_by_the_clock_and_not_by_refusals_at_accounts() {
        let (pace, start) = (Pace::new(), Instant::now());
        pace.note(Duration::from_secs(2), start);
        for _ in 0..100 {
            pace.note(Duration::from_millis(10), start);
        }
        assert_eq!(pace.slowest(start), Duration::from_secs(2), "refusals at an account change nothing");
        let later = pace.slowest(start + HALF_LIFE);
        assert!(later.abs_diff(Duration::from_secs(1)) < Duration::from_millis(1), "{later:?}");
        pace.note(Duration::from_secs(60), start);
        assert_eq!(pace.slowest(start), LONGEST);
    }
}
