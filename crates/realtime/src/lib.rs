//! Answers `/realtime/v1` like Supabase's realtime service: broadcast, presence and row changes over
//! websockets.
//!
//! A socket has one task ([`socket`]), which reads messages and hands them to its channels. What
//! goes to many sockets goes through the [`hub`]: it is encoded once for each version of the
//! protocol, and queued by reference in each socket's [`outbox`]. Who may join what, and who sees
//! which row, is decided by row-level security alone. The contract is CONTRACT.md; docs cite its
//! row ids.
//!
//! The modules stand in reading order: each knows only those below it (`crates/cli/tests/tidy`).

/// The service: put together, and asked.
mod service;

/// Who is in a topic, on all nodes.
#[expect(dead_code, unused_imports, reason = "sockets are next")]
mod presence;

/// Row changes and broadcasts out of the database's log.
#[expect(dead_code, unused_imports, reason = "sockets are next")]
mod changes;

/// Where messages go that come from the sockets of this node, from HTTP or from the database.
mod hub;

/// What carries messages between nodes.
#[expect(dead_code, unused_imports, reason = "sockets are next")]
mod bus;

/// Frames that wait for one socket.
mod outbox;

/// The two versions of the protocol, as frames.
mod protocol;

/// Plain values that the layers above hand to each other.
mod model;

/// The decoder of the log, for its fuzz target.
pub use changes::pgoutput;
pub use service::{Opening, State, TokenCheck, handle};
