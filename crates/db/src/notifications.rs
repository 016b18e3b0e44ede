//! Notifications, with re-connection.

/// Notifications of one channel. Dropping it closes its connection.
#[derive(Debug)]
pub struct Notifications {
    channel: String,
}

/// What a listener learns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Somebody notified the channel, with this payload.
    Payload(String),
    /// The connection was made, or made anew: notifications before it may have been missed, so look for yourself.
    Connected,
}

impl Notifications {
    /// Waits for the next notice, re-connecting for as long as it takes. Dropping the future loses nothing.
    #[expect(clippy::unused_async, reason = "the listener follows")]
    pub async fn next(&mut self) -> Notice {
        Notice::Payload(self.channel.clone())
    }
}
