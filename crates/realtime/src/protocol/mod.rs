//! The two versions of the protocol, as frames. No sockets, no topics that are joined.

/// A frame, ready to be written.
mod frame;

pub(crate) use frame::Frame;

/// How a socket speaks (CONTRACT.md C4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// `1.0.0`: JSON objects.
    V1,
    /// `2.0.0`: JSON arrays, and binary frames for broadcasts.
    V2,
}
