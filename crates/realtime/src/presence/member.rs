use std::sync::Arc;

use bytes::Bytes;

use super::{Presence, meta::MetaId};
use crate::model::Topic;

/// A channel as a member of its topic. Dropped, it is none (CONTRACT.md R4).
#[derive(Debug)]
pub(crate) struct PresenceMember {
    presence: Presence,
    topic: Topic,
    key: Arc<str>,
    tracked: Option<MetaId>,
}

impl PresenceMember {
    pub(super) fn new(presence: Presence, topic: Topic, key: Arc<str>) -> Self {
        Self { presence, topic, key, tracked: None }
    }

    /// Returns whether the member says exactly this of itself already (CONTRACT.md R3).
    pub(crate) fn says(&self, payload: &Bytes) -> bool {
        let tracked = self.tracked.as_ref();
        tracked
            .and_then(|id| self.presence.payload(&self.topic, id))
            .is_some_and(|said| is_equal(&said, payload))
    }

    /// Says something of the member, in place of what it said before. `payload` is a JSON object.
    pub(crate) fn track(&mut self, payload: Bytes) {
        let id = MetaId { key: Arc::clone(&self.key), phx_ref: self.presence.next_ref() };
        self.presence.change(self.topic.shard(), |shard| {
            shard.track(&self.topic, self.tracked.as_ref(), id.clone(), payload);
        });
        self.tracked = Some(id);
    }

    /// Says nothing of the member any more.
    pub(crate) fn untrack(&mut self) {
        if let Some(id) = self.tracked.take() {
            self.presence.change(self.topic.shard(), |shard| shard.untrack(&self.topic, &id));
        }
    }
}

impl Drop for PresenceMember {
    fn drop(&mut self) {
        self.untrack();
    }
}

fn is_equal(one: &Bytes, other: &Bytes) -> bool {
    let json = |bytes: &Bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    one == other || json(one) == json(other)
}
