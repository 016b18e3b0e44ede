//! Where messages go that come from the sockets of this node, from HTTP or from the database.

/// Who is in a topic on this node.
mod members;

/// Broadcasts between nodes.
mod wire;

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use bytes::Bytes;
pub(crate) use members::{Audience, Member, MemberId, Members, Rights};

use crate::{
    bus::{Bus, Kind, Subject},
    model::{Broadcast, Shard, Topic},
    protocol,
};

/// The topics that somebody on this node has joined. The bus hears the shards that have any
/// (CONTRACT.md N1). Joins of different shards do not wait for each other.
#[derive(Debug)]
pub(crate) struct Hub {
    bus: Arc<dyn Bus>,
    shards: Vec<RwLock<HashMap<Topic, Arc<Members>>>>,
}

impl Hub {
    /// Nobody has joined anything yet.
    pub(crate) fn new(bus: Arc<dyn Bus>) -> Self {
        Self { bus, shards: Shard::all().map(|_| RwLock::default()).collect() }
    }

    /// The members of a topic on this node; none when nobody has joined it.
    pub(crate) fn members(&self, topic: &Topic) -> Option<Arc<Members>> {
        self.shard(topic).read().unwrap_or_else(PoisonError::into_inner).get(topic).cloned()
    }

    /// Returns whether somebody on this node has joined a topic of a shard.
    pub(crate) fn follows(&self, shard: Shard) -> bool {
        !self.shards[shard.index()].read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Sends a broadcast to the members of its topic on all nodes, but for the one who sent it.
    /// Says how many they are on this node.
    pub(crate) fn broadcast(&self, broadcast: &Broadcast, except: Option<MemberId>) -> usize {
        if self.bus.has_peers() {
            let subject = Subject::Shard(broadcast.topic.shard());
            self.bus.publish(subject, Kind::Broadcast, wire::encode(broadcast));
        }
        self.deliver(broadcast, except)
    }

    /// Takes a broadcast of another node.
    pub(crate) fn receive(&self, message: Bytes) {
        match wire::decode(message) {
            Some(broadcast) => {
                self.deliver(&broadcast, None);
            }
            None => tracing::warn!("realtime: a broadcast of another node is malformed"),
        }
    }

    fn deliver(&self, broadcast: &Broadcast, except: Option<MemberId>) -> usize {
        let Some(members) = self.members(&broadcast.topic) else { return 0 };
        let audience = Audience::Broadcast { except, id: broadcast.id };
        members.send(|version| protocol::broadcast(version, broadcast), audience)
    }

    /// Adds a member to a topic, until it is dropped.
    pub(crate) fn join(self: &Arc<Self>, topic: &Topic, member: Member) -> Membership {
        let mut shard = self.shard(topic).write().unwrap_or_else(PoisonError::into_inner);
        if shard.is_empty() {
            self.bus.follow(topic.shard());
        }
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
        if shard.is_empty() {
            self.bus.unfollow(topic.shard());
        }
    }

    fn shard(&self, topic: &Topic) -> &RwLock<HashMap<Topic, Arc<Members>>> {
        &self.shards[topic.shard().index()]
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{model::Content, outbox::Outbox, protocol::Version};

    /// What the bus is asked for.
    #[derive(Debug, PartialEq, Eq)]
    enum Asked {
        Follow(Shard),
        Unfollow(Shard),
        Publish(Subject, Kind),
    }

    #[derive(Debug, Default)]
    struct Recorder(Mutex<Vec<Asked>>);

    impl Recorder {
        fn note(&self, asked: Asked) {
            self.0.lock().unwrap().push(asked);
        }

        fn take(&self) -> Vec<Asked> {
            std::mem::take(&mut self.0.lock().unwrap())
        }
    }

    impl Bus for Recorder {
        fn publish(&self, to: Subject, kind: Kind, _: Bytes) {
            self.note(Asked::Publish(to, kind));
        }

        fn follow(&self, shard: Shard) {
            self.note(Asked::Follow(shard));
        }

        fn unfollow(&self, shard: Shard) {
            self.note(Asked::Unfollow(shard));
        }

        fn has_peers(&self) -> bool {
            true
        }
    }

    fn topic(name: &str) -> Topic {
        Topic { name: name.into(), is_private: false }
    }

    fn join(hub: &Arc<Hub>, name: &str) -> Membership {
        let outbox = Outbox::new(1000);
        let member = Member { version: Version::V2, outbox, rights: Rights::ALL, replayed: Box::default() };
        hub.join(&topic(name), member)
    }

    // rows: N1
    #[test]
    fn a_node_hears_a_shard_as_long_as_it_has_members_there() {
        let bus = Arc::new(Recorder::default());
        let hub = Arc::new(Hub::new(Arc::clone(&bus) as _));
        let shard = topic("room").shard();
        let members = [join(&hub, "room"), join(&hub, "room")];
        assert_eq!(bus.take(), [Asked::Follow(shard)]);
        assert!(hub.follows(shard));
        // Others may be in a topic that nobody here has joined.
        let elsewhere = Broadcast { topic: topic("far"), id: None, content: Content::Object("{}".into()) };
        assert_eq!(hub.broadcast(&elsewhere, None), 0);
        assert_eq!(bus.take(), [Asked::Publish(Subject::Shard(topic("far").shard()), Kind::Broadcast)]);
        drop(members);
        assert_eq!(bus.take(), [Asked::Unfollow(shard)]);
        assert!(!hub.follows(shard) && hub.members(&topic("room")).is_none());
    }
}
