//! How many lines about a function are logged.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// Lines of one function in one window.
const LINES: u32 = 100;
/// Invocations of one function that are logged in one window, with two lines each. The buffer has
/// room for other functions then.
const INVOCATIONS: u32 = 20;
/// Refused requests of one function that are logged in one window, for each reason. All of them say
/// the same.
const REJECTED: u32 = 5;
/// The length of a window.
pub(super) const WINDOW: Duration = Duration::from_secs(10);

/// How many lines a function may still write, and how many the platform may still write about it.
/// Shared by its instances. Each kind of line is counted apart, so that none hides another.
#[derive(Debug)]
pub(crate) struct LogRateLimits {
    pub(super) lines: Mutex<Window>,
    pub(super) invocations: Mutex<Window>,
    pub(super) failures: Mutex<Window>,
    pub(super) rejected_by_function: Mutex<Window>,
    pub(super) rejected_by_node: Mutex<Window>,
    pub(super) body_too_large: Mutex<Window>,
}

#[derive(Debug)]
pub(super) struct Window {
    most: u32,
    pub(super) started: Instant,
    written: u32,
    dropped: u32,
}

impl LogRateLimits {
    pub(crate) fn new() -> Arc<Self> {
        let window = |most| Mutex::new(Window { most, started: Instant::now(), written: 0, dropped: 0 });
        Arc::new(Self {
            lines: window(LINES),
            invocations: window(INVOCATIONS),
            failures: window(LINES),
            rejected_by_function: window(REJECTED),
            rejected_by_node: window(REJECTED),
            body_too_large: window(REJECTED),
        })
    }
}

impl Window {
    /// Whether one more line may be logged, and how many lines the last window dropped.
    pub(super) fn take(&mut self, now: Instant) -> (bool, u32) {
        let mut dropped = 0;
        if now.duration_since(self.started) >= WINDOW {
            dropped = self.dropped;
            *self = Self { started: now, written: 0, dropped: 0, ..*self };
        }
        let allowed = self.written < self.most;
        if allowed {
            self.written += 1;
        } else {
            self.dropped += 1;
        }
        (allowed, dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LIMIT_LOG W07
    #[test]
    fn a_window_holds_100_lines_and_then_counts_what_it_drops() {
        let now = Instant::now();
        let mut window = Window { most: LINES, started: now, written: 0, dropped: 0 };
        let allowed = (0..130).filter(|_| window.take(now).0).count();
        assert_eq!(allowed, 100);
        assert_eq!(window.take(now + WINDOW), (true, 30));
    }
}
