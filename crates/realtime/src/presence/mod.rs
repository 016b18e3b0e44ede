//! Who is in a topic, on all nodes (CONTRACT.md R1 to R10).
//!
//! Each node says alone who its members are: in numbered deltas, by a digest of them in each beat,
//! and by snapshots for nodes that missed a delta (N3). Sockets are told of all nodes' changes of a
//! few milliseconds together.

/// A channel as a member.
mod member;

/// When topics are told of.
mod flush_queue;

/// What a client asks.
mod call;

/// How often it may.
mod call_limit;

/// What nodes tell each other.
mod wire;

/// Which other nodes are alive.
mod nodes;

/// The topics of one shard, as one node knows them.
mod shard_state;

/// One topic.
mod topic_state;

/// What sockets are told, as JSON.
mod json;

/// What changed since they were told last.
mod diff;

/// One member, and what it says of itself.
mod meta;

#[cfg(test)]
mod tests;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    call::{BadCall, Call},
    call_limit::CallLimit,
    member::PresenceMember,
};
use self::{
    flush_queue::FlushQueue,
    meta::{MetaId, PhxRef},
    nodes::Nodes,
    shard_state::ShardState,
    wire::{Beat, Update},
};
use crate::{
    bus::{Bus, Kind, Subject},
    hub::{Audience, Hub},
    model::{NodeId, Shard, Topic},
    protocol::{self, Frame, Refs, Version},
};

/// Beats that a node may miss.
const MISSED_BEATS: u32 = 3;

/// How presence keeps time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PresenceSettings {
    /// How long changes of a topic are collected.
    pub(crate) delay: Duration,
    /// Time between two beats of a node.
    pub(crate) beat: Duration,
}

/// Who is in which topic. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Presence(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    node: NodeId,
    settings: PresenceSettings,
    hub: Arc<Hub>,
    bus: Arc<dyn Bus>,
    shards: Vec<Mutex<ShardState>>,
    nodes: Mutex<Nodes>,
    last_ref: AtomicU64,
    to_flush: FlushQueue,
}

impl Presence {
    /// Nobody is there yet.
    pub(crate) fn new(node: NodeId, settings: PresenceSettings, hub: &Arc<Hub>, bus: Arc<dyn Bus>) -> Self {
        Self(Arc::new(Shared {
            node,
            settings,
            hub: Arc::clone(hub),
            bus,
            shards: (0..Shard::COUNT).map(|_| Mutex::new(ShardState::new(node))).collect(),
            nodes: Mutex::default(),
            last_ref: AtomicU64::new(0),
            to_flush: FlushQueue::default(),
        }))
    }

    /// A channel that may become a member of its topic, under a key.
    pub(crate) fn member(&self, topic: &Topic, key: Arc<str>) -> PresenceMember {
        PresenceMember::new(self.clone(), topic.clone(), key)
    }

    /// Hands the message `presence_state` to `send`, before any diff that continues it. It is
    /// encoded once for all who ask between two diffs (CONTRACT.md R5).
    pub(crate) fn send_state(&self, topic: &Topic, version: Version, send: impl FnOnce(Frame)) {
        send(self.shard(topic.shard()).state(topic, version));
    }

    /// Tells sockets and other nodes of changes, until the end.
    pub(crate) async fn run(&self, stopping: CancellationToken) {
        let telling = async {
            loop {
                let topic = self.0.to_flush.next().await;
                self.flush(&topic);
            }
        };
        tokio::select! {
            () = stopping.cancelled() => {}
            () = telling => {}
            () = self.beat_for_ever() => {}
        }
        self.publish_beat(true);
    }

    /// Takes what another node says of its members in a shard.
    pub(crate) fn receive_update(&self, from: NodeId, message: Bytes) {
        let Some((shard, update)) = Update::decode(from, message) else {
            return tracing::warn!("realtime: a message of another node about presence is malformed");
        };
        self.hear(from);
        match update {
            Update::Delta(delta) => self.change(shard, |state| state.apply(from, delta)),
            Update::Snapshot(snapshot) => self.change(shard, |state| state.replace(from, snapshot)),
            Update::Ask(node) if node.is_none_or(|node| node == self.0.node) => self.publish_snapshot(shard),
            Update::Ask(_) => {}
        }
    }

    /// Takes the beat of another node, and asks for what it has told that did not arrive.
    pub(crate) fn receive_beat(&self, from: NodeId, message: Bytes) {
        let Some(beat) = Beat::decode(message) else {
            return tracing::warn!("realtime: a beat of another node is malformed");
        };
        if beat.is_last {
            self.lock_nodes().forget(from);
            return self.remove(from);
        }
        self.hear(from);
        for (shard, sequence) in beat.sequences {
            if self.0.hub.follows(shard) && self.shard(shard).misses(from, sequence) {
                self.ask(shard, Some(from));
            }
        }
    }

    /// Asks all nodes for their members in a shard that is heard from now on.
    pub(crate) fn followed(&self, shard: Shard) {
        self.ask(shard, None);
    }

    /// Forgets what other nodes said of a shard that is heard no longer.
    pub(crate) fn unfollowed(&self, shard: Shard) {
        self.change(shard, ShardState::forget_others);
    }

    fn next_ref(&self) -> PhxRef {
        PhxRef::new(self.0.node, self.0.last_ref.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn payload(&self, topic: &Topic, id: &MetaId) -> Option<Bytes> {
        self.shard(topic.shard()).payload(topic, id).cloned()
    }

    fn change(&self, shard: Shard, change: impl FnOnce(&mut ShardState)) {
        let mut state = self.shard(shard);
        change(&mut state);
        let dirty = state.take_dirty();
        drop(state);
        self.0.to_flush.push(Instant::now() + self.0.settings.delay, dirty);
    }

    /// Tells of a topic. The shard is locked meanwhile, so that diffs and states leave in order.
    fn flush(&self, topic: &Topic) {
        let mut state = self.shard(topic.shard());
        let Some(flushed) = state.flush(topic) else { return };
        if let Some(members) = self.0.hub.members(topic) {
            let (on_the_wire, payload) = (topic.on_the_wire(), json::diff(&flushed.diff));
            let frame = |version| {
                Some(protocol::message(version, Refs::NONE, &on_the_wire, "presence_diff", &payload))
            };
            members.send(frame, Audience::Presence);
        }
        if let Some(delta) = flushed.delta.filter(|_| self.0.bus.has_peers()) {
            self.publish(topic.shard(), &Update::Delta(delta));
        }
    }

    fn publish_snapshot(&self, shard: Shard) {
        let state = self.shard(shard);
        if state.sequence() > 0 {
            self.publish(shard, &Update::Snapshot(state.snapshot()));
        }
    }

    fn ask(&self, shard: Shard, node: Option<NodeId>) {
        self.publish(shard, &Update::Ask(node));
    }

    fn publish(&self, shard: Shard, update: &Update) {
        self.0.bus.publish(Subject::Shard(shard), Kind::Presence, update.encode(shard));
    }

    async fn beat_for_ever(&self) {
        if !self.0.bus.has_peers() {
            return std::future::pending().await;
        }
        let mut ticks = interval(self.0.settings.beat);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.publish_beat(false);
            self.remove_silent();
        }
    }

    fn publish_beat(&self, is_last: bool) {
        let sequence =
            |shard| Some((shard, self.shard(shard).sequence())).filter(|(_, sequence)| *sequence > 0);
        let sequences = Shard::all().filter_map(sequence).collect();
        self.0.bus.publish(Subject::All, Kind::Beat, Beat { is_last, sequences }.encode());
    }

    fn remove_silent(&self) {
        let most = self.0.settings.beat * MISSED_BEATS;
        let silent = self.lock_nodes().take_silent(Instant::now().into_std(), most);
        for node in silent {
            tracing::warn!("realtime: a node is silent; its members are removed from presence");
            self.remove(node);
        }
    }

    fn remove(&self, node: NodeId) {
        Shard::all().for_each(|shard| self.change(shard, |state| state.remove(node)));
    }

    fn hear(&self, node: NodeId) {
        self.lock_nodes().heard(node, Instant::now().into_std());
    }

    fn shard(&self, shard: Shard) -> MutexGuard<'_, ShardState> {
        self.0.shards[shard.index()].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_nodes(&self) -> MutexGuard<'_, Nodes> {
        self.0.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
