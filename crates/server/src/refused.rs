//! Refused access tokens, told of once in a while.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use http::HeaderMap;

/// Time between two lines.
const WINDOW: Duration = Duration::from_secs(10);
/// Most bytes that are told of a header.
const MOST_TOLD: usize = 100;

/// How many were refused since the last line, so that who guesses is seen and cannot fill the log.
#[derive(Debug, Default)]
pub(crate) struct RefusedTokens(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    told: Option<Instant>,
    since: u32,
}

impl RefusedTokens {
    /// Notes a request with a wrong token, or none. What a public server says of the client is a claim, and is told as one.
    pub(crate) fn note(&self, headers: &HeaderMap) {
        let Some(refused) = self.count(Instant::now()) else { return };
        let forwarded = headers.get("x-forwarded-for").and_then(|value| value.to_str().ok());
        let forwarded = forwarded.map(|value| &value[..value.len().min(MOST_TOLD)]);
        tracing::warn!(
            refused,
            forwarded_for = forwarded,
            "requests to the admin port had no valid access token"
        );
    }

    /// How many to tell of now.
    fn count(&self, now: Instant) -> Option<u32> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.since = seen.since.saturating_add(1);
        if seen.told.is_some_and(|told| now.duration_since(told) < WINDOW) {
            return None;
        }
        seen.told = Some(now);
        Some(std::mem::take(&mut seen.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_is_told_at_once_and_the_next_ones_together() {
        let (tokens, now) = (RefusedTokens::default(), Instant::now());
        assert_eq!(tokens.count(now), Some(1));
        assert!((0..1000).all(|_| tokens.count(now + WINDOW / 2).is_none()));
        assert_eq!(tokens.count(now + WINDOW), Some(1001));
    }
}
