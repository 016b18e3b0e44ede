//! Finds the relationship of an embedded relation (CONTRACT.md J01 to J12).

use serde_json::{Value, json};

use super::Source;
use crate::{
    error::{AmbiguousRelationship, Error, NoRelationship, similar::most_similar},
    request::select::SelectEmbed,
    schema::{Cardinality, Catalog, Computed, Qualified, Relationship, relationships::ColumnPairs},
};

/// The way from a relation to an embedded one.
pub(super) enum Way<'a> {
    /// By foreign keys.
    Keys(&'a Relationship),
    /// By a function.
    Function(&'a Computed),
}

/// How the embedded relation is joined in SQL.
pub(super) struct Joined {
    pub(super) source: Source,
    pub(super) on: Vec<((String, String), (String, String))>,
    pub(super) junction: Option<(Qualified, String)>,
    pub(super) parent_columns: Option<Vec<String>>,
}

impl Way<'_> {
    pub(super) fn is_to_one(&self) -> bool {
        match self {
            Self::Keys(relationship) => relationship.is_to_one(),
            Self::Function(computed) => computed.to_one,
        }
    }

    pub(super) fn target(&self) -> Qualified {
        match self {
            Self::Keys(relationship) => relationship.target.clone(),
            Self::Function(computed) => Qualified::new(&computed.target_schema, &computed.target),
        }
    }

    pub(super) fn join(&self, parent: &str, child: &str, junction: &str) -> Joined {
        match self {
            Self::Function(computed) => Joined {
                source: Source::Computed {
                    function: Qualified::new(&computed.schema, &computed.function),
                    argument: parent.to_owned(),
                    row_type: Qualified::new(&computed.source_schema, &computed.source),
                },
                on: Vec::new(),
                junction: None,
                parent_columns: None,
            },
            Self::Keys(relationship) => {
                let (on, junction) = conditions(&relationship.cardinality, parent, child, junction);
                Joined {
                    source: Source::Relation(relationship.target.clone()),
                    on,
                    junction,
                    parent_columns: Some(relationship.source_columns().map(str::to_owned).collect()),
                }
            }
        }
    }
}

type Equalities = Vec<((String, String), (String, String))>;

fn conditions(
    cardinality: &Cardinality,
    parent: &str,
    child: &str,
    between: &str,
) -> (Equalities, Option<(Qualified, String)>) {
    let equal = |one: &str, two: &str, columns: &ColumnPairs| -> Equalities {
        let pairs = columns.iter().map(|(a, b)| ((two.to_owned(), b.clone()), (one.to_owned(), a.clone())));
        pairs.collect()
    };
    match cardinality {
        Cardinality::ManyToOne { columns, .. }
        | Cardinality::OneToMany { columns, .. }
        | Cardinality::OneToOne { columns, .. } => (equal(parent, child, columns), None),
        Cardinality::ManyToMany(junction) => {
            let mut on = equal(child, between, &junction.target_columns);
            on.extend(equal(parent, between, &junction.source_columns));
            (on, Some((junction.relation.clone(), between.to_owned())))
        }
    }
}

/// The one relationship that the embedded relation names.
///
/// # Errors
/// PGRST200 for none, PGRST201 for several.
pub(super) fn find<'a>(
    catalog: &'a Catalog,
    schema: &str,
    origin: &Qualified,
    select: &SelectEmbed,
) -> Result<Way<'a>, Error> {
    let origin = Qualified::new(schema, &origin.name);
    let computed = catalog.computed.get(&origin).map(Vec::as_slice).unwrap_or_default();
    if let Some(computed) = computed.iter().find(|it| it.schema == schema && it.function == select.target) {
        return Ok(Way::Function(computed));
    }
    let all = catalog.relationships.get(&origin).map(Vec::as_slice).unwrap_or_default();
    let fitting: Vec<&Relationship> =
        all.iter().filter(|it| it.target.schema == schema && fits(it, select)).collect();
    match fitting.as_slice() {
        [one] => Ok(Way::Keys(one)),
        [] => Err(not_found(catalog, schema, &origin, select)),
        several => Err(ambiguous(&origin, select, several)),
    }
}

fn fits(relationship: &Relationship, select: &SelectEmbed) -> bool {
    let named = select.target == relationship.target.name;
    match (&select.hint, relationship.is_self()) {
        (None, true) => fits_self(relationship, select, named),
        (Some(hint), true) => {
            named && is_one_to_many(relationship) && column(relationship, hint, Side::Target)
        }
        (None, false) => named || fits_deprecated(relationship, &select.target),
        (Some(hint), false) => named && fits_hint(relationship, hint),
    }
}

/// A relation that refers to itself: by its name the rows that refer to this one, by the column the
/// row it refers to (CONTRACT.md E17).
fn fits_self(relationship: &Relationship, select: &SelectEmbed, named: bool) -> bool {
    let many_to_one = matches!(relationship.cardinality, Cardinality::ManyToOne { .. });
    named && is_one_to_many(relationship) || many_to_one && column(relationship, &select.target, Side::Source)
}

fn is_one_to_many(relationship: &Relationship) -> bool {
    matches!(relationship.cardinality, Cardinality::OneToMany { .. })
}

/// By foreign key or column, for tables only (CONTRACT.md J02, J03).
fn fits_deprecated(relationship: &Relationship, target: &str) -> bool {
    !relationship.target_is_view
        && (constraint(relationship) == Some(target) || column(relationship, target, Side::Source))
}

/// By foreign key, its column on either side, or junction (CONTRACT.md J04).
fn fits_hint(relationship: &Relationship, hint: &str) -> bool {
    if let Cardinality::ManyToMany(junction) = &relationship.cardinality {
        return junction.relation.name == hint;
    }
    constraint(relationship) == Some(hint)
        || column(relationship, hint, Side::Source)
        || column(relationship, hint, Side::Target)
}

fn constraint(relationship: &Relationship) -> Option<&str> {
    match &relationship.cardinality {
        Cardinality::ManyToOne { constraint, .. }
        | Cardinality::OneToMany { constraint, .. }
        | Cardinality::OneToOne { constraint, .. } => Some(constraint),
        Cardinality::ManyToMany(_) => None,
    }
}

enum Side {
    Source,
    Target,
}

/// Returns whether the relationship uses only this column on that side.
fn column(relationship: &Relationship, name: &str, side: Side) -> bool {
    match &relationship.cardinality {
        Cardinality::ManyToOne { columns, .. }
        | Cardinality::OneToMany { columns, .. }
        | Cardinality::OneToOne { columns, .. } => match (columns.as_slice(), side) {
            ([(source, _)], Side::Source) => source == name,
            ([(_, target)], Side::Target) => target == name,
            _ => false,
        },
        Cardinality::ManyToMany(_) => false,
    }
}

/// CONTRACT.md J07, J08
fn not_found(catalog: &Catalog, schema: &str, origin: &Qualified, select: &SelectEmbed) -> Error {
    let (parent, child) = (&origin.name, &select.target);
    let suggestion = match catalog.relationships.get(origin) {
        Some(known) if known.iter().any(|it| it.target.name == *child) => None,
        Some(known) => most_similar(child, known.iter().map(|it| it.target.name.as_str()), 0.33)
            .map(|name| format!("Perhaps you meant '{name}' instead of '{child}'.")),
        None => {
            let parents = catalog.relationships.keys().filter(|it| it.schema == schema);
            most_similar(parent, parents.map(|it| it.name.as_str()), 0.33)
                .map(|name| format!("Perhaps you meant '{name}' instead of '{parent}'."))
        }
    };
    Error::NoRelationship(Box::new(NoRelationship {
        origin: parent.clone(),
        target: child.clone(),
        hint: select.hint.clone(),
        schema: schema.to_owned(),
        suggestion,
    }))
}

/// CONTRACT.md J09 to J12
fn ambiguous(origin: &Qualified, select: &SelectEmbed, several: &[&Relationship]) -> Error {
    let details = several.iter().map(|it| describe(it)).collect();
    let hint = |it: &&Relationship| match &it.cardinality {
        Cardinality::ManyToMany(junction) => format!("'{}!{}'", it.target.name, junction.relation.name),
        Cardinality::ManyToOne { constraint, .. }
        | Cardinality::OneToMany { constraint, .. }
        | Cardinality::OneToOne { constraint, .. } => format!("'{}!{constraint}'", it.target.name),
    };
    Error::AmbiguousRelationship(Box::new(AmbiguousRelationship {
        origin: origin.name.clone(),
        target: select.target.clone(),
        details: Value::Array(details),
        hints: several.iter().map(hint).collect(),
    }))
}

fn describe(relationship: &Relationship) -> Value {
    let (source, target) = (&relationship.source.name, &relationship.target.name);
    let list = |columns: Vec<&String>| columns.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let by_key = |constraint: &str, columns: &ColumnPairs| {
        let own = list(columns.iter().map(|(own, _)| own).collect());
        let other = list(columns.iter().map(|(_, other)| other).collect());
        format!("{constraint} using {source}({own}) and {target}({other})")
    };
    let (cardinality, text) = match &relationship.cardinality {
        Cardinality::ManyToOne { constraint, columns } => ("many-to-one", by_key(constraint, columns)),
        Cardinality::OneToMany { constraint, columns } => ("one-to-many", by_key(constraint, columns)),
        Cardinality::OneToOne { constraint, columns, .. } => ("one-to-one", by_key(constraint, columns)),
        Cardinality::ManyToMany(junction) => {
            let one = list(junction.source_columns.iter().map(|(_, own)| own).collect());
            let two = list(junction.target_columns.iter().map(|(_, own)| own).collect());
            let name = &junction.relation.name;
            let (first, second) = (&junction.source_constraint, &junction.target_constraint);
            ("many-to-many", format!("{name} using {first}({one}) and {second}({two})"))
        }
    };
    json!({
        "cardinality": cardinality,
        "embedding": format!("{source} with {target}"),
        "relationship": text,
    })
}
