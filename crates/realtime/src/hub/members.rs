use std::sync::{PoisonError, RwLock};

use uuid::Uuid;

use crate::{
    outbox::Outbox,
    protocol::{Frame, Version},
};

/// The members of one topic on this node.
#[derive(Debug, Default)]
pub(crate) struct Members(RwLock<Slots>);

/// A member keeps its place, so that one of many leaves as fast as one of few.
#[derive(Debug, Default)]
struct Slots {
    all: Vec<Option<Member>>,
    free: Vec<usize>,
}

/// A member of one topic, as long as it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemberId(usize);

/// A channel that has joined a topic.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) version: Version,
    pub(crate) outbox: Outbox,
    pub(crate) rights: Rights,
    /// Broadcasts that it does not receive again (CONTRACT.md B8).
    pub(crate) replayed: Box<[Uuid]>,
}

/// What a member may receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rights {
    /// Broadcasts (CONTRACT.md B6).
    pub(crate) broadcasts: bool,
    /// Changes of presence (CONTRACT.md R9).
    pub(crate) presence: bool,
}

impl Rights {
    /// Those of a public channel.
    pub(crate) const ALL: Self = Self { broadcasts: true, presence: true };
}

/// Which members a message is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Audience {
    /// Those who may receive broadcasts, but for one, and but for those who have replayed it.
    Broadcast { except: Option<MemberId>, id: Option<Uuid> },
    /// Those who may receive changes of presence.
    Presence,
}

impl Audience {
    fn has(self, member: MemberId, of: &Member) -> bool {
        match self {
            Self::Broadcast { except, id } => {
                of.rights.broadcasts
                    && except != Some(member)
                    && !id.is_some_and(|id| of.replayed.contains(&id))
            }
            Self::Presence => of.rights.presence,
        }
    }
}

impl Members {
    /// Sends a frame to an audience, and says how many it has. `frame` encodes for a version, once,
    /// and only where the audience has one of it.
    pub(crate) fn send(&self, frame: impl Fn(Version) -> Option<Frame>, audience: Audience) -> usize {
        let (mut v1, mut v2, mut sent) = (None, None, 0);
        for (id, member) in self.0.read().unwrap_or_else(PoisonError::into_inner).members() {
            if !audience.has(id, member) {
                continue;
            }
            let cached = match member.version {
                Version::V1 => &mut v1,
                Version::V2 => &mut v2,
            };
            if let Some(frame) = cached.get_or_insert_with(|| frame(member.version)) {
                member.outbox.push(frame.clone());
                sent += 1;
            }
        }
        sent
    }

    /// Changes what a member may receive.
    pub(crate) fn set_rights(&self, id: MemberId, rights: Rights) {
        let mut slots = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(Some(member)) = slots.all.get_mut(id.0) {
            member.rights = rights;
        }
    }

    pub(super) fn add(&self, member: Member) -> MemberId {
        let mut slots = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.free.pop() {
            slots.all[slot] = Some(member);
            return MemberId(slot);
        }
        slots.all.push(Some(member));
        MemberId(slots.all.len() - 1)
    }

    pub(super) fn remove(&self, id: MemberId) {
        let mut slots = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if slots.all.get_mut(id.0).and_then(Option::take).is_some() {
            slots.free.push(id.0);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let slots = self.0.read().unwrap_or_else(PoisonError::into_inner);
        slots.all.len() == slots.free.len()
    }
}

impl Slots {
    fn members(&self) -> impl Iterator<Item = (MemberId, &Member)> {
        self.all.iter().enumerate().filter_map(|(slot, member)| Some((MemberId(slot), member.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: B8
    #[test]
    fn a_message_that_a_member_has_replayed_does_not_come_again() {
        let (members, replayed) = (Members::default(), Uuid::from_u128(7));
        for replayed in [vec![], vec![Uuid::from_u128(6), replayed]] {
            let (version, rights, outbox) = (Version::V2, Rights::ALL, Outbox::new(100));
            members.add(Member { version, outbox, rights, replayed: replayed.into() });
        }
        let sent =
            |id| members.send(|_| Some(Frame::text(&[b"{}"])), Audience::Broadcast { except: None, id });
        assert_eq!((sent(Some(replayed)), sent(Some(Uuid::from_u128(8))), sent(None)), (1, 2, 2));
    }
}
