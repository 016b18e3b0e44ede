use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use crate::model::NodeId;

/// When each other node was heard last (CONTRACT.md N3).
#[derive(Debug, Default)]
pub(super) struct Nodes(HashMap<NodeId, Instant>);

impl Nodes {
    /// Notes a message of a node.
    pub(super) fn heard(&mut self, node: NodeId, now: Instant) {
        self.0.insert(node, now);
    }

    /// Forgets a node. Returns whether it was known.
    pub(super) fn forget(&mut self, node: NodeId) -> bool {
        self.0.remove(&node).is_some()
    }

    /// Forgets the nodes that were not heard for a time, and returns them.
    pub(super) fn take_silent(&mut self, now: Instant, most: Duration) -> Vec<NodeId> {
        let is_silent = |heard: &Instant| now.saturating_duration_since(*heard) > most;
        let silent: Vec<_> =
            self.0.iter().filter(|(_, heard)| is_silent(heard)).map(|(node, _)| *node).collect();
        silent.iter().for_each(|node| {
            self.0.remove(node);
        });
        silent
    }
}
