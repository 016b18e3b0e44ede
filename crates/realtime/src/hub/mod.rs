//! Where messages go that come from the sockets of this node, from HTTP or from the database.

/// Who is in a topic on this node.
mod members;

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, PoisonError, RwLock},
};

pub(crate) use members::{Member, MemberId, Members};

use crate::model::Topic;

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

    /// Adds a member to a topic.
    pub(crate) fn join(&self, topic: &Topic, member: Member) -> MemberId {
        let mut shard = self.shard(topic).write().unwrap_or_else(PoisonError::into_inner);
        shard.entry(topic.clone()).or_default().add(member)
    }

    /// Removes a member. The last one takes the topic along.
    pub(crate) fn leave(&self, topic: &Topic, member: MemberId) {
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
