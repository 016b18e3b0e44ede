//! Log lines about wrong access tokens: one line in ten seconds, which counts the tokens.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use http::HeaderMap;

/// Time between two lines.
const WINDOW: Duration = Duration::from_secs(10);
/// Bytes of a header that are logged.
const LONGEST_LOGGED: usize = 100;

/// Counts wrong tokens since the last line. Somebody who guesses is seen, but cannot fill the log.
#[derive(Debug, Default)]
pub(crate) struct WrongAccessTokens(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    last_logged: Option<Instant>,
    since: u32,
}

impl WrongAccessTokens {
    /// Counts a request with a wrong token or none. `forwarded_for` is what a proxy claims of the
    /// client.
    pub(crate) fn note(&self, headers: &HeaderMap) {
        let Some(refused) = self.count(Instant::now()) else { return };
        let forwarded = headers.get("x-forwarded-for").and_then(|value| value.to_str().ok());
        let forwarded = forwarded.map(|value| &value[..value.len().min(LONGEST_LOGGED)]);
        tracing::warn!(
            refused,
            forwarded_for = forwarded,
            "requests to the admin port had no valid access token"
        );
    }

    /// How many a line says now; none while the last line is recent.
    fn count(&self, now: Instant) -> Option<u32> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.since = seen.since.saturating_add(1);
        if seen.last_logged.is_some_and(|last| now.duration_since(last) < WINDOW) {
            return None;
        }
        seen.last_logged = Some(now);
        Some(std::mem::take(&mut seen.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_token_is_logged_at_once_and_the_next_ones_together() {
        let (log, now) = (WrongAccessTokens::default(), Instant::now());
        assert_eq!(log.count(now), Some(1));
        assert!((0..1000).all(|_| log.count(now + WINDOW / 2).is_none()));
        assert_eq!(log.count(now + WINDOW), Some(1001));
    }
}
