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
    pub(crate) max_presence_messages_per_second: u32,
    /// Calls of presence in a window, for a channel (CONTRACT.md LIM-PRESENCE-CALLS).
    pub(crate) max_presence_calls: u32,
    pub(crate) presence_window: Duration,
    /// Bytes.
    pub(crate) max_payload: usize,
    /// Bytes.
    pub(crate) max_outbox: usize,
    /// Bytes.
    pub(crate) max_header_length: usize,
    /// How long a refusal waits (CONTRACT.md C8).
    pub(crate) refusal_delay: Duration,
}

impl From<&banyan_config::Realtime> for Settings {
    fn from(config: &banyan_config::Realtime) -> Self {
        let limits = &config.limits;
        Self {
            private_only: config.private_only,
            max_connections: limits.connections as usize,
            max_channels_per_connection: limits.channels_per_connection as usize,
            max_joins_per_second: limits.joins_per_second,
            max_messages_per_second: limits.messages_per_second,
            max_presence_messages_per_second: limits.presence_messages_per_second,
            max_presence_calls: limits.presence_calls,
            presence_window: limits.presence_window,
            max_payload: limits.payload,
            max_outbox: limits.outbox,
            max_header_length: limits.header_length as usize,
            refusal_delay: config.refusal_delay,
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
    /// Messages of presence.
    pub(crate) presence: Rate,
}

impl Limits {
    /// Nothing is counted yet.
    pub(crate) fn new(settings: Settings) -> Self {
        let now = Instant::now();
        Self {
            sockets: Arc::new(Semaphore::new(settings.max_connections)),
            joins: Rate::new(settings.max_joins_per_second, now),
            messages: Rate::new(settings.max_messages_per_second, now),
            presence: Rate::new(settings.max_presence_messages_per_second, now),
            settings,
        }
    }

    /// The permit of a socket; none when there are as many as there may be.
    pub(crate) fn socket(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.sockets).try_acquire_owned().ok()
    }
}
