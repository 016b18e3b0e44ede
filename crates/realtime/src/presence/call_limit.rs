use std::time::Duration;

use time::OffsetDateTime;

/// How often a channel may call presence (CONTRACT.md LIM-PRESENCE-CALLS). A window begins with the
/// first call after the last one ended.
#[derive(Debug, Default)]
pub(crate) struct CallLimit {
    window: Option<Window>,
}

#[derive(Debug)]
struct Window {
    ends: OffsetDateTime,
    calls: u32,
}

impl CallLimit {
    /// Counts a call. Returns whether it may be answered.
    pub(crate) fn allows(&mut self, most: u32, window: Duration, now: OffsetDateTime) -> bool {
        let current = self.window.take().filter(|window| now <= window.ends);
        let current = current.unwrap_or(Window { ends: now + window, calls: 0 });
        let calls = current.calls.saturating_add(1);
        self.window = Some(Window { calls, ..current });
        calls <= most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LIM-PRESENCE-CALLS
    #[test]
    fn five_calls_are_answered_in_a_window_and_the_sixth_in_the_next() {
        let (mut limit, window) = (CallLimit::default(), Duration::from_secs(30));
        let mut at =
            |second| limit.allows(5, window, OffsetDateTime::UNIX_EPOCH + Duration::from_secs(second));
        assert!((0..5).all(&mut at));
        assert!(!at(5) && !at(30));
        assert!(at(31) && (32..36).all(&mut at) && !at(60));
        assert!(at(62));
    }
}
