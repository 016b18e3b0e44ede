//! Who wants to hear of one table's changes on this node.
//!
//! Channels that ask for the same are one profile: their filters are evaluated once, and they
//! receive the same bytes. A profile whose filters name values of a column is found by the value.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;

use super::{
    conditions::{Comparison, Condition, Verdict},
    entry::Event,
    identity::Identity,
    pgoutput::Value,
    questions::Answers,
    subscriptions::SubscriberId,
};
use crate::channel_sender::ChannelSender;

/// An entry of a channel, checked for one table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TableEntry {
    pub(super) id: i32,
    pub(super) event: Event,
    pub(super) conditions: Vec<Condition>,
    pub(super) select: Select,
}

/// Columns wanted beside the key; none for all.
pub(super) type Select = Option<Arc<BTreeSet<String>>>;

/// The channels that want to hear of a table.
#[derive(Debug, Default)]
pub(super) struct Table {
    profiles: HashMap<ProfileId, Profile>,
    by_entries: HashMap<Arc<[TableEntry]>, ProfileId>,
    last: u32,
    /// Profiles that every change is compared with.
    unindexed: HashSet<ProfileId>,
    /// Profiles whose entries each name values of one column.
    index: HashMap<Arc<str>, HashMap<Bytes, HashSet<ProfileId>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ProfileId(u32);

/// What some channels ask for in the same words.
#[derive(Debug)]
struct Profile {
    entries: Arc<[TableEntry]>,
    members: HashMap<Arc<Identity>, HashMap<SubscriberId, ChannelSender>>,
}

/// A change, as far as filters see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'c> {
    pub(super) event: Event,
    /// Names of the columns, in the order of the values.
    pub(super) columns: &'c HashMap<Arc<str>, usize>,
    pub(super) values: &'c [Value],
}

/// What a profile receives of a change: the ids of its entries that match, by the columns they
/// want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) profile: ProfileId,
    pub(super) ids: Vec<(Select, Vec<i32>)>,
}

impl Table {
    /// Adds a channel with its entries; gives the profile that it has from now on.
    pub(super) fn add(
        &mut self,
        entries: &Arc<[TableEntry]>,
        identity: &Arc<Identity>,
        (subscriber, sender): (SubscriberId, &ChannelSender),
    ) -> ProfileId {
        let id = match self.by_entries.get(entries) {
            Some(id) => *id,
            None => self.add_profile(entries),
        };
        let profile = self.profiles.get_mut(&id).expect("a profile that has an id");
        profile.members.entry(Arc::clone(identity)).or_default().insert(subscriber, sender.clone());
        id
    }

    /// Removes a channel from its profile.
    pub(super) fn remove(&mut self, id: ProfileId, identity: &Identity, subscriber: SubscriberId) {
        let Some(profile) = self.profiles.get_mut(&id) else { return };
        if let Some(channels) = profile.members.get_mut(identity) {
            channels.remove(&subscriber);
            if channels.is_empty() {
                profile.members.remove(identity);
            }
        }
        if profile.members.is_empty() {
            self.remove_profile(id);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.profiles.is_empty()
    }

    /// Every comparison that only PostgreSQL knows, of a change.
    pub(super) fn questions(&self, seen: Seen<'_>, mut ask: impl FnMut(&Comparison, &Bytes)) {
        for id in self.candidates(seen) {
            for entry in &*self.profiles[&id].entries {
                for condition in entry.conditions.iter().filter(|_| entry.event.includes(seen.event)) {
                    let value = seen.value(&condition.column);
                    if let (Verdict::Ask(comparison, _), Some(Value::Text(text))) =
                        (condition.check(value), value)
                    {
                        ask(comparison, text);
                    }
                }
            }
        }
    }

    /// Who is concerned by a change, once the questions about it are answered.
    pub(super) fn matches(&self, seen: Seen<'_>, answers: &Answers) -> Vec<Match> {
        let matching = |id: ProfileId| {
            let wanted = self.profiles[&id].entries.iter().filter(|entry| entry.matches(seen, answers));
            Match::of(id, wanted)
        };
        self.candidates(seen).into_iter().filter_map(matching).collect()
    }

    /// The members of a profile, by identity.
    pub(super) fn members(
        &self,
        profile: ProfileId,
    ) -> impl Iterator<Item = (&Arc<Identity>, impl Iterator<Item = &ChannelSender>)> {
        let members = self.profiles.get(&profile).map(|profile| &profile.members);
        members.into_iter().flatten().map(|(identity, channels)| (identity, channels.values()))
    }

    /// Profiles that may match: those that are compared with every change, and those that name a
    /// value of this one.
    fn candidates(&self, seen: Seen<'_>) -> BTreeSet<ProfileId> {
        let mut candidates: BTreeSet<ProfileId> = self.unindexed.iter().copied().collect();
        for (column, by_value) in &self.index {
            if let Some(Value::Text(text)) = seen.value(column) {
                candidates.extend(by_value.get(text).into_iter().flatten());
            }
        }
        candidates
    }

    fn add_profile(&mut self, entries: &Arc<[TableEntry]>) -> ProfileId {
        self.last += 1;
        let id = ProfileId(self.last);
        match keys(entries) {
            None => drop(self.unindexed.insert(id)),
            Some(keys) => {
                for (column, value) in keys {
                    let by_value = self.index.entry(Arc::clone(column)).or_default();
                    by_value.entry(value.clone()).or_default().insert(id);
                }
            }
        }
        self.by_entries.insert(Arc::clone(entries), id);
        self.profiles.insert(id, Profile { entries: Arc::clone(entries), members: HashMap::new() });
        id
    }

    fn remove_profile(&mut self, id: ProfileId) {
        let Some(profile) = self.profiles.remove(&id) else { return };
        self.by_entries.remove(&profile.entries);
        self.unindexed.remove(&id);
        for (column, value) in keys(&profile.entries).into_iter().flatten() {
            let Some(by_value) = self.index.get_mut(column) else { continue };
            if let Some(profiles) = by_value.get_mut(value) {
                profiles.remove(&id);
                if profiles.is_empty() {
                    by_value.remove(value);
                }
            }
            if by_value.is_empty() {
                self.index.remove(column);
            }
        }
    }
}

/// The values by which a profile is found: none where one of its entries names no values.
fn keys(entries: &[TableEntry]) -> Option<Vec<(&Arc<str>, &Bytes)>> {
    let mut all = Vec::new();
    for entry in entries {
        let named = |condition: &Condition| condition.keys().map(<[Bytes]>::len);
        let condition =
            entry.conditions.iter().filter(|it| named(it).is_some()).min_by_key(|it| named(it))?;
        all.extend(condition.keys()?.iter().map(|value| (&condition.column, value)));
    }
    Some(all)
}

impl TableEntry {
    fn matches(&self, seen: Seen<'_>, answers: &Answers) -> bool {
        let holds = |condition: &Condition| {
            let value = seen.value(&condition.column);
            match (condition.check(value), value) {
                (Verdict::Yes, _) => true,
                (Verdict::Ask(comparison, is_negated), Some(Value::Text(text))) => {
                    answers.of(comparison, text).is_some_and(|said| said != is_negated)
                }
                (Verdict::Ask(..) | Verdict::No, _) => false,
            }
        };
        self.event.includes(seen.event) && self.conditions.iter().all(holds)
    }
}

impl Match {
    fn of<'e>(profile: ProfileId, entries: impl Iterator<Item = &'e TableEntry>) -> Option<Self> {
        let mut ids: Vec<(Select, Vec<i32>)> = Vec::new();
        for entry in entries {
            match ids.iter_mut().find(|(select, _)| *select == entry.select) {
                Some((_, ids)) => ids.push(entry.id),
                None => ids.push((entry.select.clone(), vec![entry.id])),
            }
        }
        (!ids.is_empty()).then_some(Self { profile, ids })
    }
}

impl<'c> Seen<'c> {
    fn value(self, column: &str) -> Option<&'c Value> {
        self.values.get(*self.columns.get(column)?)
    }
}
