//! Answers `/realtime/v1` like Supabase's realtime service: broadcast, presence and row changes
//! over websockets.
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

/// Partitions of messages, which come and go.
mod partitions;

/// What is answered below `/realtime/v1`, a file each.
mod endpoints;

/// One socket, from its upgrade to its end.
mod socket;

/// A channel: one topic that one socket has joined.
mod channel;

/// What sockets work with: all of them, and one.
mod context;

/// Tokens of sockets and channels: checked, and what is wrong with one.
mod tokens;

/// Why a socket, a join or a channel is refused, and in which words.
mod error;

/// Messages of a private topic that were sent before a channel joined it.
mod replay;

/// Who may read and write a private topic.
mod authorization;

/// Which channels speak for a session or a user, so that they end with it.
mod sessions;

/// What this node does with the messages of the others.
mod cluster;

/// Who is in a topic, on all nodes.
mod presence;

/// Row changes and broadcasts out of the database's log.
mod changes;

/// How much there may be of everything, and counters of what there is.
mod limits;

/// What is counted.
mod metrics;

/// Where messages go that come from the sockets of this node, from HTTP or from the database.
mod hub;

/// What carries messages between nodes.
mod bus;

/// The way to one channel, for whatever has something to send to it.
mod channel_sender;

/// What waits for one socket.
mod outbox;

/// The two versions of the protocol, as frames.
mod protocol;

/// How long a client is waited for.
mod patience;

/// Plain values that the layers above hand to each other.
mod model;

/// The decoder of the log, for its fuzz target.
pub use changes::pgoutput;
pub use context::{Opening, TokenCheck};
pub use partitions::keep_partitions;
pub use patience::Patience;
pub use protocol::check_frame;
pub use service::{State, handle};
