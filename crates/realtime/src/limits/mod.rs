//! How much there may be of everything, and counters of what there is (CONTRACT.md, section
//! Limits).

/// Averages per second.
mod rate;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

pub(crate) use rate::Rate;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What the project allows.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) private_only: bool,
    pub(crate) max_connections: usize,
    pub(crate) max_channels_per_connection: usize,
    pub(crate) max_joins_per_second: u32,
    pub(crate) max_messages_per_second: u32,
    /// Bytes.
    pub(crate) max_payload: usize,
    /// Bytes.
    pub(crate) max_outbox: usize,
    /// Bytes.
    pub(crate) max_header_length: usize,
    /// How long a refusal waits (CONTRACT.md C8).
    pub(crate) refusal_delay: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            private_only: false,
            max_connections: 10_000,
            max_channels_per_connection: 100,
            max_joins_per_second: 1_000,
            max_messages_per_second: 500_000,
            max_payload: 3_000_500,
            max_outbox: 4 << 20,
            max_header_length: 4096,
            refusal_delay: Duration::from_millis(100),
        }
    }
}

/// The settings, and what is counted against them.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) settings: Settings,
    sockets: Arc<Semaphore>,
    /// Joins.
    pub(crate) joins: Rate,
    /// Messages that were sent and delivered.
    pub(crate) messages: Rate,
}

impl Limits {
    /// Nothing is counted yet.
    pub(crate) fn new(settings: Settings) -> Self {
        let now = Instant::now();
        Self {
            sockets: Arc::new(Semaphore::new(settings.max_connections)),
            joins: Rate::new(settings.max_joins_per_second, now),
            messages: Rate::new(settings.max_messages_per_second, now),
            settings,
        }
    }

    /// The permit of a socket; none when there are as many as there may be.
    pub(crate) fn socket(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.sockets).try_acquire_owned().ok()
    }
}
