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

/// Delivers a batch. Payloads are built once for each role, columns and ids.
pub(super) fn deliver(batch: &Batch<'_>, verdicts: &Verdicts, subscribed: &Table) {
    for place in 0..batch.changes.len() {
        let mut change = Delivery { batch, place, data: HashMap::new(), payloads: HashMap::new() };
        for matching in &batch.concerned.matches[place] {
            for (identity, receivers) in subscribed.members(matching.profile) {
                let Some(rights) = batch.rights.get(identity.role()) else { continue };
                if change.is_for(identity, rights, verdicts) {
                    let payloads = change.payloads(identity.role(), rights, matching.profile, &matching.ids);
                    for receiver in receivers {
                        payloads.iter().for_each(|payload| receiver.change(payload));
                    }
                }
            }
        }
    }
}

/// One change on its way.
struct Delivery<'b> {
    batch: &'b Batch<'b>,
    place: usize,
    /// What is said of it, by role and columns.
    data: HashMap<(&'b str, Select), Bytes>,
    /// The same with ids.
    payloads: HashMap<(&'b str, ProfileId), Arc<[Bytes]>>,
}

impl<'b> Delivery<'b> {
    fn event(&self) -> Event {
        self.batch.changes[self.place].event
    }

    fn is_for(&self, identity: &Arc<Identity>, rights: &Rights, verdicts: &Verdicts) -> bool {
        !rights.decide_rows_of(self.event()) || verdicts.allow(identity, self.place)
    }

    /// The messages for the channels of a profile and a role: one for each list of columns.
    fn payloads(
        &mut self,
        role: &str,
        rights: &Rights,
        profile: ProfileId,
        ids: &[(Select, Vec<i32>)],
    ) -> Arc<[Bytes]> {
        let (role, _) = self.batch.rights.get_key_value(role).expect("the role whose rights these are");
        if let Some(known) = self.payloads.get(&(role.as_str(), profile)) {
            return Arc::clone(known);
        }
        let build = |(select, ids): &(Select, Vec<i32>)| {
            let data = self
                .data
                .entry((role, select.clone()))
                .or_insert_with(|| data(self.batch, self.place, rights, select));
            payload::payload(ids, data)
        };
        let built: Arc<[Bytes]> = ids.iter().map(build).collect();
        self.payloads.insert((role, profile), Arc::clone(&built));
        built
    }
}

fn data(batch: &Batch<'_>, place: usize, rights: &Rights, select: &Select) -> Bytes {
    let (change, rendered) = (&batch.changes[place], &batch.rendered[place]);
    match Refusal::of(rights, change.event) {
        Some(refusal) => refusal.data(batch.table, change.event),
        None => payload::data(batch.table, change, rendered, rights, select.as_deref()),
    }
}
