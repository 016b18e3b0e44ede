//! Nodes that lose messages, fall silent and die agree in the end.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    diff::Diff,
    json,
    meta::{MetaId, PhxRef},
    shard_state::{Delta, ShardState, Snapshot},
    wire::{Beat, Update},
};
use crate::{
    model::{NodeId, Shard, Topic},
    protocol::{Frame, Version},
};

const NODES: usize = 3;
const SHARD: Shard = Shard(9);

/// What happens. Numbers are taken modulo what there is.
#[derive(Debug, Clone)]
enum Step {
    Track { node: usize, member: usize, payload: u8 },
    Untrack { node: usize, member: usize },
    Flush { node: usize, topic: usize },
    Deliver { from: usize, to: usize },
    Lose { from: usize, to: usize },
    Beat { node: usize },
    Suspect { node: usize, suspect: usize },
    Forget { node: usize },
    Die { node: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let (node, member, topic) = (0..NODES, 0..6_usize, 0..2_usize);
    prop_oneof![
        6 => (node.clone(), member.clone(), 0..4_u8)
            .prop_map(|(node, member, payload)| Step::Track { node, member, payload }),
        3 => (node.clone(), member).prop_map(|(node, member)| Step::Untrack { node, member }),
        6 => (node.clone(), topic).prop_map(|(node, topic)| Step::Flush { node, topic }),
        9 => (node.clone(), node.clone()).prop_map(|(from, to)| Step::Deliver { from, to }),
        2 => (node.clone(), node.clone()).prop_map(|(from, to)| Step::Lose { from, to }),
        2 => node.clone().prop_map(|node| Step::Beat { node }),
        1 => (node.clone(), node.clone()).prop_map(|(node, suspect)| Step::Suspect { node, suspect }),
        1 => node.clone().prop_map(|node| Step::Forget { node }),
        1 => node.prop_map(|node| Step::Die { node }),
    ]
}

/// A node with its members, and a client that is in every topic.
struct Node {
    id: NodeId,
    state: ShardState,
    is_alive: bool,
    /// What each member has tracked.
    tracked: BTreeMap<usize, MetaId>,
    refs: u64,
    clients: [Client; 2],
}

/// What a client makes of the diffs: payload by key and ref.
#[derive(Default, PartialEq, Debug)]
struct Client(BTreeMap<(String, String), Value>);

impl Client {
    fn apply(&mut self, diff: &Diff) {
        let diff: Value = serde_json::from_slice(&json::diff(diff)).unwrap();
        for (id, _) in metas(&diff["leaves"]) {
            assert!(self.0.remove(&id).is_some(), "nobody leaves whom the client does not know");
        }
        for (id, meta) in metas(&diff["joins"]) {
            assert!(self.0.insert(id, meta).is_none(), "nobody joins twice");
        }
    }
}

fn metas(keys: &Value) -> Vec<((String, String), Value)> {
    let of_key = |(key, value): (&String, &Value)| {
        let metas = value["metas"].as_array().unwrap().clone();
        let key = key.clone();
        metas.into_iter().map(move |meta| ((key.clone(), meta["phx_ref"].as_str().unwrap().to_owned()), meta))
    };
    keys.as_object().unwrap().iter().flat_map(of_key).collect()
}

struct Cluster {
    nodes: Vec<Node>,
    /// Messages under way, by sender and receiver.
    wires: BTreeMap<(usize, usize), VecDeque<Message>>,
}

#[derive(Clone)]
enum Message {
    Shard(Bytes),
    Beat(Bytes),
}

fn topic(number: usize) -> Topic {
    Topic { name: format!("topic {number}").into(), is_private: number == 1 }
}

impl Cluster {
    fn new() -> Self {
        let node = |number: usize| {
            let id = NodeId([u8::try_from(number).unwrap() + 1; 16]);
            let (state, tracked) = (ShardState::new(id), BTreeMap::new());
            Node { id, state, is_alive: true, tracked, refs: 0, clients: Default::default() }
        };
        Self { nodes: (0..NODES).map(node).collect(), wires: BTreeMap::new() }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Track { node, member, payload } if self.nodes[node].is_alive => {
                self.nodes[node].track(member, payload);
            }
            Step::Untrack { node, member } if self.nodes[node].is_alive => self.nodes[node].untrack(member),
            Step::Flush { node, topic } if self.nodes[node].is_alive => self.flush(node, topic),
            Step::Deliver { from, to } => self.deliver(from, to),
            Step::Lose { from, to } => {
                self.wires.entry((from, to)).or_default().pop_front();
            }
            Step::Beat { node } if self.nodes[node].is_alive => self.beat(node),
            Step::Suspect { node, suspect } if node != suspect => {
                let suspect = self.nodes[suspect].id;
                self.nodes[node].state.remove(suspect);
            }
            Step::Forget { node } => self.nodes[node].state.forget_others(),
            // One node stays, to compare with.
            Step::Die { node } if node > 0 => self.nodes[node].is_alive = false,
            _ => {}
        }
    }

    fn send(&mut self, from: usize, message: &Message) {
        for to in (0..NODES).filter(|to| *to != from) {
            self.wires.entry((from, to)).or_default().push_back(message.clone());
        }
    }

    fn flush(&mut self, number: usize, topic_number: usize) {
        let node = &mut self.nodes[number];
        let Some(flushed) = node.state.flush(&topic(topic_number)) else { return };
        node.clients[topic_number].apply(&flushed.diff);
        if let Some(delta) = flushed.delta {
            self.send(number, &Message::Shard(Update::Delta(delta).encode(SHARD)));
        }
    }

    fn beat(&mut self, number: usize) {
        let sequences = vec![(SHARD, self.nodes[number].state.sequence())];
        self.send(number, &Message::Beat(Beat { is_last: false, sequences }.encode()));
    }

    fn deliver(&mut self, from: usize, to: usize) {
        let Some(message) = self.wires.entry((from, to)).or_default().pop_front() else { return };
        if !self.nodes[to].is_alive {
            return;
        }
        let sender = self.nodes[from].id;
        match message {
            Message::Beat(beat) => {
                let sequence = Beat::decode(beat).unwrap().sequences[0].1;
                if self.nodes[to].state.misses(sender, sequence) {
                    self.send(to, &Message::Shard(Update::Ask(Some(sender)).encode(SHARD)));
                }
            }
            Message::Shard(update) => match Update::decode(sender, update).unwrap().1 {
                Update::Delta(delta) => self.nodes[to].state.apply(sender, delta),
                Update::Snapshot(snapshot) => self.nodes[to].state.replace(sender, snapshot),
                Update::Ask(node) if node.is_none_or(|node| node == self.nodes[to].id) => {
                    let snapshot = self.nodes[to].state.snapshot();
                    self.send(to, &Message::Shard(Update::Snapshot(snapshot).encode(SHARD)));
                }
                Update::Ask(_) => {}
            },
        }
    }

    /// Nothing new happens; silent nodes are found dead; beats go round until all is told.
    fn settle(&mut self) {
        let (alive, dead): (Vec<_>, Vec<_>) = (0..NODES).partition(|node| self.nodes[*node].is_alive);
        self.wires.retain(|(from, _), _| !dead.contains(from));
        for dead in dead.into_iter().map(|dead| self.nodes[dead].id).collect::<Vec<_>>() {
            self.nodes.iter_mut().for_each(|node| node.state.remove(dead));
        }
        for _ in 0..3 {
            for node in &alive {
                self.flush(*node, 0);
                self.flush(*node, 1);
                self.beat(*node);
            }
            while let Some((from, to)) = self.busy_wire() {
                self.deliver(from, to);
            }
        }
    }

    fn busy_wire(&self) -> Option<(usize, usize)> {
        self.wires.iter().find(|(_, wire)| !wire.is_empty()).map(|(ends, _)| *ends)
    }
}

impl Node {
    /// The topic and the key of a member.
    fn place(member: usize) -> (Topic, Arc<str>) {
        (topic(member % 2), ["a", "b\"", "क"][member % 3].into())
    }

    fn track(&mut self, member: usize, payload: u8) {
        let (topic, key) = Self::place(member);
        self.refs += 1;
        let id = MetaId { key, phx_ref: PhxRef::new(self.id, self.refs) };
        let old = self.tracked.insert(member, id.clone());
        let payload = json!({ "value": payload, "phx_ref": "forged" }).to_string();
        self.state.track(&topic, old.as_ref(), id, payload.into());
    }

    fn untrack(&mut self, member: usize) {
        if let Some(id) = self.tracked.remove(&member) {
            self.state.untrack(&Self::place(member).0, &id);
        }
    }

    fn told(&mut self, number: usize) -> Client {
        Client(metas(&told(&mut self.state, number)).into_iter().collect())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    // rows: N3 R4 R5 R6 R10
    #[test]
    fn nodes_that_lose_messages_and_die_agree_in_the_end(steps in prop::collection::vec(step(), 0..120)) {
        let mut cluster = Cluster::new();
        steps.into_iter().for_each(|step| cluster.step(step));
        cluster.settle();
        let alive = cluster.nodes.iter().filter(|node| node.is_alive);
        let expected: BTreeSet<String> =
            alive.flat_map(|node| node.tracked.values()).map(|id| id.phx_ref.to_string()).collect();
        for node in cluster.nodes.iter_mut().filter(|node| node.is_alive) {
            let told = [node.told(0), node.told(1)];
            prop_assert_eq!(&told, &node.clients, "diffs lead to the state");
            let refs = told.iter().flat_map(|client| client.0.keys()).map(|(_, phx_ref)| phx_ref.clone());
            prop_assert_eq!(refs.collect::<BTreeSet<_>>(), expected.clone());
        }
    }

    // rows: N3
    #[test]
    fn an_update_that_was_cut_is_no_update(cut in 0_usize..60, payload in "[a-z]{0,9}") {
        let node = NodeId([3; 16]);
        let mut state = ShardState::new(node);
        let id = MetaId { key: "key".into(), phx_ref: PhxRef::new(node, 1) };
        state.track(&topic(0), None, id, payload.into());
        let delta = state.flush(&topic(0)).unwrap().delta.unwrap();
        let whole = Update::Delta(delta).encode(SHARD);
        let cut = cut.min(whole.len() - 1);
        prop_assert_eq!(Update::decode(node, whole.slice(..cut)), None);
        prop_assert!(Update::decode(node, whole).is_some());
    }
}

/// The payload of `presence_state`, which is the same in both versions.
fn told(state: &mut ShardState, number: usize) -> Value {
    let [v1, v2] = [Version::V1, Version::V2].map(|version| state.state(&topic(number), version));
    let v1: Value = serde_json::from_slice(after_head(&v1, b"{\"topic\"")).unwrap();
    let v2: Value = serde_json::from_slice(after_head(&v2, b"[null")).unwrap();
    assert_eq!(v1["payload"], v2[4]);
    v1["payload"].clone()
}

fn after_head<'f>(frame: &'f Frame, start: &[u8]) -> &'f [u8] {
    let bytes = frame.bytes();
    let head = bytes.windows(start.len()).position(|window| window == start).unwrap();
    &bytes[head..]
}

fn node() -> (NodeId, ShardState) {
    let id = NodeId([1; 16]);
    (id, ShardState::new(id))
}

fn id(number: u64) -> MetaId {
    MetaId { key: "pupil".into(), phx_ref: PhxRef::new(NodeId([1; 16]), number) }
}

fn diff(state: &mut ShardState) -> Value {
    let flushed = state.flush(&topic(0)).expect("something changed");
    serde_json::from_slice(&json::diff(&flushed.diff)).unwrap()
}

// rows: R5 R6 R7
#[test]
fn an_update_is_a_join_with_the_previous_ref_and_a_leave_in_one_diff() {
    let (_, mut state) = node();
    state.track(&topic(0), None, id(1), "{ \"a\" : 1 }".into());
    let [first, second, third] = [1, 2, 3].map(|number| id(number).phx_ref.to_string());
    assert_eq!(first.len(), 16);
    let joined = json!({"metas": [{"a": 1, "phx_ref": first}]});
    assert_eq!(diff(&mut state), json!({"joins": {"pupil": joined}, "leaves": {}}));
    // Nobody was told of the second.
    state.track(&topic(0), Some(&id(1)), id(2), "{}".into());
    state.track(&topic(0), Some(&id(2)), id(3), "{ }".into());
    let updated = json!({"metas": [{"phx_ref": third, "phx_ref_prev": first}]});
    let told = diff(&mut state);
    assert_eq!(
        told,
        json!({"joins": {"pupil": updated}, "leaves": {"pupil": joined}}),
        "{second} is unknown"
    );
    assert_eq!(self::told(&mut state, 0), json!({"pupil": updated}));
}

// rows: R5 R6
#[test]
fn the_state_is_that_of_the_last_diff_and_a_join_taken_back_is_no_change() {
    let (_, mut state) = node();
    assert_eq!(told(&mut state, 0), json!({}));
    state.track(&topic(0), None, id(1), "{}".into());
    assert_eq!(state.take_dirty(), [topic(0)]);
    assert_eq!(told(&mut state, 0), json!({}), "its diff is to come");
    state.untrack(&topic(0), &id(1));
    assert!(state.flush(&topic(0)).is_none());
    assert_eq!((state.sequence(), told(&mut state, 0)), (0, json!({})));
}

// rows: R7
#[test]
fn a_payload_cannot_forge_its_ref() {
    let (_, mut state) = node();
    state.track(&topic(0), None, id(1), r#"{"phx_ref":"forged","é":[{}]}"#.into());
    let meta = diff(&mut state)["joins"]["pupil"]["metas"][0].clone();
    assert_eq!(meta, json!({"phx_ref": id(1).phx_ref.to_string(), "é": [{}]}));
}

// rows: N3 R10
#[test]
fn a_late_or_doubled_message_of_another_node_changes_nothing() {
    let ((other, mut theirs), mut ours) = (node(), ShardState::new(NodeId([2; 16])));
    let mut delta = |number: u64| -> Delta {
        theirs.track(&topic(0), None, id(number), "{}".into());
        theirs.flush(&topic(0)).unwrap().delta.unwrap()
    };
    let [first, second, third] = [1, 2, 3].map(&mut delta);
    let snapshot: Snapshot = theirs.snapshot();
    ours.apply(other, second.clone());
    assert!(ours.misses(other, 1) && ours.flush(&topic(0)).is_none(), "the first is missing");
    [first.clone(), second].into_iter().for_each(|delta| ours.apply(other, delta));
    ours.replace(other, snapshot.clone());
    ours.apply(other, third);
    ours.apply(other, first);
    assert_eq!(ours.flush(&topic(0)).unwrap().diff.joins.len(), 3);
    ours.remove(other);
    assert_eq!(ours.flush(&topic(0)).unwrap().diff.leaves.len(), 3);
    ours.replace(other, snapshot);
    assert_eq!(ours.flush(&topic(0)).unwrap().diff.joins.len(), 3, "it was not dead");
}
