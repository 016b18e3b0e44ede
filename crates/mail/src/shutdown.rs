//! An orderly stop, and how its time is spent.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A stop that is asked for at some time, and has to be over `grace` later.
#[derive(Debug, Clone)]
pub struct Shutdown {
    asked: CancellationToken,
    grace: Duration,
    since: Arc<OnceLock<Instant>>,
}

impl Shutdown {
    /// A stop that `asked` asks for.
    #[must_use]
    pub fn within(grace: Duration, asked: CancellationToken) -> Self {
        Self { asked, grace, since: Arc::default() }
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Ends when the stop is asked for, and notes when that was.
    pub(crate) async fn asked(&self) {
        self.asked.cancelled().await;
        self.since.get_or_init(Instant::now);
    }

    /// Returns a share of the grace, in hundredths.
    pub(crate) fn share(&self, hundredths: u32) -> Duration {
        self.grace * hundredths / 100
    }

    /// Ends when the stop has lasted for so long.
    pub(crate) async fn has_lasted(&self, time: Duration) {
        self.asked().await;
        let since = *self.since.get_or_init(Instant::now);
        tokio::time::sleep_until(since + time).await;
    }
}
