//! What the channels of sockets are, seen from here.

use std::fmt::Debug;

use bytes::Bytes;

/// A channel of a socket of this node, which takes what concerns its subscriptions. It must not
/// block.
pub(crate) trait Receiver: Debug + Send + Sync {
    /// Takes the payload of a message `postgres_changes` (CONTRACT.md G9). Channels that receive
    /// the same bytes are given them one after another, so a frame may be kept for the next.
    fn change(&self, payload: &Bytes);

    /// Takes a message `system` of the extension `postgres_changes` (CONTRACT.md G3, G4).
    fn system(&self, message: &SystemMessage);
}

/// What a channel is told of its subscriptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SystemMessage {
    /// They are in force.
    Subscribed,
    /// They are not, or some changes did not reach them.
    Error(String),
}

impl SystemMessage {
    /// The text of the message.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Subscribed => "Subscribed to PostgreSQL",
            Self::Error(text) => text,
        }
    }

    /// Its status.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Self::Subscribed => "ok",
            Self::Error(_) => "error",
        }
    }
}

/// A channel that subscribed, on this node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ChannelId(pub(super) u64);
