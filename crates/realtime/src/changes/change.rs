//! A change of one row, and the table that it is of.

use std::{collections::HashMap, sync::Arc};

use super::{
    entry::Event,
    pgoutput::{OldRow, Relation, Row, Value},
    table::Seen,
    types::Type,
};

/// A change of above so many bytes is announced without its large values (CONTRACT.md G16).
const LARGEST: usize = 1 << 20;

/// A change, as the log has it.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) event: Event,
    /// The row after it; of a deletion nothing. What an update left alone is taken from the row
    /// before it, where the log has that.
    pub(super) new: Row,
    /// The row before it, as far as the replica identity carries it; the rest is
    /// [`Value::Unchanged`].
    pub(super) old: Row,
    /// When it was committed, in microseconds since 2000.
    pub(super) committed_at: i64,
    /// The transaction.
    pub(super) xid: u32,
    /// Whether its transaction is handed on in parts, so that a later part may change the row
    /// again.
    pub(super) is_of_part: bool,
}

/// A table as it was when its changes were made.
#[derive(Debug)]
pub(super) struct ChangedTable {
    pub(super) relation: Arc<Relation>,
    /// Of the columns, in their order.
    pub(super) types: Vec<Arc<Type>>,
    /// Where a column stands.
    pub(super) places: HashMap<Arc<str>, usize>,
}

impl Change {
    pub(super) fn insert(new: Row) -> Self {
        Self::of(Event::Insert, new, vec![])
    }

    pub(super) fn update(relation: &Relation, old: Option<OldRow>, mut new: Row) -> Self {
        let old = old.map_or_else(Vec::new, |old| carried(relation, old));
        for (new, old) in new.iter_mut().zip(&old) {
            if *new == Value::Unchanged {
                new.clone_from(old);
            }
        }
        Self::of(Event::Update, new, old)
    }

    pub(super) fn delete(relation: &Relation, old: OldRow) -> Self {
        Self::of(Event::Delete, vec![], carried(relation, old))
    }

    fn of(event: Event, new: Row, old: Row) -> Self {
        Self { event, new, old, committed_at: 0, xid: 0, is_of_part: false }
    }

    /// The row that filters see (CONTRACT.md G7).
    pub(super) fn row(&self) -> &[Value] {
        if self.event == Event::Delete { &self.old } else { &self.new }
    }

    /// Bytes of its values.
    pub(super) fn size(&self) -> usize {
        self.new.iter().chain(&self.old).map(Value::len).sum()
    }

    pub(super) fn is_too_large(&self) -> bool {
        self.size() > LARGEST
    }
}

/// The columns that the log carries of an old row: the others are not null, they are missing.
fn carried(relation: &Relation, old: OldRow) -> Row {
    match old {
        OldRow::Full(row) => row,
        OldRow::Key(row) => {
            let of_key = |(value, column): (Value, &super::pgoutput::Column)| {
                if column.is_identity { value } else { Value::Unchanged }
            };
            row.into_iter().zip(&relation.columns).map(of_key).collect()
        }
    }
}

impl ChangedTable {
    pub(super) fn new(relation: Arc<Relation>, types: Vec<Arc<Type>>) -> Self {
        let names = relation.columns.iter().map(|column| Arc::from(column.name.as_str()));
        let places = names.enumerate().map(|(place, name)| (name, place)).collect();
        Self { relation, types, places }
    }

    pub(super) fn seen<'c>(&'c self, change: &'c Change) -> Seen<'c> {
        Seen { event: change.event, columns: &self.places, values: change.row() }
    }

    /// The texts of some columns of a row; none where one of them is null or missing.
    pub(super) fn texts<'r>(&self, row: &'r [Value], columns: &[String]) -> Option<Vec<&'r [u8]>> {
        let text = |column: &String| match row.get(*self.places.get(column.as_str())?)? {
            Value::Text(text) => Some(&**text),
            Value::Null | Value::Unchanged => None,
        };
        columns.iter().map(text).collect()
    }
}
