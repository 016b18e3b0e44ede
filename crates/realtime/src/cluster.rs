//! What this node does with the messages of the others.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    bus::{Kind, Receiver},
    changes::Changes,
    hub::Hub,
    model::{NodeId, Shard},
    presence::Presence,
};

/// Hands the messages of other nodes to whom they concern.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) hub: Arc<Hub>,
    pub(crate) presence: Presence,
    pub(crate) changes: Changes,
}

impl Receiver for Cluster {
    fn receive(&self, from: NodeId, kind: Kind, message: Bytes) {
        match kind {
            Kind::Broadcast => self.hub.receive(message),
            Kind::Presence => self.presence.receive_update(from, message),
            Kind::Beat => self.presence.receive_beat(from, message),
            Kind::Changes => self.changes.receive(message),
        }
    }

    fn followed(&self, shard: Shard) {
        self.presence.followed(shard);
    }

    fn unfollowed(&self, shard: Shard) {
        self.presence.unfollowed(shard);
    }
}
