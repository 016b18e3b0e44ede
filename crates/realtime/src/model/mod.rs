//! Plain values that the layers above hand to each other.

/// A message for the members of a topic.
mod broadcast;

/// A process of the cluster.
mod node;

/// A topic, public or private.
mod topic;

pub(crate) use broadcast::{Broadcast, Content, Payload};
pub(crate) use node::NodeId;
pub(crate) use topic::{PREFIX, Shard, Topic};
