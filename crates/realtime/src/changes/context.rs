//! What row changes work with.

use std::{sync::Arc, time::Instant};

use banyan_db::Database;

use crate::{bus::Bus, hub::Hub, limits::Limits, metrics::Count, model::Broadcast};

/// What row changes work with. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ChangesContext {
    pub(crate) database: Database,
    /// Where broadcasts from the database go.
    pub(crate) hub: Arc<Hub>,
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) limits: Arc<Limits>,
    /// Messages of changes that were delivered.
    pub(crate) delivered: Count,
    /// Changes that were dropped.
    pub(crate) skipped: Count,
}

impl ChangesContext {
    /// Whether there are more messages than there may be (CONTRACT.md G21, D6).
    pub(super) fn is_too_much(&self) -> bool {
        self.limits.messages.is_exceeded(Instant::now())
    }

    /// Counts messages of changes that were delivered.
    pub(super) fn count_delivered(&self, count: usize) {
        self.limits.messages.add(count);
        self.delivered.add(count);
    }

    /// Counts changes that are dropped. The log says so at each power of two.
    pub(super) fn count_skipped(&self, count: usize) {
        let before = self.skipped.add(count);
        let now = before + count as u64;
        if before.leading_zeros() != now.leading_zeros() {
            tracing::warn!(
                changes.skipped = now,
                "row changes come faster than they may, or than policies decide about them; some are dropped"
            );
        }
    }

    /// Broadcasts a row of `realtime.messages` (CONTRACT.md D4, D6).
    pub(super) fn broadcast(&self, broadcast: &Broadcast) {
        let is_too_large = broadcast.content.size() > self.limits.settings.max_payload;
        if is_too_large || self.is_too_much() {
            tracing::warn!(
                topic = &*broadcast.topic.name,
                is_too_large,
                "realtime: UnableToBroadcastChanges: a row of realtime.messages is dropped"
            );
            return;
        }
        let delivered = self.hub.broadcast(broadcast, None);
        self.limits.messages.add(1 + delivered);
    }
}
