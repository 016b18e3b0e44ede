use super::meta::{Meta, MetaId, Metas};

/// What changed since sockets were told last (CONTRACT.md R6).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Diff {
    pub(crate) joins: Metas,
    pub(crate) leaves: Metas,
}

impl Diff {
    /// Returns whether nothing changed.
    pub(super) fn is_empty(&self) -> bool {
        self.joins.is_empty() && self.leaves.is_empty()
    }

    /// Notes a join. One that takes back a leave nobody was told of is no change.
    pub(super) fn join(&mut self, id: MetaId, meta: Meta) {
        if self.leaves.remove(&id).is_none() {
            self.joins.insert(id, meta);
        }
    }

    /// Notes a leave. One that takes back a join nobody was told of is no change.
    pub(super) fn leave(&mut self, id: MetaId, meta: Meta) {
        if self.joins.remove(&id).is_none() {
            self.leaves.insert(id, meta);
        }
    }
}
