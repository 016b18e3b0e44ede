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
    use std::{
        collections::VecDeque,
        task::{Context, Waker},
    };

    use super::*;

    fn member(version: Version) -> (Outbox, Member) {
        let outbox = Outbox::new(1 << 20);
        let member =
            Member { version, outbox: outbox.clone(), rights: Rights::ALL, replayed: Box::default() };
        (outbox, member)
    }

    fn waiting(outbox: &Outbox) -> Vec<Frame> {
        let mut frames = VecDeque::new();
        let _ = outbox.poll_frames(&Context::from_waker(Waker::noop()), &mut frames);
        frames.into()
    }

    const ALL: Audience = Audience::Broadcast { except: None, id: None };

    // rows: X1
    #[test]
    fn a_frame_is_encoded_once_for_a_version_and_shared() {
        let members = Members::default();
        let outboxes = [Version::V1, Version::V2, Version::V2, Version::V2].map(|version| {
            let (outbox, member) = member(version);
            members.add(member);
            outbox
        });
        let encoded = std::cell::RefCell::new(Vec::new());
        let encode = |version| {
            encoded.borrow_mut().push(version);
            Some(Frame::text(&[b"frame"]))
        };
        assert_eq!(members.send(encode, ALL), 4);
        assert_eq!(*encoded.borrow(), [Version::V1, Version::V2]);
        let places: Vec<_> = outboxes.iter().map(|outbox| waiting(outbox)[0].bytes().as_ptr()).collect();
        assert!(places[1] == places[2] && places[2] == places[3], "one frame, and references to it");
    }

    // rows: B2 B6 B8 R9
    #[test]
    fn a_message_reaches_its_audience_alone() {
        let members = Members::default();
        let (outbox, mut guard) = member(Version::V2);
        guard.rights = Rights { broadcasts: false, presence: true };
        let guard = members.add(guard);
        let (_, mut reader) = member(Version::V2);
        let (again, new) = (Uuid::from_u128(1), Uuid::from_u128(2));
        reader.replayed = [again].into();
        let reader = members.add(reader);
        let send = |audience| members.send(|_| Some(Frame::text(&[b"x"])), audience);
        assert_eq!(send(ALL), 1);
        assert_eq!(send(Audience::Presence), 2);
        assert_eq!(send(Audience::Broadcast { except: Some(reader), id: None }), 0);
        assert_eq!(send(Audience::Broadcast { except: None, id: Some(again) }), 0);
        assert_eq!(send(Audience::Broadcast { except: None, id: Some(new) }), 1);
        members.set_rights(guard, Rights { broadcasts: true, presence: false });
        assert_eq!((send(ALL), waiting(&outbox).len()), (2, 2));
    }

    #[test]
    fn a_place_is_used_again() {
        let members = Members::default();
        let first = members.add(member(Version::V1).1);
        let second = members.add(member(Version::V1).1);
        members.remove(first);
        members.remove(first);
        assert_eq!(members.add(member(Version::V1).1), first);
        members.remove(first);
        members.remove(second);
        assert!(members.is_empty());
    }
}
