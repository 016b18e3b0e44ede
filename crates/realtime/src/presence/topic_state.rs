use super::{
    diff::Diff,
    json,
    meta::{Meta, MetaId, Metas},
};
use crate::{
    model::Topic,
    protocol::{self, Frame, Refs, Version},
};

/// The members of one topic on all nodes. Changes wait until [`TopicState::flush`], so that those
/// of a few milliseconds are told together.
#[derive(Debug, Default)]
pub(super) struct TopicState {
    /// All members, with those that nobody was told of yet.
    members: Metas,
    /// What nobody was told of yet.
    pending: Diff,
    /// The message `presence_state` of each version, until the next flush.
    states: [Option<Frame>; 2],
}

impl TopicState {
    /// Adds a meta. One that is there already stays.
    pub(super) fn join(&mut self, id: MetaId, meta: Meta) {
        if !self.members.contains_key(&id) {
            self.pending.join(id.clone(), meta.clone());
            self.members.insert(id, meta);
        }
    }

    /// Removes a meta, if it is there.
    pub(super) fn leave(&mut self, id: &MetaId) {
        if let Some(meta) = self.members.remove(id) {
            self.pending.leave(id.clone(), meta);
        }
    }

    /// Puts a meta in the place of another, and notes the one that sockets knew as its previous.
    pub(super) fn update(&mut self, old: &MetaId, id: MetaId, meta: Meta) {
        let previous = match self.pending.joins.get(old) {
            Some(unknown) => unknown.previous,
            None => Some(old.phx_ref),
        };
        self.leave(old);
        self.join(id, Meta { previous, ..meta });
    }

    /// What changed since the last flush; none if nothing did. From now on the state is that after
    /// the changes.
    pub(super) fn flush(&mut self) -> Option<Diff> {
        if self.pending.is_empty() {
            return None;
        }
        self.states = [None, None];
        Some(std::mem::take(&mut self.pending))
    }

    /// The message `presence_state` as of the last flush: the next diff continues it.
    pub(super) fn state(&mut self, topic: &Topic, version: Version) -> Frame {
        let place = usize::from(version == Version::V2);
        if let Some(state) = &self.states[place] {
            return state.clone();
        }
        let state = state_frame(topic, version, &self.told());
        self.states[place].insert(state).clone()
    }

    /// The members that sockets were told of.
    pub(super) fn told(&self) -> Metas {
        let mut told = self.members.clone();
        told.retain(|id, _| !self.pending.joins.contains_key(id));
        told.extend(self.pending.leaves.clone());
        told
    }

    pub(super) fn members(&self) -> &Metas {
        &self.members
    }

    /// Returns whether a flush has something to tell.
    pub(super) fn is_dirty(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns whether there is nobody, and nothing to tell.
    pub(super) fn is_idle(&self) -> bool {
        self.members.is_empty() && self.pending.is_empty()
    }
}

/// The message `presence_state` of these members.
pub(super) fn state_frame(topic: &Topic, version: Version, members: &Metas) -> Frame {
    let payload = json::state(members);
    protocol::message(version, Refs::NONE, &topic.on_the_wire(), "presence_state", &payload)
}
