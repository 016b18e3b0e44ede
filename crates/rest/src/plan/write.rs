//! What is written (CONTRACT.md I01 to I21, W01 to W13, M01 to M13).

use std::collections::BTreeSet;

use super::{Answer, Condition, Node, Source, Target, negotiate, read, refuse_unknown_preferences, tree};
use crate::{
    error::Error,
    request::{
        PayloadForm, Shape,
        action::Mutation,
        filter::{Operation, Operator, Test},
        preferences::{Count, Missing, Representation, Resolution},
    },
    schema::{Catalog, Qualified, Relation, relations},
    settings::Settings,
};

/// A change of a relation, and what is returned of it.
#[derive(Debug)]
pub struct WritePlan {
    /// The relation.
    pub relation: Qualified,
    /// What is done.
    pub kind: WriteKind,
    /// The kind of writing.
    pub mutation: Mutation,
    /// Columns that the body sets.
    pub columns: Vec<relations::Column>,
    /// Whether the body is one object.
    pub object: bool,
    /// Whether the body is lines of texts, each with all columns.
    pub table: bool,
    /// Whether columns that the body leaves out get their default.
    pub defaults: bool,
    /// Which rows; of a PUT, which row the body has to be.
    pub conditions: Vec<Condition>,
    /// Columns that come back; none is all of them, empty is only how many rows.
    pub returning: Option<Vec<String>>,
    /// What is read of what comes back.
    pub node: Node,
    /// In which form.
    pub answer: Answer,
    /// What must hold, or nothing is kept.
    pub checks: Checks,
    /// Primary key, where the answer names the new row's address.
    pub location: Option<Vec<String>>,
    /// Whether a conflict target was known, so that the preference was applied (CONTRACT.md W05,
    /// H04).
    pub resolves: bool,
    /// How to count rows.
    pub count: Option<Count>,
}

/// What is done to a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteKind {
    /// Rows are inserted.
    Insert(Option<Conflict>),
    /// Rows are changed.
    Update,
    /// Rows are deleted.
    Delete,
}

/// What happens to rows whose key exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Whether they are changed; otherwise they are left alone.
    pub merge: bool,
    /// The key.
    pub target: Vec<String>,
}

/// What must hold of the rows written, or nothing is kept (db/CONTRACT.md PG-PIPELINE-ATOMIC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checks {
    /// Exactly one (PGRST116).
    pub singular: bool,
    /// At most so many (PGRST124).
    pub max_affected: Option<i64>,
    /// Exactly the one the URL names (PGRST115).
    pub put: bool,
}

/// Makes the plan.
pub(super) fn plan(
    shape: &Shape,
    relation: &str,
    mutation: Mutation,
    catalog: &Catalog,
    settings: &Settings,
) -> Result<WritePlan, Error> {
    let name = Qualified::new(&shape.schema, relation);
    let relation = catalog.relation(&name)?;
    let target =
        Target { source: Source::Result, relation: &name, json_columns: &[], root: read::Root::Returned };
    let node = tree::tree(shape, &target, catalog, settings)?;
    let conditions = conditions(shape, relation, mutation)?;
    let columns = columns(shape, relation)?;
    let table = shape.payload == PayloadForm::Table;
    refuse_unknown_preferences(&shape.preferences)?;
    let answer = negotiate::answer(shape, &name, &node, catalog, settings)?;
    if !settings.unfiltered_writes && conditions.is_empty() {
        refuse_unfiltered(mutation, &columns)?;
    }
    let preferences = &shape.preferences;
    let representation = preferences.representation;
    let insert = mutation == Mutation::Insert;
    Ok(WritePlan {
        kind: kind(shape, relation, mutation),
        mutation,
        columns,
        object: shape.payload == PayloadForm::Object,
        table,
        defaults: preferences.missing == Some(Missing::Default) && mutation != Mutation::Upsert && !table,
        conditions,
        returning: returning(representation, insert, &node, relation),
        checks: checks(shape, mutation, &answer),
        location: (insert && representation == Some(Representation::HeadersOnly))
            .then(|| relation.primary_key.clone())
            .filter(|key| !key.is_empty()),
        resolves: !relation.primary_key.is_empty() || shape.query.on_conflict.is_some(),
        count: preferences.count,
        relation: name,
        node,
        answer,
    })
}

fn kind(shape: &Shape, relation: &Relation, mutation: Mutation) -> WriteKind {
    let target = shape.query.on_conflict.clone().unwrap_or_else(|| relation.primary_key.clone());
    match (mutation, shape.preferences.resolution) {
        (Mutation::Upsert, _) => {
            WriteKind::Insert(Some(Conflict { merge: true, target: relation.primary_key.clone() }))
        }
        (Mutation::Insert, Some(resolution)) if !target.is_empty() => {
            WriteKind::Insert(Some(Conflict { merge: resolution == Resolution::Merge, target }))
        }
        (Mutation::Insert, _) => WriteKind::Insert(None),
        (Mutation::Update, _) => WriteKind::Update,
        (Mutation::Delete, _) => WriteKind::Delete,
    }
}

/// A change of every row, as the extension pg_safeupdate refuses it. Without columns nothing is
/// changed (CONTRACT.md M03, M10).
fn refuse_unfiltered(mutation: Mutation, columns: &[relations::Column]) -> Result<(), Error> {
    match mutation {
        Mutation::Update if !columns.is_empty() => Err(Error::Unfiltered("UPDATE")),
        Mutation::Delete => Err(Error::Unfiltered("DELETE")),
        Mutation::Insert | Mutation::Upsert | Mutation::Update => Ok(()),
    }
}

fn conditions(shape: &Shape, relation: &Relation, mutation: Mutation) -> Result<Vec<Condition>, Error> {
    match mutation {
        Mutation::Insert => Ok(Vec::new()),
        Mutation::Update | Mutation::Delete => Ok(tree::conditions(shape, relation)),
        Mutation::Upsert if names_one_row(shape, relation) => Ok(tree::conditions(shape, relation)),
        Mutation::Upsert => Err(Error::PutFilters),
    }
}

/// Whether the filters are exactly the primary key, each by `eq` (CONTRACT.md W09).
fn names_one_row(shape: &Shape, relation: &Relation) -> bool {
    let is_eq = |test: &Test| {
        let equals = matches!(&test.operation, Operation::Compare(Operator { sql: "=", .. }, None, _));
        equals && !test.negated
    };
    let filters = &shape.query.filters;
    let own =
        filters.iter().filter(|(path, _)| path.is_empty()).map(|(_, filter)| filter.field.name.as_str());
    let filtered: BTreeSet<&str> = own.collect();
    let key: BTreeSet<&str> = relation.primary_key.iter().map(String::as_str).collect();
    shape.query.logic.is_empty()
        && !key.is_empty()
        && filtered == key
        && filters.iter().all(|(path, filter)| path.is_empty() && is_eq(&filter.test))
}

fn columns(shape: &Shape, relation: &Relation) -> Result<Vec<relations::Column>, Error> {
    let known = |name: &String| {
        relation
            .column(name)
            .cloned()
            .ok_or_else(|| Error::NoColumn { relation: relation.name.clone(), column: name.clone() })
    };
    shape.columns.iter().map(known).collect()
}

/// What a write returns: nothing, its key, or what the representation reads (CONTRACT.md J26).
fn returning(
    representation: Option<Representation>,
    insert: bool,
    node: &Node,
    relation: &Relation,
) -> Option<Vec<String>> {
    match representation {
        None | Some(Representation::Minimal) => Some(Vec::new()),
        Some(Representation::HeadersOnly) if insert => Some(relation.primary_key.clone()),
        Some(Representation::HeadersOnly) => Some(Vec::new()),
        Some(Representation::Full) => node.needed_columns(),
    }
}

fn checks(shape: &Shape, mutation: Mutation, answer: &Answer) -> Checks {
    let limited = matches!(mutation, Mutation::Update | Mutation::Delete);
    Checks {
        singular: answer.is_singular() && mutation != Mutation::Upsert,
        max_affected: shape.preferences.enforced_max_affected().filter(|_| limited),
        put: mutation == Mutation::Upsert,
    }
}
