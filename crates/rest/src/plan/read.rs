//! The plan of a read: a tree of relations, each with its columns, conditions, order and range.

use crate::{
    request::{
        Field, Window,
        filter::Test,
        select::{Aggregate, Join},
    },
    schema::Qualified,
};

/// One relation of the tree.
#[derive(Debug)]
pub struct Node {
    /// Source of its rows.
    pub source: Source,
    /// The name its columns go by in SQL.
    pub alias: String,
    /// The relation its columns are described by; none is found for results of functions that
    /// return other rows.
    pub relation: Qualified,
    /// `true`: the request selects everything of it, and nothing else.
    pub asked_for_all: bool,
    /// Columns to select; with none and no embedded relation, all.
    pub columns: Vec<Column>,
    /// Conditions that all must hold.
    pub conditions: Vec<Condition>,
    /// Order.
    pub order: Vec<Order>,
    /// The requested rows.
    pub range: Window,
    /// Most rows, whatever the range says (CONTRACT.md R18).
    pub most: Option<i64>,
    /// Embedded relations.
    pub embeds: Vec<Embed>,
}

/// Source of rows.
#[derive(Debug, Clone)]
pub enum Source {
    /// A relation.
    Relation(Qualified),
    /// Rows that the statement wrote or the function returned.
    Result,
    /// A computed relationship: a function of the parent's row.
    Computed {
        /// The function.
        function: Qualified,
        /// The parent's name in SQL.
        argument: String,
        /// The parent's row type.
        row_type: Qualified,
    },
}

/// A column of the answer.
#[derive(Debug, Clone)]
pub struct Column {
    /// A selected value.
    pub value: Value,
    /// Type it is cast to.
    pub cast: Option<String>,
    /// Its name in the answer, where that is not the column's.
    pub alias: Option<String>,
    /// Aggregate over its values (CONTRACT.md A02); of `*` it counts the rows.
    pub aggregate: Option<Aggregate>,
    /// Whether it is the row as a whole, for an aggregate further up to count (CONTRACT.md A10).
    pub whole_row: bool,
    /// Whether its value is or holds one of the type `json`, which cannot be compared
    /// (CONTRACT.md A06).
    pub json: bool,
}

/// A column that a parent takes over from an embedded relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifted {
    /// Its name, in the embedded relation's rows and in the parent's.
    pub name: String,
    /// Aggregate that the parent applies (CONTRACT.md A09).
    pub aggregate: Option<Aggregate>,
    /// Whether it is or holds a value of the type `json`, which cannot be compared.
    pub json: bool,
}

/// A column with what SQL has to do to reach its value.
#[derive(Debug, Clone)]
pub struct Value {
    /// Column and path.
    pub field: Field,
    /// Whether the column has to be turned into JSON for the path (CONTRACT.md S09).
    pub to_json: bool,
    /// Whether a text search has to turn it into a `tsvector` (CONTRACT.md F14).
    pub to_tsvector: bool,
    /// The function of its domain: for a column of the answer it makes JSON, for a filter it reads
    /// the value to compare with (CONTRACT.md N22).
    pub represent: Option<Qualified>,
    /// The composite type that the value it is compared with is read as: PostgreSQL would take it
    /// for a row without a type (CONTRACT.md U09).
    pub composite: Option<String>,
}

/// A condition on rows.
#[derive(Debug)]
pub enum Condition {
    /// An operation on a value.
    Test(Value, Test),
    /// Whether an embedded relation has a match (CONTRACT.md J17).
    Embed {
        /// Its place among the embedded relations.
        index: usize,
        /// Whether there must be one.
        present: bool,
    },
    /// Several, joined.
    Tree {
        /// Whether the whole is negated.
        negated: bool,
        /// Whether one is enough.
        any: bool,
        /// The conditions.
        members: Vec<Condition>,
    },
}

/// One term of an order.
#[derive(Debug)]
pub struct Order {
    /// The embedded to-one relation it is a column of, by its handle.
    pub handle: Option<String>,
    /// The compared value.
    pub value: Value,
    /// `ASC` or `DESC`.
    pub direction: Option<&'static str>,
    /// `NULLS FIRST` or `NULLS LAST`.
    pub nulls: Option<&'static str>,
}

/// A relation embedded in another.
#[derive(Debug)]
pub struct Embed {
    /// Its target as written, which filters may name too.
    pub target: String,
    /// Its key in the answer.
    pub key: String,
    /// The name of its rows in SQL.
    pub handle: String,
    /// Whether a parent has at most one row of it.
    pub to_one: bool,
    /// Whether parents without a match are dropped.
    pub join: Join,
    /// Whether its columns are lifted into the parent.
    pub spread: bool,
    /// The lifted columns.
    pub lifted: Vec<Lifted>,
    /// Whether the request names it by its target although it has an alias (CONTRACT.md J23).
    pub named_by_target: bool,
    /// Pairs of columns that are equal, each by its relation's name in SQL.
    pub on: Vec<((String, String), (String, String))>,
    /// The relation between the two, and its name in SQL.
    pub junction: Option<(Qualified, String)>,
    /// Columns of the parent that the join needs; none when it needs the whole row.
    pub parent_columns: Option<Vec<String>>,
    /// The parts of it that are read.
    pub node: Node,
}

/// Root of a tree.
pub struct Target<'a> {
    /// Source of the root's rows.
    pub source: Source,
    /// The relation that describes the root's columns.
    pub relation: &'a Qualified,
    /// Columns that hold JSON, where the catalog does not know the relation.
    pub json_columns: &'a [String],
    /// Whether the root's own conditions apply.
    pub root: Root,
}

/// The parts of a request that belong to the root of its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// Everything.
    Whole,
    /// The filters choose the rows to write. They do not apply to the returned rows (CONTRACT.md
    /// M06, M08).
    Returned,
}

impl Column {
    /// Whether it stands for all columns.
    #[must_use]
    pub fn is_star(&self) -> bool {
        self.value.field.name == "*" && self.aggregate.is_none() && !self.whole_row
    }

    /// Its name in the answer.
    #[must_use]
    pub fn name(&self) -> &str {
        let aggregate = self.aggregate.as_ref().map(|aggregate| aggregate.function);
        self.alias.as_deref().or(aggregate).unwrap_or(&self.value.field.name)
    }
}

impl Node {
    /// Caps the rows at every level (CONTRACT.md R18). A to-one relation has one row anyway, and
    /// without a limit PostgreSQL is free to join it as it likes.
    pub(super) fn restrict(&mut self, rows: Option<i64>) {
        self.most = rows;
        self.restrict_embeds(rows);
    }

    fn restrict_embeds(&mut self, rows: Option<i64>) {
        for embed in &mut self.embeds {
            match embed.to_one {
                true => embed.node.restrict_embeds(rows),
                false => embed.node.restrict(rows),
            }
        }
    }

    /// Whether nothing of it shows in the answer (CONTRACT.md S13).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.embeds.iter().all(|embed| embed.node.is_empty())
    }

    /// Whether all columns are selected.
    #[must_use]
    pub fn selects_all(&self) -> bool {
        self.columns.iter().any(Column::is_star)
    }

    /// Whether its rows are groups of rows.
    #[must_use]
    pub fn is_grouped(&self) -> bool {
        let lifts = |embed: &Embed| embed.lifted.iter().any(|column| column.aggregate.is_some());
        self.columns.iter().any(|column| column.aggregate.is_some()) || self.embeds.iter().any(lifts)
    }

    /// Target and alias of the embedded relations that the request names by their target
    /// (CONTRACT.md J24).
    #[must_use]
    pub fn named_by_target(&self) -> Vec<(&str, &str)> {
        let named = |embed: &Embed| embed.named_by_target;
        let own = self.embeds.iter().filter(|it| named(it)).map(|it| (it.target.as_str(), it.key.as_str()));
        let deeper = self.embeds.iter().flat_map(|it| it.node.named_by_target());
        own.chain(deeper).collect()
    }

    /// Whether it is asked for as `select=*` and nothing else.
    #[must_use]
    pub fn selects_only_all(&self) -> bool {
        self.asked_for_all && self.embeds.is_empty()
    }

    /// Columns of the root that the tree reads; none is all of them (CONTRACT.md E15, J26).
    pub(super) fn needed_columns(&self) -> Option<Vec<String>> {
        if self.selects_all() {
            return None;
        }
        let columns = self.columns.iter().map(|it| &it.value.field.name).filter(|name| *name != "*");
        let mut needed: Vec<String> = columns.cloned().collect();
        for embed in &self.embeds {
            needed.extend(embed.parent_columns.clone()?);
        }
        needed
            .extend(self.order.iter().filter(|it| it.handle.is_none()).map(|it| it.value.field.name.clone()));
        needed.sort_unstable();
        needed.dedup();
        Some(needed)
    }

    /// Columns of the root that conditions name.
    pub(super) fn filtered_columns(&self) -> Vec<String> {
        fn names(conditions: &[Condition], found: &mut Vec<String>) {
            for condition in conditions {
                match condition {
                    Condition::Test(value, _) => found.push(value.field.name.clone()),
                    Condition::Tree { members, .. } => names(members, found),
                    Condition::Embed { .. } => {}
                }
            }
        }
        let mut found = Vec::new();
        names(&self.conditions, &mut found);
        found
    }
}
