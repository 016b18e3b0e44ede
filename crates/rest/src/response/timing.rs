//! `Server-Timing`: how long each stage took (CONTRACT.md Y10).

use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderName, HeaderValue};

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// How long the check of the request's token took. Whoever checked it may leave it among the
/// request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenTime(pub Duration);

/// The stages of a request, as they go by.
#[derive(Debug)]
pub(crate) struct Timing {
    laps: Vec<(&'static str, Duration)>,
    since: Instant,
}

impl Timing {
    /// Begins, with what the check of the token took.
    pub(crate) fn start(token: TokenTime) -> Self {
        Self { laps: vec![("jwt", token.0)], since: Instant::now() }
    }

    /// Ends a stage.
    pub(crate) fn lap(&mut self, stage: &'static str) {
        self.laps.push((stage, self.since.elapsed()));
        self.since = Instant::now();
    }

    /// Sets the header: each stage in milliseconds with one decimal.
    pub(crate) fn set(&self, headers: &mut HeaderMap) {
        let stages = self.laps.iter().map(|(name, took)| {
            let milliseconds = took.as_secs_f64() * 1000.0;
            format!("{name};dur={milliseconds:.1}")
        });
        let text = stages.collect::<Vec<_>>().join(", ");
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(SERVER_TIMING, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: Y10
    #[test]
    fn stages_are_shown_in_milliseconds_with_one_decimal() {
        let milliseconds = |time: f64| Duration::from_secs_f64(time / 1000.0);
        let timing = Timing {
            laps: vec![
                ("jwt", milliseconds(0.41)),
                ("parse", milliseconds(12.0)),
                ("plan", milliseconds(0.04)),
            ],
            since: Instant::now(),
        };
        let mut headers = HeaderMap::new();
        timing.set(&mut headers);
        assert_eq!(headers["server-timing"], "jwt;dur=0.4, parse;dur=12.0, plan;dur=0.0");
    }
}
