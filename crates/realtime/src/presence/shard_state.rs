use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;

use super::{
    diff::Diff,
    meta::{Meta, MetaId, Metas},
    topic_state::{TopicState, state_frame},
};
use crate::{
    model::{NodeId, Topic},
    protocol::{Frame, Version},
};

/// Presence in one shard of the topics, as one node knows it. A node says alone who its members
/// are, in numbered deltas; so every node that has applied them all has the same state, whatever
/// the order in which it heard several nodes (CONTRACT.md N3).
#[derive(Debug)]
pub(super) struct ShardState {
    node: NodeId,
    topics: HashMap<Topic, TopicState>,
    /// Deltas of this node so far.
    sequence: u64,
    /// How many deltas of each other node are applied.
    applied: HashMap<NodeId, u64>,
    /// Topics that have something to tell since they were asked for last.
    dirty: Vec<Topic>,
}

/// What a flush has to tell.
#[derive(Debug)]
pub(super) struct Flushed {
    /// To the sockets of this node.
    pub(super) diff: Diff,
    /// To the other nodes, where members of this node changed.
    pub(super) delta: Option<Delta>,
}

/// Changes among the members of one node in one topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delta {
    /// Number among the deltas of the node in the shard, from 1.
    pub(crate) sequence: u64,
    pub(crate) topic: Topic,
    pub(crate) joins: Vec<(MetaId, Meta)>,
    pub(crate) leaves: Vec<MetaId>,
}

/// All members of one node in a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// The last delta that it contains.
    pub(crate) sequence: u64,
    pub(crate) topics: BTreeMap<Topic, Vec<(MetaId, Meta)>>,
}

impl ShardState {
    pub(super) fn new(node: NodeId) -> Self {
        Self { node, topics: HashMap::new(), sequence: 0, applied: HashMap::new(), dirty: Vec::new() }
    }

    /// Makes a member of this node known, in place of what it said before.
    pub(super) fn track(&mut self, topic: &Topic, old: Option<&MetaId>, id: MetaId, payload: Bytes) {
        let meta = Meta { owner: self.node, payload, previous: None };
        self.change(topic, |state| match old {
            Some(old) => state.update(old, id, meta),
            None => state.join(id, meta),
        });
    }

    /// Removes a member of this node.
    pub(super) fn untrack(&mut self, topic: &Topic, id: &MetaId) {
        self.change(topic, |state| state.leave(id));
    }

    /// What a member of the topic says of itself.
    pub(super) fn payload(&self, topic: &Topic, id: &MetaId) -> Option<&Bytes> {
        Some(&self.topics.get(topic)?.members().get(id)?.payload)
    }

    /// The message `presence_state` of a topic.
    pub(super) fn state(&mut self, topic: &Topic, version: Version) -> Frame {
        match self.topics.get_mut(topic) {
            Some(state) => state.state(topic, version),
            None => state_frame(topic, version, &Metas::new()),
        }
    }

    /// What is to be told of a topic; none when nothing changed in the end.
    pub(super) fn flush(&mut self, topic: &Topic) -> Option<Flushed> {
        let state = self.topics.get_mut(topic)?;
        let diff = state.flush();
        if state.is_idle() {
            self.topics.remove(topic);
        }
        let diff = diff?;
        let delta = self.delta(topic, &diff);
        Some(Flushed { diff, delta })
    }

    /// Topics that a flush has something to tell of, each once for each time that it had not.
    pub(super) fn take_dirty(&mut self) -> Vec<Topic> {
        std::mem::take(&mut self.dirty)
    }

    /// How many deltas this node has sent.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Returns whether a node has sent deltas that are not applied here.
    pub(super) fn misses(&self, node: NodeId, sequence: u64) -> bool {
        self.applied.get(&node).copied().unwrap_or_default() < sequence
    }

    /// Applies a delta of another node, if it is the next one. Otherwise something was lost, which
    /// a snapshot repairs.
    pub(super) fn apply(&mut self, from: NodeId, delta: Delta) {
        let applied = self.applied.entry(from).or_default();
        if delta.sequence != *applied + 1 {
            return;
        }
        *applied = delta.sequence;
        self.change(&delta.topic, |state| {
            delta.leaves.iter().for_each(|id| state.leave(id));
            delta.joins.into_iter().for_each(|(id, meta)| state.join(id, meta));
        });
    }

    /// Puts a snapshot of another node in the place of what was known of it. An old one is ignored.
    pub(super) fn replace(&mut self, from: NodeId, mut snapshot: Snapshot) {
        if !self.misses(from, snapshot.sequence) {
            return;
        }
        self.applied.insert(from, snapshot.sequence);
        for topic in self.topics_of(from) {
            let now = snapshot.topics.remove(&topic).unwrap_or_default();
            self.change(&topic, |state| replace_members(state, from, now));
        }
        for (topic, now) in snapshot.topics {
            self.change(&topic, |state| replace_members(state, from, now));
        }
    }

    /// All members of this node that others were or are just told of.
    pub(super) fn snapshot(&self) -> Snapshot {
        let own = |state: &TopicState| -> Vec<_> {
            state.told().into_iter().filter(|(_, meta)| meta.owner == self.node).collect()
        };
        let topics = self.topics.iter().map(|(topic, state)| (topic.clone(), own(state)));
        let topics = topics.filter(|(_, members)| !members.is_empty()).collect();
        Snapshot { sequence: self.sequence, topics }
    }

    /// Removes the members of a node that is gone. If it comes back it is heard as a new one.
    pub(super) fn remove(&mut self, node: NodeId) {
        if self.applied.remove(&node).is_some() {
            for topic in self.topics_of(node) {
                self.change(&topic, |state| replace_members(state, node, Vec::new()));
            }
        }
    }

    /// Forgets the other nodes, when nobody here is told of them any more.
    pub(super) fn forget_others(&mut self) {
        for node in self.applied.keys().copied().collect::<Vec<_>>() {
            self.remove(node);
        }
    }

    /// Changes of members of this node.
    fn delta(&mut self, topic: &Topic, diff: &Diff) -> Option<Delta> {
        let own = |(_, meta): &(&MetaId, &Meta)| meta.owner == self.node;
        let clone = |(id, meta): (&MetaId, &Meta)| (id.clone(), meta.clone());
        let joins: Vec<_> = diff.joins.iter().filter(own).map(clone).collect();
        let leaves: Vec<_> = diff.leaves.iter().filter(own).map(|(id, _)| id.clone()).collect();
        if joins.is_empty() && leaves.is_empty() {
            return None;
        }
        self.sequence += 1;
        Some(Delta { sequence: self.sequence, topic: topic.clone(), joins, leaves })
    }

    fn change(&mut self, topic: &Topic, change: impl FnOnce(&mut TopicState)) {
        if !self.topics.contains_key(topic) {
            self.topics.insert(topic.clone(), TopicState::default());
        }
        let state = self.topics.get_mut(topic).expect("it was put there");
        let was_dirty = state.is_dirty();
        change(state);
        if state.is_idle() {
            self.topics.remove(topic);
        } else if state.is_dirty() && !was_dirty {
            self.dirty.push(topic.clone());
        }
    }

    fn topics_of(&self, node: NodeId) -> Vec<Topic> {
        let has = |state: &TopicState| state.members().values().any(|meta| meta.owner == node);
        self.topics.iter().filter(|(_, state)| has(state)).map(|(topic, _)| topic.clone()).collect()
    }
}

/// Makes these the members of a node.
fn replace_members(state: &mut TopicState, node: NodeId, now: Vec<(MetaId, Meta)>) {
    let still: BTreeSet<&MetaId> = now.iter().map(|(id, _)| id).collect();
    let of_node = state.members().iter().filter(|(_, meta)| meta.owner == node);
    let gone: Vec<MetaId> = of_node.map(|(id, _)| id).filter(|id| !still.contains(id)).cloned().collect();
    gone.iter().for_each(|id| state.leave(id));
    now.into_iter().for_each(|(id, meta)| state.join(id, meta));
}
