use std::collections::HashMap;

use super::introspect::{Catalog, ForeignKey, Relation};
use super::views::{ViewColumns, follow};

/// A foreign key as a client may follow it, from a table or a view to a table or a view.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Relationship {
    pub(super) foreign_key_name: String,
    pub(super) referenced_relation: String,
    pub(super) referenced_columns: Vec<String>,
    pub(super) columns: Vec<String>,
    pub(super) is_one_to_one: bool,
}

/// The relationships of each relation, in the order they are written.
pub(super) type Relationships = HashMap<i64, Vec<Relationship>>;

/// Finds all relationships inside a schema, and marks the view columns that are never null.
pub(super) fn find(catalog: &mut Catalog) -> Relationships {
    let views = follow(catalog);
    for relation in catalog.relations.iter_mut().filter(|relation| relation.is_view) {
        for column in &mut relation.columns {
            column.nullable &= !views.required.contains(&(relation.id, column.number));
        }
    }
    let mut found = Relationships::new();
    for key in &catalog.foreign_keys {
        let sources = showing(catalog, &views, key.relation_id, &key.columns);
        let targets = showing(catalog, &views, key.referenced_id, &key.referenced_columns);
        for (source, columns) in &sources {
            for (target, referenced_columns) in
                targets.iter().filter(|(target, _)| target.schema == source.schema)
            {
                let relationship = relationship(key, target, columns, referenced_columns);
                found.entry(source.id).or_default().push(relationship);
            }
        }
    }
    for relationships in found.values_mut() {
        relationships.sort();
    }
    found
}

fn relationship(
    key: &ForeignKey,
    target: &Relation,
    columns: &[String],
    referenced_columns: &[String],
) -> Relationship {
    Relationship {
        foreign_key_name: key.name.clone(),
        referenced_relation: target.name.clone(),
        referenced_columns: referenced_columns.to_vec(),
        columns: columns.to_vec(),
        is_one_to_one: key.one_to_one,
    }
}

/// The table itself and every view that shows all of these columns of it, with the names they have
/// there.
fn showing<'a>(
    catalog: &'a Catalog,
    views: &ViewColumns,
    table: i64,
    columns: &[i64],
) -> Vec<(&'a Relation, Vec<String>)> {
    let mut found = Vec::new();
    for relation in &catalog.relations {
        let alternatives: Vec<Vec<i64>> = if relation.id == table {
            columns.iter().map(|&column| vec![column]).collect()
        } else {
            let shown = views.shown.get(&relation.id).map_or(&[][..], Vec::as_slice);
            let behind = |column| shown.iter().filter(move |(_, origin)| *origin == (table, column));
            columns.iter().map(|&column| behind(column).map(|(number, _)| *number).collect()).collect()
        };
        found.extend(
            combinations(&alternatives).into_iter().map(|numbers| (relation, names(relation, &numbers))),
        );
    }
    found
}

/// Every way to take one of each; none where something has no alternative.
fn combinations(alternatives: &[Vec<i64>]) -> Vec<Vec<i64>> {
    alternatives.iter().fold(vec![Vec::new()], |taken, next| {
        taken
            .iter()
            .flat_map(|taken| next.iter().map(|&number| [taken.as_slice(), &[number]].concat()))
            .collect()
    })
}

fn names(relation: &Relation, numbers: &[i64]) -> Vec<String> {
    numbers
        .iter()
        .filter_map(|number| relation.columns.iter().find(|column| column.number == *number))
        .map(|column| column.name.clone())
        .collect()
}
