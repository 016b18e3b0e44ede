//! How large a join may be (CONTRACT.md LIM-JOIN).

use super::{join::Join, join_payload::JoinPayload};
use crate::error::ChannelError;

/// Bytes of a payload.
const LARGEST_PAYLOAD: usize = 64 << 10;
/// Bytes of a topic, a ref and a key.
const LARGEST_NAME: usize = 512;
/// Entries of `postgres_changes`.
const MOST_ENTRIES: usize = 100;

impl Join<'_> {
    /// Checks what is read before anything is decided.
    ///
    /// # Errors
    /// [`ChannelError::JoinTooLarge`]
    pub(super) fn check_size(&self) -> Result<(), ChannelError> {
        at_most(LARGEST_NAME, "bytes of a topic", self.topic.len())?;
        at_most(LARGEST_NAME, "bytes of a ref", self.join_ref.len().max(self.reference.len()))?;
        at_most(LARGEST_PAYLOAD, "bytes of a join", self.payload.len())
    }
}

impl JoinPayload {
    /// Checks what a channel keeps.
    ///
    /// # Errors
    /// [`ChannelError::JoinTooLarge`]
    pub(super) fn check_size(&self) -> Result<(), ChannelError> {
        let key = self.presence.key.as_ref().map_or(0, String::len);
        at_most(LARGEST_NAME, "bytes of presence.key", key)?;
        at_most(MOST_ENTRIES, "entries of postgres_changes", self.changes.len())
    }
}

fn at_most(most: usize, what: &'static str, size: usize) -> Result<(), ChannelError> {
    if size > most { Err(ChannelError::JoinTooLarge { most, what }) } else { Ok(()) }
}
