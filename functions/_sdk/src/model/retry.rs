//! When to try again, and when to stop asking for a while.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

/// Attempts for one call.
pub(super) const ATTEMPTS: u32 = 3;

/// Longest back-off of our own.
const BACK_OFF_CAP: Duration = Duration::from_secs(8);

/// Longest `Retry-After` that is honoured; a longer one ends the call.
const RETRY_AFTER_CAP: Duration = Duration::from_secs(20);

/// Returns whether a request with this status may be tried again.
pub(super) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// How long to wait before the next attempt (counted from 0), with full jitter; `None` when the
/// server asks for more patience than there is.
pub(super) fn pause(
    attempt: u32,
    step: Duration,
    retry_after: Option<Duration>,
    jitter: f64,
) -> Option<Duration> {
    match retry_after {
        Some(asked) if asked > RETRY_AFTER_CAP => None,
        Some(asked) => Some(asked),
        None => Some((step * 2u32.saturating_pow(attempt)).min(BACK_OFF_CAP).mul_f64(jitter)),
    }
}

/// Stops asking a provider that fails again and again. An instance lives for one request, so this
/// protects the calls of one document from each other; the stack's own limits protect the rest.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    failures: RefCell<VecDeque<Duration>>,
}

impl Breaker {
    const FAILURES: usize = 5;
    const WINDOW: Duration = Duration::from_secs(30);

    /// Returns whether the provider should not be asked at `now`.
    pub(super) fn is_open(&self, now: Duration) -> bool {
        let failures = self.failures.borrow();
        failures.len() >= Self::FAILURES
            && failures.back().is_some_and(|last| now.saturating_sub(*last) < Self::WINDOW)
    }

    /// Notes a failure at `now`.
    pub(super) fn failed(&self, now: Duration) {
        let mut failures = self.failures.borrow_mut();
        failures.push_back(now);
        failures.retain(|at| now.saturating_sub(*at) < Self::WINDOW);
    }

    /// Notes a success: the count starts again.
    pub(super) fn succeeded(&self) {
        self.failures.borrow_mut().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Duration = Duration::from_millis(500);

    #[test]
    fn the_back_off_doubles_and_is_capped() {
        let full: Vec<u128> =
            (0..6).map(|attempt| pause(attempt, STEP, None, 1.0).unwrap().as_millis()).collect();
        assert_eq!(full, [500, 1000, 2000, 4000, 8000, 8000]);
        assert_eq!(pause(3, STEP, None, 0.0), Some(Duration::ZERO));
    }

    #[test]
    fn retry_after_is_honoured_up_to_twenty_seconds() {
        let seconds = Duration::from_secs;
        assert_eq!(pause(0, STEP, Some(seconds(7)), 0.1), Some(seconds(7)));
        assert_eq!(pause(0, STEP, Some(seconds(21)), 0.1), None);
    }

    #[test]
    fn five_failures_in_thirty_seconds_open_the_breaker_for_thirty() {
        let breaker = Breaker::default();
        (0..5).for_each(|second| breaker.failed(Duration::from_secs(second)));
        assert!(breaker.is_open(Duration::from_secs(33)));
        assert!(!breaker.is_open(Duration::from_secs(34)));
        breaker.succeeded();
        assert!(!breaker.is_open(Duration::from_secs(5)));
    }

    #[test]
    fn client_errors_are_not_retried() {
        for status in [400, 401, 403, 404, 413, 422] {
            assert!(!is_transient(status), "{status}");
        }
    }
}
