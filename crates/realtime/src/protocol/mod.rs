//! The two versions of the protocol: messages in, frames out. No sockets, no topics that are
//! joined.

/// What holds of every frame that a client can send.
mod promises;

/// Messages of clients.
mod inbound;

/// Messages for clients, as frames.
mod outbound;

/// A frame, ready to be written.
mod frame;

pub(crate) use frame::Frame;
pub(crate) use inbound::{Inbound, Malformed, MessagePayload, parse_binary, parse_text};
pub(crate) use outbound::{NO_REF, Refs, broadcast, message};

pub use promises::check_frame;

/// How a socket speaks (CONTRACT.md C4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// `1.0.0`: JSON objects.
    V1,
    /// `2.0.0`: JSON arrays, and binary frames for broadcasts.
    V2,
}

impl Version {
    /// The version that a client asks for. `1.0.3` is a `1.0.0`, and so is none.
    pub(crate) fn of(asked: Option<&str>) -> Option<Self> {
        let asked = asked.unwrap_or("1.0.0");
        let patch = |major: &str| asked.strip_prefix(major)?.parse::<u32>().ok();
        match (patch("1.0."), patch("2.0.")) {
            (Some(_), _) => Some(Self::V1),
            (_, Some(_)) => Some(Self::V2),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
