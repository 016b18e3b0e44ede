//! What carries messages between the nodes of a cluster. One node alone needs none of it.

/// How messages are written.
mod fields;

/// A node that has no others.
mod alone;

/// Nodes that are connected by NATS.
mod nats;

use bytes::Bytes;

pub(crate) use alone::Alone;
pub(crate) use fields::{FieldReader, FieldWriter};
pub(crate) use nats::{Nats, NatsSettings};

use crate::model::{NodeId, Shard};

/// Carries messages to other nodes: at most once, in order from one sender to one subject. None
/// of its calls waits (CONTRACT.md N1).
pub(crate) trait Bus: std::fmt::Debug + Send + Sync {
    /// Sends a message to the other nodes that hear a subject. What cannot be sent now is dropped.
    fn publish(&self, to: Subject, kind: Kind, message: Bytes);

    /// Hears the messages of a shard from now on, until [`Bus::unfollow`].
    fn follow(&self, shard: Shard);

    /// Hears a shard no longer.
    fn unfollow(&self, shard: Shard);

    /// Returns whether there are other nodes, so that a message for them is worth encoding.
    fn has_peers(&self) -> bool;
}

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// To the nodes with members in a shard.
    Shard(Shard),
    /// To one node.
    Node(NodeId),
    /// To every node.
    All,
}

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A message for the members of a topic.
    Broadcast = 1,
    /// Members of topics.
    Presence = 2,
    /// A node is alive.
    Beat = 3,
    /// Changes of rows.
    Changes = 4,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        let all = [Self::Broadcast, Self::Presence, Self::Beat, Self::Changes];
        all.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Takes what other nodes sent. Calls come from several tasks, those of one shard in order.
pub(crate) trait Receiver: Send + Sync {
    /// Takes a message of another node.
    fn receive(&self, from: NodeId, kind: Kind, message: Bytes);

    /// A shard is heard from now on.
    fn followed(&self, shard: Shard);

    /// A shard is heard no longer.
    fn unfollowed(&self, shard: Shard);
}
