//! How relations belong together (CONTRACT.md E01 to E17).

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::{Qualified, Relation, views::ViewColumns};

/// A way from one relation to another by foreign keys.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Relationship {
    /// Source relation.
    pub source: Qualified,
    /// Target relation.
    pub target: Qualified,
    /// Whether the target is a view, which the deprecated names do not reach (CONTRACT.md J02,
    /// J03).
    pub target_is_view: bool,
    /// How many rows belong to one, and by which columns.
    pub cardinality: Cardinality,
}

/// Pairs of columns that are equal: of the source and of the target, or of the junction.
pub type ColumnPairs = Vec<(String, String)>;

/// How many rows of the target belong to a row of the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Cardinality {
    /// Any: the target has the foreign key.
    OneToMany {
        /// The foreign key.
        constraint: String,
        /// Its columns, the source's first.
        columns: ColumnPairs,
    },
    /// One: the source has the foreign key.
    ManyToOne {
        /// The foreign key.
        constraint: String,
        /// Its columns.
        columns: ColumnPairs,
    },
    /// One, from both sides.
    OneToOne {
        /// The foreign key.
        constraint: String,
        /// Its columns, the source's first.
        columns: ColumnPairs,
        /// Whether the target has the foreign key.
        inverse: bool,
    },
    /// Any, through a third relation.
    ManyToMany(Junction),
}

/// The relation between two others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Junction {
    /// The relation.
    pub relation: Qualified,
    /// Its foreign key to the source.
    pub source_constraint: String,
    /// Columns of the source and of the junction.
    pub source_columns: ColumnPairs,
    /// Its foreign key to the target.
    pub target_constraint: String,
    /// Columns of the target and of the junction.
    pub target_columns: ColumnPairs,
}

/// A way from one relation to another by a function (CONTRACT.md E13).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Computed {
    /// The function's schema.
    pub schema: String,
    /// The function, whose name is the target's.
    pub function: String,
    /// Schema of the relation it leads from.
    pub source_schema: String,
    /// The relation it leads from.
    pub source: String,
    /// Schema of the relation whose rows it returns.
    pub target_schema: String,
    /// The relation whose rows it returns.
    pub target: String,
    /// Whether it returns at most one row.
    pub to_one: bool,
}

/// A primary or foreign key as the catalog has it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) foreign: bool,
    pub(super) relation_id: i64,
    pub(super) schema: String,
    pub(super) relation: String,
    pub(super) numbers: Vec<i16>,
    pub(super) columns: Vec<String>,
    pub(super) target_id: i64,
    pub(super) target_schema: Option<String>,
    pub(super) target: Option<String>,
    pub(super) target_numbers: Option<Vec<i16>>,
    pub(super) target_columns: Option<Vec<String>>,
    pub(super) one_to_one: bool,
}

impl Relationship {
    /// Whether at most one row of the target belongs to a row of the source.
    #[must_use]
    pub fn is_to_one(&self) -> bool {
        matches!(self.cardinality, Cardinality::ManyToOne { .. } | Cardinality::OneToOne { .. })
    }

    /// Whether it leads back to where it came from.
    #[must_use]
    pub fn is_self(&self) -> bool {
        self.source == self.target
    }

    /// Columns of the source that the join needs.
    pub fn source_columns(&self) -> impl Iterator<Item = &str> {
        let pairs = match &self.cardinality {
            Cardinality::ManyToOne { columns, .. }
            | Cardinality::OneToMany { columns, .. }
            | Cardinality::OneToOne { columns, .. } => columns,
            Cardinality::ManyToMany(junction) => &junction.source_columns,
        };
        pairs.iter().map(|(source, _)| source.as_str())
    }

    fn inverse(&self, source_is_view: bool) -> Option<Self> {
        let turned = |columns: &ColumnPairs| columns.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
        let cardinality = match &self.cardinality {
            Cardinality::ManyToOne { constraint, columns } => {
                Cardinality::OneToMany { constraint: constraint.clone(), columns: turned(columns) }
            }
            Cardinality::OneToOne { constraint, columns, .. } => Cardinality::OneToOne {
                constraint: constraint.clone(),
                columns: turned(columns),
                inverse: true,
            },
            Cardinality::OneToMany { .. } | Cardinality::ManyToMany(_) => return None,
        };
        Some(Self {
            source: self.target.clone(),
            target: self.source.clone(),
            target_is_view: source_is_view,
            cardinality,
        })
    }
}

/// All relationships between exposed relations, by their source and in an order that does not
/// change.
pub(super) fn find(
    keys: &[Key],
    views: &ViewColumns,
    relations: &HashMap<Qualified, Relation>,
) -> HashMap<Qualified, Vec<Relationship>> {
    let direct: Vec<Relationship> =
        keys.iter().filter(|key| key.foreign).flat_map(|key| from_key(key, views)).collect();
    let is_view = |name: &Qualified| views.is_view(name);
    let inverse = direct.iter().filter_map(|it| it.inverse(is_view(&it.source)));
    let many = many_to_many(&direct, relations, views);
    let mut found: HashMap<Qualified, Vec<Relationship>> = HashMap::new();
    for relationship in direct.iter().cloned().chain(inverse).chain(many) {
        if relations.contains_key(&relationship.source) && relations.contains_key(&relationship.target) {
            found.entry(relationship.source.clone()).or_default().push(relationship);
        }
    }
    for several in found.values_mut() {
        several.sort_unstable();
    }
    found
}

/// A relation, and its columns in the order of a key.
type KeySide = (Qualified, Vec<String>);

/// The foreign key between its tables, and between the views that show all of its columns on either
/// side (E07, E09).
fn from_key(key: &Key, views: &ViewColumns) -> Vec<Relationship> {
    let (Some(schema), Some(target), Some(target_numbers), Some(target_columns)) =
        (&key.target_schema, &key.target, &key.target_numbers, &key.target_columns)
    else {
        return Vec::new();
    };
    let mut sources: Vec<KeySide> = vec![(Qualified::new(&key.schema, &key.relation), key.columns.clone())];
    sources.extend(views.showing(key.relation_id, &key.numbers));
    let mut targets: Vec<KeySide> = vec![(Qualified::new(schema, target), target_columns.clone())];
    targets.extend(views.showing(key.target_id, target_numbers));
    let mut found = Vec::new();
    for (source, columns) in &sources {
        for (target, target_columns) in &targets {
            found.push(relationship(key, source, columns, target, target_columns, views));
        }
    }
    found
}

fn relationship(
    key: &Key,
    source: &Qualified,
    columns: &[String],
    target: &Qualified,
    target_columns: &[String],
    views: &ViewColumns,
) -> Relationship {
    let constraint = key.name.clone();
    let columns = columns.iter().cloned().zip(target_columns.iter().cloned()).collect();
    let cardinality = match key.one_to_one {
        true => Cardinality::OneToOne { constraint, columns, inverse: false },
        false => Cardinality::ManyToOne { constraint, columns },
    };
    Relationship {
        source: source.clone(),
        target: target.clone(),
        target_is_view: views.is_view(target),
        cardinality,
    }
}

/// Relations that hold two foreign keys within their primary key join the two others
/// (CONTRACT.md E04).
fn many_to_many(
    direct: &[Relationship],
    relations: &HashMap<Qualified, Relation>,
    views: &ViewColumns,
) -> Vec<Relationship> {
    let mut by_junction: HashMap<&Qualified, Vec<(&Relationship, &String, &ColumnPairs)>> = HashMap::new();
    for relationship in direct {
        if let Cardinality::ManyToOne { constraint, columns } = &relationship.cardinality {
            by_junction.entry(&relationship.source).or_default().push((relationship, constraint, columns));
        }
    }
    let mut found = Vec::new();
    for (junction, keys) in by_junction {
        let Some(relation) = relations.get(junction) else { continue };
        let primary: BTreeSet<&str> = relation.primary_key.iter().map(String::as_str).collect();
        for (one, one_key, one_columns) in &keys {
            for (two, two_key, two_columns) in &keys {
                let inside =
                    one_columns.iter().chain(two_columns.iter()).all(|(own, _)| primary.contains(&**own));
                if one_key != two_key && inside {
                    let turned =
                        |pairs: &ColumnPairs| pairs.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
                    found.push(Relationship {
                        source: one.target.clone(),
                        target: two.target.clone(),
                        target_is_view: views.is_view(&two.target),
                        cardinality: Cardinality::ManyToMany(Junction {
                            relation: junction.clone(),
                            source_constraint: (*one_key).clone(),
                            source_columns: turned(one_columns),
                            target_constraint: (*two_key).clone(),
                            target_columns: turned(two_columns),
                        }),
                    });
                }
            }
        }
    }
    found
}
