//! Stage 2: resolves a request against the catalog into a plan. Knows the schema, not HTTP.

/// The plan of a read: a tree of relations.
pub mod read;

/// Builds that tree from a request.
mod tree;

/// Keys that embedded relations have in the answer.
mod keys;

/// Finds the relationship of an embedded relation.
mod embed;

/// Aggregates, and the columns that are lifted out of embedded relations.
mod lift;

/// The plan of a write.
pub mod write;

/// The plan of a function call.
pub mod call;

/// The form of the answer.
pub mod negotiate;

pub use self::{
    call::{CallPlan, CallValues},
    negotiate::{Answer, Explain, Format},
    read::{Column, Condition, Embed, Node, Order, Source, Target},
    write::{Checks, Conflict, WriteKind, WritePlan},
};
use crate::{
    error::Error,
    request::{
        Action, Resource, Shape, Window,
        preferences::{Count, Preferences},
    },
    schema::{Catalog, Qualified, Relation},
    settings::Settings,
};

/// A plan.
#[derive(Debug)]
pub enum Plan {
    /// Rows of a relation.
    Read(ReadPlan),
    /// A change of a relation.
    Write(WritePlan),
    /// A call of a function.
    Call(CallPlan),
    /// The root document of a schema.
    Document(String),
    /// `Allow`, without a word to the database (CONTRACT.md Y01 to Y03).
    Info(&'static str),
}

impl Plan {
    /// Bytes of what it takes from the catalog and SQL does not show.
    #[must_use]
    pub fn weight(&self) -> u64 {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        match self {
            Self::Write(plan) => {
                plan.columns.iter().map(|it| 256 + text(&it.comment) + text(&it.default)).sum::<usize>()
                    as u64
            }
            Self::Read(_) | Self::Call(_) | Self::Document(_) | Self::Info(_) => 0,
        }
    }

    /// The form of the answer, where its body comes from PostgreSQL.
    #[must_use]
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Read(plan) => Some(&plan.answer),
            Self::Write(plan) => Some(&plan.answer),
            Self::Call(plan) => Some(&plan.answer),
            Self::Document(_) | Self::Info(_) => None,
        }
    }
}

/// Rows of a relation.
#[derive(Debug)]
pub struct ReadPlan {
    /// The relation, for `Content-Location`.
    pub relation: Qualified,
    /// The relations to read.
    pub node: Node,
    /// The form of the answer.
    pub answer: Answer,
    /// How to count all rows.
    pub count: Option<Count>,
    /// The requested rows.
    pub range: Window,
}

/// Makes the plan.
///
/// # Errors
/// PGRST105 to PGRST128 and PGRST200 to PGRST205, before anything is sent to the database
/// (CONTRACT.md P11).
pub fn resolve(shape: &Shape, catalog: &Catalog, settings: &Settings) -> Result<Plan, Error> {
    match &shape.action {
        Action::Read { relation, .. } => read_relation(shape, relation, catalog, settings).map(Plan::Read),
        Action::Write { relation, mutation } => {
            write::plan(shape, relation, *mutation, catalog, settings).map(Plan::Write)
        }
        Action::Call { function, .. } => call::plan(shape, function, catalog, settings).map(Plan::Call),
        Action::Document { .. } => {
            negotiate::document(&shape.accept).map(|()| Plan::Document(shape.schema.clone()))
        }
        Action::Info(resource) => info(shape, resource, catalog).map(Plan::Info),
    }
}

fn read_relation(
    shape: &Shape,
    relation: &str,
    catalog: &Catalog,
    settings: &Settings,
) -> Result<ReadPlan, Error> {
    let name = Qualified::new(&shape.schema, relation);
    catalog.relation(&name)?;
    let target = Target {
        source: Source::Relation(name.clone()),
        relation: &name,
        json_columns: &[],
        root: read::Root::Whole,
    };
    let mut node = tree::tree(shape, &target, catalog, settings)?;
    node.range = shape.range;
    node.restrict(settings.max_rows);
    refuse_unknown_preferences(&shape.preferences)?;
    let answer = negotiate::answer(shape, &name, &node, catalog, settings)?;
    Ok(ReadPlan { relation: name, node, answer, count: shape.preferences.count, range: shape.range })
}

/// CONTRACT.md H06; which they are is known beside the shape.
fn refuse_unknown_preferences(preferences: &Preferences) -> Result<(), Error> {
    if preferences.unknown { Err(Error::Preferences(Vec::new())) } else { Ok(()) }
}

fn info(shape: &Shape, resource: &Resource, catalog: &Catalog) -> Result<&'static str, Error> {
    match resource {
        Resource::Root => Ok("OPTIONS,GET,HEAD"),
        Resource::Relation(name) => {
            catalog.relation(&Qualified::new(&shape.schema, name)).map(allowed_on_relation)
        }
        Resource::Function(name) => {
            let function = call::find(shape, name, catalog)?;
            Ok(if function.volatile { "OPTIONS,POST" } else { "OPTIONS,GET,HEAD,POST" })
        }
    }
}

/// Methods by what can be done to the relation (CONTRACT.md Y02).
fn allowed_on_relation(relation: &Relation) -> &'static str {
    let put = relation.insertable && relation.updatable && !relation.primary_key.is_empty();
    match (relation.insertable, put, relation.updatable, relation.deletable) {
        (true, true, true, true) => "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE",
        (true, true, true, false) => "OPTIONS,GET,HEAD,POST,PUT,PATCH",
        (true, _, true, true) => "OPTIONS,GET,HEAD,POST,PATCH,DELETE",
        (true, _, true, false) => "OPTIONS,GET,HEAD,POST,PATCH",
        (true, _, false, true) => "OPTIONS,GET,HEAD,POST,DELETE",
        (true, _, false, false) => "OPTIONS,GET,HEAD,POST",
        (false, _, true, true) => "OPTIONS,GET,HEAD,PATCH,DELETE",
        (false, _, true, false) => "OPTIONS,GET,HEAD,PATCH",
        (false, _, false, true) => "OPTIONS,GET,HEAD,DELETE",
        (false, _, false, false) => "OPTIONS,GET,HEAD",
    }
}
