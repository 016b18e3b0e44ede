//! How long a client is waited for.

use std::time::Duration;

/// How long a client is waited for (CONTRACT.md C10, C11).
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
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            silence: Duration::from_secs(60),
            without_channel: Duration::from_secs(600),
            last_frames: Duration::from_secs(5),
            lingering: Duration::from_secs(2),
        }
    }
}
