//! Where messages go that come from the sockets of this node, from HTTP or from the database.

/// Who is in a topic on this node.
mod members;

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, PoisonError, RwLock},
};

pub(crate) use members::{Audience, Member, MemberId, Members, Rights};

use crate::{
    model::{Broadcast, Topic},
    protocol,
};

/// Parts of the registry, so that joins of different topics seldom wait for each other.
const SHARDS: usize = 64;

/// The topics that somebody on this node has joined.
#[derive(Debug)]
pub(crate) struct Hub {
    hasher: RandomState,
    shards: [RwLock<HashMap<Topic, Arc<Members>>>; SHARDS],
}

impl Default for Hub {
    fn default() -> Self {
        Self { hasher: RandomState::new(), shards: std::array::from_fn(|_| RwLock::default()) }
    }
}

impl Hub {
    /// The members of a topic on this node; none when nobody has joined it.
    pub(crate) fn members(&self, topic: &Topic) -> Option<Arc<Members>> {
        self.shard(topic).read().unwrap_or_else(PoisonError::into_inner).get(topic).cloned()
    }

    /// Sends a broadcast to the members of its topic on this node, but for the one who sent it. Says
    /// how many they are.
    pub(crate) fn broadcast(&self, broadcast: &Broadcast, except: Option<MemberId>) -> usize {
        let Some(members) = self.members(&broadcast.topic) else { return 0 };
        let audience = Audience::Broadcast { except, id: broadcast.id };
        members.send(|version| protocol::broadcast(version, broadcast), audience)
    }

    /// Adds a member to a topic, until it is dropped.
    pub(crate) fn join(self: &Arc<Self>, topic: &Topic, member: Member) -> Membership {
        let mut shard = self.shard(topic).write().unwrap_or_else(PoisonError::into_inner);
        let members = Arc::clone(shard.entry(topic.clone()).or_default());
        let id = members.add(member);
        drop(shard);
        Membership { hub: Arc::clone(self), topic: topic.clone(), members, id }
    }

    /// Removes a member. The last one takes the topic along.
    fn leave(&self, topic: &Topic, member: MemberId) {
        let mut shard = self.shard(topic).write().unwrap_or_else(PoisonError::into_inner);
        let Some(members) = shard.get(topic) else { return };
        members.remove(member);
        if members.is_empty() {
            shard.remove(topic);
        }
    }

    fn shard(&self, topic: &Topic) -> &RwLock<HashMap<Topic, Arc<Members>>> {
        let hash = self.hasher.hash_one(topic);
        &self.shards[usize::try_from(hash % SHARDS as u64).unwrap_or_default()]
    }
}

/// A member of a topic. Dropped, it leaves.
#[derive(Debug)]
pub(crate) struct Membership {
    hub: Arc<Hub>,
    topic: Topic,
    members: Arc<Members>,
    id: MemberId,
}

impl Membership {
    /// Whose it is.
    pub(crate) fn id(&self) -> MemberId {
        self.id
    }

    /// Changes what the member may receive.
    pub(crate) fn set_rights(&self, rights: Rights) {
        self.members.set_rights(self.id, rights);
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.hub.leave(&self.topic, self.id);
    }
}
