//! Time as a value that is handed down: what runs deep inside takes `now` as an argument.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use time::OffsetDateTime;

/// Gives the time; the gateway asks it once for each request. Tests hold a fixed one and move it.
#[derive(Debug, Clone)]
pub struct Clock {
    fixed: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self { fixed: None }
    }

    /// A clock that stands still until [`Clock::advance`].
    #[must_use]
    pub fn fixed(at: OffsetDateTime) -> Self {
        Self { fixed: Some(Arc::new(AtomicI64::new(at.unix_timestamp()))) }
    }

    /// The time now, in UTC.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place where the time is fetched")]
    pub fn now(&self) -> OffsetDateTime {
        match &self.fixed {
            None => OffsetDateTime::now_utc(),
            Some(seconds) => OffsetDateTime::from_unix_timestamp(seconds.load(Ordering::Relaxed))
                .expect("a fixed clock is set from a valid time"),
        }
    }

    /// Moves a fixed clock on; the system's clock is left alone.
    pub fn advance(&self, by: std::time::Duration) {
        if let Some(seconds) = &self.fixed {
            seconds.fetch_add(i64::try_from(by.as_secs()).unwrap_or(i64::MAX), Ordering::Relaxed);
        }
    }
}
