//! Changes handed to the channels that may see them, in the order of their commits.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use bytes::Bytes;

use super::{
    catalog::Rights,
    entry::Event,
    identity::Identity,
    payload::{self, Refusal},
    table::{ProfileId, Select, Table},
    worker::Batch,
};
use crate::{
    channel_sender::ChannelSender,
    model::Topic,
    protocol::{self, Frame, Refs, Version},
};

/// Which changes row-level security lets identities see.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    /// Those that policies do not tell apart are one group.
    pub(super) group_of: HashMap<Arc<Identity>, usize>,
    /// The changes that each group may see.
    pub(super) seen: Vec<BTreeSet<usize>>,
}

impl Verdicts {
    /// Whether an identity may see the row of a change.
    fn allow(&self, identity: &Arc<Identity>, place: usize) -> bool {
        self.group_of.get(identity).is_some_and(|group| self.seen[*group].contains(&place))
    }
}

/// Delivers a batch. Payloads are built once for each role, columns and ids. Says how many messages
/// that were.
pub(super) fn deliver(batch: &Batch<'_>, verdicts: &Verdicts, subscribed: &Table) -> usize {
    let mut delivered = 0;
    for place in 0..batch.changes.len() {
        let mut change = Delivery { batch, place, data: HashMap::new(), messages: HashMap::new() };
        for matching in &batch.concerned.matches[place] {
            for (identity, senders) in subscribed.members(matching.profile) {
                let Some(rights) = batch.rights.get(identity.role()) else { continue };
                if change.is_for(identity, rights, verdicts) {
                    let messages = change.messages(identity.role(), rights, matching.profile, &matching.ids);
                    for sender in senders {
                        messages.iter_mut().for_each(|message| message.send(sender));
                        delivered += messages.len();
                    }
                }
            }
        }
    }
    delivered
}

/// One change on its way.
struct Delivery<'b> {
    batch: &'b Batch<'b>,
    place: usize,
    /// What is said of it, by role and columns.
    data: HashMap<(&'b str, Select), Bytes>,
    /// What the channels of a profile receive, by role: a message for each list of columns.
    messages: HashMap<(&'b str, ProfileId), Vec<Message>>,
}

/// A message, encoded once for each version and topic where channels of the same topic follow each
/// other.
struct Message {
    payload: Bytes,
    encoded: [Option<(Topic, Frame)>; 2],
}

impl Message {
    fn send(&mut self, sender: &ChannelSender) {
        let encoded = match sender.version() {
            Version::V1 => &mut self.encoded[0],
            Version::V2 => &mut self.encoded[1],
        };
        let topic = sender.topic();
        let encode = || {
            let topic = topic.on_the_wire();
            protocol::message(sender.version(), Refs::NONE, &topic, "postgres_changes", &self.payload)
        };
        encoded.take_if(|(of, _)| of != topic);
        let (_, frame) = encoded.get_or_insert_with(|| (topic.clone(), encode()));
        sender.send(frame.clone());
    }
}

impl<'b> Delivery<'b> {
    fn event(&self) -> Event {
        self.batch.changes[self.place].event
    }

    fn is_for(&self, identity: &Arc<Identity>, rights: &Rights, verdicts: &Verdicts) -> bool {
        !rights.decide_rows_of(self.event()) || verdicts.allow(identity, self.place)
    }

    /// The messages for the channels of a profile and a role.
    fn messages(
        &mut self,
        role: &str,
        rights: &Rights,
        profile: ProfileId,
        ids: &[(Select, Vec<i32>)],
    ) -> &mut Vec<Message> {
        let (role, _) = self.batch.rights.get_key_value(role).expect("the role whose rights these are");
        let Self { batch, place, data, messages } = self;
        messages.entry((role, profile)).or_insert_with(|| {
            let build = |(select, ids): &(Select, Vec<i32>)| {
                let key = (role.as_str(), select.clone());
                let data = data.entry(key).or_insert_with(|| self::data(batch, *place, rights, select));
                Message { payload: payload::payload(ids, data), encoded: [None, None] }
            };
            ids.iter().map(build).collect()
        })
    }
}

fn data(batch: &Batch<'_>, place: usize, rights: &Rights, select: &Select) -> Bytes {
    let (change, rendered) = (&batch.changes[place], &batch.rendered[place]);
    match Refusal::of(rights, change.event) {
        Some(refusal) => refusal.data(batch.table, change.event),
        None => payload::data(batch.table, change, rendered, rights, select.as_deref()),
    }
}
