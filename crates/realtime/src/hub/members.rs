use std::sync::{
    PoisonError, RwLock,
    atomic::{AtomicU64, Ordering},
};

use crate::{
    outbox::Outbox,
    protocol::{Frame, Version},
};

/// The members of one topic on this node.
#[derive(Debug, Default)]
pub(crate) struct Members {
    last_id: AtomicU64,
    all: RwLock<Vec<(MemberId, Member)>>,
}

/// A member of one topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemberId(u64);

/// A channel that has joined a topic.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) version: Version,
    pub(crate) outbox: Outbox,
}

impl Members {
    /// Sends a frame to every member of its version, but for one.
    pub(crate) fn send(&self, frame: impl Fn(Version) -> Option<Frame>, except: Option<MemberId>) {
        let (v1, v2) = (frame(Version::V1), frame(Version::V2));
        for (id, member) in &*self.all.read().unwrap_or_else(PoisonError::into_inner) {
            let frame = match member.version {
                Version::V1 => &v1,
                Version::V2 => &v2,
            };
            if let Some(frame) = frame.as_ref().filter(|_| except != Some(*id)) {
                member.outbox.push(frame.clone());
            }
        }
    }

    pub(super) fn add(&self, member: Member) -> MemberId {
        let id = MemberId(self.last_id.fetch_add(1, Ordering::Relaxed));
        self.all.write().unwrap_or_else(PoisonError::into_inner).push((id, member));
        id
    }

    pub(super) fn remove(&self, id: MemberId) {
        self.all.write().unwrap_or_else(PoisonError::into_inner).retain(|(member, _)| *member != id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}
