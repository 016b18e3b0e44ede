//! Aggregates, and the columns that parents take over from embedded relations (CONTRACT.md D01 to
//! D11, A01 to A12).

use super::read::{Column, Embed, Lifted, Node, Value};
use crate::{
    error::Error,
    request::{Field, MOST_COLUMNS},
    schema::{Catalog, Relation},
    settings::Settings,
};

const TO_MANY: &str = "Aggregates are not implemented for one-to-many or many-to-many spreads.";

/// Settles which columns each relation of a tree hands to its parent, and where aggregates are
/// applied: those of a to-one relation whose columns are lifted go up to the nearest relation whose
/// columns are not (CONTRACT.md A09).
///
/// # Errors
/// PGRST123 for an aggregate where they are switched off, PGRST127 for one within a to-many
/// relation that is lifted.
pub(super) fn settle(root: &mut Node, catalog: &Catalog, settings: &Settings) -> Result<(), Error> {
    if !settings.aggregates && has_any(root) {
        return Err(Error::Aggregates);
    }
    expand(root, catalog, false)?;
    lift_embeds(root)
}

fn has_any(node: &Node) -> bool {
    has_own(node) || node.embeds.iter().any(|embed| has_any(&embed.node))
}

fn has_own(node: &Node) -> bool {
    node.columns.iter().any(|column| column.aggregate.is_some())
}

/// Returns whether its rows will be groups, once the aggregates of to-one relations have been
/// lifted into it.
fn will_be_grouped(node: &Node) -> bool {
    let lifts = |embed: &Embed| embed.spread && embed.to_one && will_be_grouped(&embed.node);
    has_own(node) || node.embeds.iter().any(lifts)
}

/// Replaces `*` by the columns if each column must be known by name: because the rows are grouped
/// by it, because it becomes an array, or because its domain has a representation (CONTRACT.md S19,
/// D06, A10, N22). `by_name` says that the parent needs the names.
///
/// # Errors
/// 54011 for more columns than PostgreSQL can select: each `*` of a request is worth many.
fn expand(node: &mut Node, catalog: &Catalog, by_name: bool) -> Result<(), Error> {
    let by_name = by_name || will_be_grouped(node);
    if let Some(relation) = catalog.relations.get(&node.relation) {
        refuse_too_many(node, relation)?;
        if by_name || relation.is_represented() {
            node.asked_for_all = false;
            write_out(node, relation);
        }
    }
    node.embeds
        .iter_mut()
        .try_for_each(|embed| expand(&mut embed.node, catalog, embed.spread && (by_name || !embed.to_one)))
}

fn refuse_too_many(node: &Node, relation: &Relation) -> Result<(), Error> {
    let stars = node.columns.iter().filter(|column| column.is_star()).count();
    let named = node.columns.len() - stars;
    match stars.saturating_mul(relation.columns.len()) + named > MOST_COLUMNS {
        true => Err(Error::TooManyColumns { most: MOST_COLUMNS }),
        false => Ok(()),
    }
}

fn write_out(node: &mut Node, relation: &Relation) {
    let all = || {
        relation.columns.iter().map(|known| Column {
            value: Value::shown(Some(relation), &Field::column(&known.name)),
            cast: None,
            alias: None,
            aggregate: None,
            whole_row: false,
            json: known.holds_json || known.to_json.is_some(),
        })
    };
    for column in std::mem::take(&mut node.columns) {
        match column.is_star() {
            true => node.columns.extend(all()),
            false => node.columns.push(column),
        }
    }
}

fn lift_embeds(node: &mut Node) -> Result<(), Error> {
    for embed in &mut node.embeds {
        lift_embeds(&mut embed.node)?;
        if !embed.spread {
            continue;
        }
        if !embed.to_one && embed.node.is_grouped() {
            return Err(Error::NotImplemented(TO_MANY));
        }
        embed.lifted = lifted(&mut embed.node, embed.to_one);
    }
    Ok(())
}

/// Returns the columns that a relation hands to its parent; `hoists` says that its aggregates are
/// among them.
fn lifted(node: &mut Node, hoists: bool) -> Vec<Lifted> {
    let mut found: Vec<Lifted> = node.columns.iter_mut().map(|column| lift(column, hoists)).collect();
    for embed in &mut node.embeds {
        if embed.spread {
            found.extend(embed.lifted.iter_mut().map(|it| Lifted {
                name: it.name.clone(),
                aggregate: if hoists { it.aggregate.take() } else { None },
                json: it.json || !hoists,
            }));
        } else if !embed.node.is_empty() {
            found.push(Lifted { name: embed.key.clone(), aggregate: None, json: true });
        }
    }
    found
}

fn lift(column: &mut Column, hoists: bool) -> Lifted {
    let name = column.name().to_owned();
    let aggregate = if hoists { column.aggregate.take() } else { None };
    if aggregate.is_some() {
        column.alias = Some(name.clone());
        column.whole_row = column.value.field.name == "*";
    }
    // In a relation with many rows each column becomes an array of JSON.
    let json = !hoists || column.json && column.aggregate.is_none();
    Lifted { name, aggregate, json }
}
