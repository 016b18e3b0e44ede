//! Stage 3: from the plan to SQL. Never sees HTTP. Equal plans give equal text. Text of a user is a
//! parameter or goes through [`banyan_db::sql::identifier`]; so do the types of casts (CONTRACT.md
//! V01).
//!
//! Every statement returns one row of the columns in [`column`] (CONTRACT.md SQ1).

/// Text and parameters, as they are put together.
mod writer;

/// Types of casts.
mod types;

/// Rows of relations.
mod read;

/// Conditions, orders and values.
mod condition;

/// Changes of relations.
mod write;

/// Calls of functions.
mod call;

/// The body, built by PostgreSQL.
mod body;

/// Conditions of a write, which raise an error.
pub mod checks;

use std::sync::Arc;

use banyan_db::{Param, Statement};
use bytes::Bytes;

use self::writer::Sql;
use crate::{
    plan::{Plan, ReadPlan},
    request::{ValueIndex, preferences::Count},
    settings::Settings,
};

/// Places of the columns of every statement's row.
pub mod column {
    /// Rows there are without limit, where they were counted.
    pub const TOTAL: usize = 0;
    /// Rows returned or written.
    pub const PAGE: usize = 1;
    /// The setting `response.headers`.
    pub const HEADERS: usize = 2;
    /// The setting `response.status`.
    pub const STATUS: usize = 3;
    /// Values of the new row's key, as a JSON array of texts.
    pub const LOCATION: usize = 4;
    /// Rows that were new to an upsert.
    pub const INSERTED: usize = 5;
    // The last column is the body: while it still arrives, everything else about the answer is
    // known.
}

/// SQL with places for what the request brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The text.
    pub text: Arc<str>,
    /// Values of `$1`, `$2`, …
    pub binds: Vec<Bind>,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bind {
    /// A value of the query string.
    Value(ValueIndex),
    /// A number of the query string, or this one where that is larger.
    AtMost(ValueIndex, i64),
    /// Several values, as an array literal.
    Array(Vec<ValueIndex>),
    /// The body.
    Body,
    /// The body as `bytea`.
    ByteBody,
    /// A value that all requests of the shape share.
    Fixed(String),
}

impl Template {
    /// Bytes of its text and its fixed parameters.
    #[must_use]
    pub fn weight(&self) -> u64 {
        let fixed = self.binds.iter().map(|bind| match bind {
            Bind::Fixed(text) => text.len(),
            _ => 0,
        });
        (self.text.len() + fixed.sum::<usize>()) as u64
    }

    /// `true`: the body goes to PostgreSQL as the digits of its bytes.
    #[must_use]
    pub fn writes_bytes(&self) -> bool {
        self.binds.contains(&Bind::ByteBody)
    }

    /// The statement for one request.
    #[must_use]
    pub fn statement(&self, values: &[String], body: &Bytes) -> Statement {
        let value = |index: &ValueIndex| values.get(index.0).cloned().unwrap_or_default();
        let params = self.binds.iter().map(|bind| match bind {
            Bind::Value(index) => Param::text(value(index)),
            Bind::AtMost(index, most) => Param::text(at_most(value(index), *most)),
            Bind::Array(indexes) => Param::text(array_literal(indexes.iter().map(value))),
            Bind::Body => Param::text(body.clone()),
            Bind::ByteBody => Param::text(hex(body)),
            Bind::Fixed(text) => Param::text(text.clone()),
        });
        Statement::new(Arc::clone(&self.text), params.collect())
    }
}

fn at_most(number: String, most: i64) -> String {
    match number.parse::<i64>() {
        Ok(given) if given > most => most.to_string(),
        _ => number,
    }
}

fn array_literal(elements: impl Iterator<Item = String>) -> String {
    let quoted = elements.map(|it| format!("\"{}\"", it.replace('\\', "\\\\").replace('"', "\\\"")));
    format!("{{{}}}", quoted.collect::<Vec<_>>().join(","))
}

/// Bytes of a body as [`Bind::ByteBody`].
pub(crate) fn hex_size(bytes: &[u8]) -> usize {
    2 + bytes.len() * 2
}

fn hex(bytes: &[u8]) -> Vec<u8> {
    let mut text = vec![0; hex_size(bytes)];
    let (prefix, digits) = text.split_at_mut(2);
    prefix.copy_from_slice(b"\\x");
    hex::encode_to_slice(bytes, digits).expect("two digits a byte");
    text
}

/// The statements of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The statement; none where the answer needs no database.
    pub main: Option<Template>,
    /// Asks the planner how many rows there are (CONTRACT.md R12, R13).
    pub estimate: Option<Template>,
}

/// Renders a plan.
#[must_use]
pub fn render(plan: &Plan, settings: &Settings) -> Rendered {
    match plan {
        Plan::Read(plan) => {
            Rendered { main: Some(read::statement(plan, settings).into()), estimate: estimate(plan) }
        }
        Plan::Write(plan) => Rendered { main: Some(write::statement(plan).into()), estimate: None },
        Plan::Call(plan) => Rendered { main: Some(call::statement(plan, settings).into()), estimate: None },
        Plan::Document(schema) => Rendered { main: Some(document(schema).into()), estimate: None },
        Plan::Info(_) => Rendered { main: None, estimate: None },
    }
}

/// Asks PostgreSQL whether the caller may run the statement of a body. Nothing is run.
pub(crate) fn judgement(plan: &Plan, settings: &Settings) -> Option<Template> {
    let mut sql = Sql::default();
    sql.push("EXPLAIN ");
    match plan {
        Plan::Write(plan) => write::change(&mut sql, plan),
        Plan::Call(plan) => call::result(&mut sql, plan, settings),
        Plan::Read(_) | Plan::Document(_) | Plan::Info(_) => return None,
    }
    Some(sql.into())
}

fn estimate(plan: &ReadPlan) -> Option<Template> {
    let planned = matches!(plan.count, Some(Count::Planned | Count::Estimated));
    planned.then(|| {
        let mut sql = Sql::default();
        sql.push("EXPLAIN (FORMAT JSON) ");
        read::count(&mut sql, &plan.node);
        sql.into()
    })
}

/// Selects the parts of a schema that the caller may see, for the root document (CONTRACT.md Q02).
fn document(schema: &str) -> Sql {
    let mut sql = Sql::default();
    sql.push(include_str!("document.sql").trim_end());
    sql.bind_only(Bind::Fixed(schema.to_owned()));
    sql
}

#[cfg(test)]
mod tests;
