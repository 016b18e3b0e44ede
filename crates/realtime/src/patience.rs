//! How long a client is waited for.

use std::time::Duration;

/// How long a client is waited for (CONTRACT.md C10, C11, M8).
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// A client sends something in this time.
    pub silence: Duration,
    /// A socket has a channel in this time.
    pub without_channel: Duration,
    /// How long the last frames of a socket may take.
    pub last_frames: Duration,
    /// How long a client may take to see that its socket is closed.
    pub lingering: Duration,
    /// How many sockets are told to go at a time when the server stops.
    pub drained_at_a_time: usize,
    /// Time between these.
    pub drain_pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            silence: Duration::from_secs(60),
            without_channel: Duration::from_secs(600),
            last_frames: Duration::from_secs(5),
            lingering: Duration::from_secs(2),
            drained_at_a_time: 500,
            drain_pause: Duration::from_millis(50),
        }
    }
}
