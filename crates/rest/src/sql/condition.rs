//! Conditions, orders and values.

use super::{Bind, writer::Sql};
use crate::{
    plan::{Condition, Node, Order, read::Value},
    request::{
        ValueIndex,
        fields::{JsonKey, JsonStep},
        filter::{Operation, Quantifier, Test},
    },
};

/// Position of a condition. It decides how an embedded relation is named.
#[derive(Clone, Copy)]
pub(super) enum QueryKind<'a> {
    /// In the query that joins the embedded relations of this node.
    Joined(&'a Node),
    /// In the query that counts rows, which joins nothing.
    Counted(&'a Node),
    /// In a statement that writes.
    Written,
}

/// One condition on the rows of `table`.
pub(super) fn condition(sql: &mut Sql, table: &str, condition: &Condition, place: QueryKind<'_>) {
    match condition {
        Condition::Test(field, test) => self::test(sql, table, field, test),
        Condition::Embed { index, present } => embed(sql, *index, *present, place),
        Condition::Tree { negated, any, members } => {
            sql.push(if *negated { "NOT (" } else { "(" });
            sql.join(if *any { " OR " } else { " AND " }, members, |sql, member| {
                self::condition(sql, table, member, place);
            });
            sql.push(")");
        }
    }
}

/// CONTRACT.md SQ4
fn embed(sql: &mut Sql, index: usize, present: bool, place: QueryKind<'_>) {
    match place {
        QueryKind::Joined(node) => {
            let embed = &node.embeds[index];
            match (embed.to_one, embed.spread) {
                (true, _) => sql
                    .name(&embed.handle)
                    .push(" IS ")
                    .push(if present { "" } else { "NOT " })
                    .push("DISTINCT FROM NULL"),
                (false, true) => sql.column(&embed.handle, super::read::ROW_COUNT).push(if present {
                    " > 0"
                } else {
                    " = 0"
                }),
                (false, false) => sql.column(&embed.handle, super::read::ROWS).push(if present {
                    " IS NOT NULL"
                } else {
                    " IS NULL"
                }),
            };
        }
        QueryKind::Counted(node) => {
            sql.push(if present { "EXISTS (" } else { "NOT EXISTS (" });
            super::read::count_embedded(sql, &node.embeds[index]);
            sql.push(")");
        }
        QueryKind::Written => {
            sql.push("TRUE");
        }
    }
}

fn test(sql: &mut Sql, table: &str, field: &Value, test: &Test) {
    sql.push(if test.negated { "NOT " } else { "" });
    let language = match &test.operation {
        Operation::Search(_, language, _) => *language,
        _ => None,
    };
    searchable(sql, table, field, language);
    match &test.operation {
        Operation::Compare(operator, quantifier, index) => {
            sql.push(" ").push(operator.sql).push(" ");
            compared(sql, field, *quantifier, *index);
        }
        Operation::In(index) => {
            sql.push(" = ");
            compared(sql, field, Some(Quantifier::Any), *index);
        }
        Operation::Is(value) => {
            sql.push(" IS ").push(value);
        }
        Operation::DistinctFrom(index) => {
            sql.push(" IS DISTINCT FROM ");
            compared(sql, field, None, *index);
        }
        Operation::Search(function, language, index) => {
            sql.push(" @@ ").push(function).push("(");
            self::language(sql, *language);
            sql.bind(Bind::Value(*index)).push(")");
        }
    }
}

/// The value that a field is compared with. A domain may read each value by a function of its own
/// (CONTRACT.md N22).
fn compared(sql: &mut Sql, field: &Value, quantifier: Option<Quantifier>, index: ValueIndex) {
    let several = match quantifier {
        None => None,
        Some(Quantifier::Any) => Some("ANY ("),
        Some(Quantifier::All) => Some("ALL ("),
    };
    sql.push(several.unwrap_or_default());
    match (&field.represent, several) {
        (None, _) => {
            let brackets = if several.is_some() { "[]" } else { "" };
            match &field.composite {
                None => sql.bind(Bind::Value(index)),
                Some(composite) => sql.bind(Bind::Value(index)).push("::").push(composite).push(brackets),
            }
        }
        (Some(reads), None) => sql.qualified(reads).push("(").bind(Bind::Value(index)).push("::text)"),
        (Some(reads), Some(_)) => {
            sql.push("SELECT ").qualified(reads).push("(unnest(").bind(Bind::Value(index)).push("::text[]))")
        }
    };
    sql.push(if several.is_some() { ")" } else { "" });
}

fn searchable(sql: &mut Sql, table: &str, field: &Value, language: Option<ValueIndex>) {
    if !field.to_tsvector {
        return value(sql, table, field);
    }
    sql.push("to_tsvector(");
    self::language(sql, language);
    value(sql, table, field);
    sql.push(")");
}

fn language(sql: &mut Sql, language: Option<ValueIndex>) {
    if let Some(index) = language {
        sql.bind(Bind::Value(index)).push(", ");
    }
}

/// A column, or what its JSON path leads to.
pub(super) fn value(sql: &mut Sql, table: &str, value: &Value) {
    if value.to_json {
        sql.push("to_jsonb(").column(table, &value.field.name).push(")");
    } else {
        sql.column(table, &value.field.name);
    }
    for step in &value.field.path {
        json_step(sql, step);
    }
}

fn json_step(sql: &mut Sql, step: &JsonStep) {
    sql.push(if step.as_text { "->>" } else { "->" });
    match &step.to {
        JsonKey::Member(name) => sql.fixed(name.as_str()),
        JsonKey::Element(index) => sql.fixed(index.as_str()).push("::int"),
    };
}

/// `ORDER BY`, if there is one.
pub(super) fn order(sql: &mut Sql, node: &Node) {
    if node.order.is_empty() {
        return;
    }
    sql.push(" ORDER BY ");
    sql.join(", ", &node.order, |sql, term| order_term(sql, &node.alias, term));
}

fn order_term(sql: &mut Sql, table: &str, term: &Order) {
    value(sql, term.handle.as_deref().unwrap_or(table), &term.value);
    for word in [term.direction, term.nulls].into_iter().flatten() {
        sql.push(" ").push(word);
    }
}
