//! Messages of the log, handed to the workers of the tables and to the hub.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;

use super::{
    change::Change,
    context::ChangesContext,
    database_broadcast,
    pgoutput::{Begin, Malformed, Message, OldRow, Relation, Row},
    subscriptions::Subscriptions,
    worker::Part,
};

/// Bytes of a transaction that are held before they are handed on in parts.
const LARGEST_PART: usize = 4 << 20;

/// What is known in the middle of the log.
#[derive(Debug)]
pub(super) struct Router {
    context: ChangesContext,
    subscriptions: Arc<Subscriptions>,
    /// Whether rows of `realtime.messages` are broadcast. On a node that does not read the log they
    /// arrive as broadcasts.
    broadcasts: bool,
    relations: HashMap<u32, Arc<Relation>>,
    transaction: Begin,
    /// Changes of the transaction so far, by table, and their bytes.
    parts: HashMap<u32, Part>,
    bytes: usize,
    /// Whether parts of it were handed on.
    is_cut: bool,
}

impl Router {
    /// A router at the beginning of a stream, which this node reads or another.
    pub(super) fn new(context: ChangesContext, subscriptions: Arc<Subscriptions>, broadcasts: bool) -> Self {
        Self {
            context,
            subscriptions,
            broadcasts,
            relations: HashMap::new(),
            transaction: Begin { committed_at: 0, xid: 0 },
            parts: HashMap::new(),
            bytes: 0,
            is_cut: false,
        }
    }

    /// Takes the next message; gives what it says of a table, where it does.
    pub(super) fn take(&mut self, message: Bytes) -> Result<Option<Arc<Relation>>, Malformed> {
        match Message::decode(message)? {
            Message::Begin(begin) => {
                self.transaction = begin;
                self.is_cut = false;
            }
            Message::Relation(relation) => return Ok(Some(self.describe(relation))),
            Message::Insert { relation, new } => {
                let relation = self.relation(relation, &[&new])?;
                self.insert(&relation, new);
            }
            Message::Update { relation, old, new } => {
                let rows = [old.as_ref().map_or(&new, OldRow::row), &new];
                let relation = self.relation(relation, &rows)?;
                self.add(&relation, |relation| Change::update(relation, old, new));
            }
            Message::Delete { relation, old } => {
                let relation = self.relation(relation, &[old.row()])?;
                self.add(&relation, |relation| Change::delete(relation, old));
            }
            Message::Commit => self.hand_on(false),
            Message::Other => {}
        }
        Ok(None)
    }

    fn describe(&mut self, relation: Relation) -> Arc<Relation> {
        if self.parts.contains_key(&relation.id) {
            self.hand_on(true);
        }
        let relation = Arc::new(relation);
        self.relations.insert(relation.id, Arc::clone(&relation));
        relation
    }

    fn insert(&mut self, relation: &Arc<Relation>, new: Row) {
        if self.broadcasts
            && database_broadcast::is_table(relation)
            && let Some(broadcast) = database_broadcast::read(relation, &new)
        {
            self.context.broadcast(&broadcast);
        }
        self.add(relation, |_| Change::insert(new));
    }

    /// The relation of rows, which have as many values as it has columns.
    fn relation(&self, id: u32, rows: &[&Row]) -> Result<Arc<Relation>, Malformed> {
        let relation = self.relations.get(&id).ok_or(Malformed::UNKNOWN_RELATION)?;
        if rows.iter().any(|row| row.len() != relation.columns.len()) {
            return Err(Malformed::WRONG_COLUMNS);
        }
        Ok(Arc::clone(relation))
    }

    /// Adds a change to the transaction, if anybody wants to hear of it.
    fn add(&mut self, relation: &Arc<Relation>, change: impl FnOnce(&Relation) -> Change) {
        if !self.subscriptions.want(relation.id) {
            return;
        }
        let Begin { committed_at, xid } = self.transaction;
        let change = Change { committed_at, xid, ..change(relation) };
        self.bytes += change.size();
        let new = || Part { relation: Arc::clone(relation), changes: vec![] };
        self.parts.entry(relation.id).or_insert_with(new).changes.push(change);
        if self.bytes > LARGEST_PART {
            self.hand_on(true);
        }
    }

    /// Hands on what there is of the transaction, which may go on.
    fn hand_on(&mut self, goes_on: bool) {
        self.is_cut |= goes_on;
        self.bytes = 0;
        for (_, mut part) in self.parts.drain() {
            part.changes.iter_mut().for_each(|change| change.is_of_part = self.is_cut);
            let count = part.changes.len();
            if !self.subscriptions.push(part) {
                self.context.count_skipped(count);
            }
        }
    }
}
