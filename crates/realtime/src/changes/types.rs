//! How values of a type become JSON.

use std::{collections::HashMap, sync::Arc};

use banyan_db::{Database, Login, Param, RunError, Statement};
use serde::Deserialize;

use super::arrays::literal;

/// A type, as far as its values become JSON or are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Type {
    /// Its name, as clients are told (CONTRACT.md G10).
    pub(super) name: Arc<str>,
    /// The same with its schema, quoted, for SQL.
    pub(super) qualified: Arc<str>,
    pub(super) shape: Shape,
    /// Whether two values are equal exactly if their texts are.
    pub(super) is_equal_as_text: bool,
}

/// What JSON a value becomes, as `to_jsonb` has it (CONTRACT.md G11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Boolean,
    /// A number, unless it is infinite or none.
    Number,
    /// JSON itself.
    Json,
    Date,
    /// A timestamp, with or without an offset.
    Timestamp,
    /// A string of the value's text.
    Text,
    /// An array whose elements are separated by this byte.
    Array(Box<Shape>, u8),
    /// What only PostgreSQL can tell.
    Unknown,
}

/// The types that were met so far, by OID.
#[derive(Debug, Default)]
pub(super) struct Types(HashMap<u32, Arc<Type>>);

/// A row of [`SQL`].
#[derive(Deserialize)]
struct Described {
    oid: u32,
    name: String,
    qualified: String,
    base: u32,
    kind: char,
    element: Option<Element>,
    has_cast: bool,
    /// Of a type with collations: whether those of all columns tell texts apart by their bytes.
    is_deterministic: bool,
}

#[derive(Deserialize)]
struct Element {
    oid: u32,
    kind: char,
    delimiter: char,
    has_cast: bool,
}

const SQL: &str = include_str!("types.sql");

impl Types {
    /// The types with these OIDs; those that are not known yet are looked up.
    pub(super) async fn of(&mut self, database: &Database, oids: &[u32]) -> Result<Vec<Arc<Type>>, RunError> {
        let missing: Vec<u32> = oids.iter().copied().filter(|oid| !self.0.contains_key(oid)).collect();
        if !missing.is_empty() {
            self.0.extend(look_up(database, &missing).await?);
        }
        // A type that was dropped since has no other way left than that of its text.
        let gone = || {
            Arc::new(Type {
                name: "text".into(),
                qualified: "pg_catalog.text".into(),
                shape: Shape::Text,
                is_equal_as_text: false,
            })
        };
        Ok(oids.iter().map(|oid| self.0.get(oid).cloned().unwrap_or_else(gone)).collect())
    }
}

async fn look_up(database: &Database, oids: &[u32]) -> Result<Vec<(u32, Arc<Type>)>, RunError> {
    let oids = literal(oids.iter().map(|oid| Some(oid.to_string())));
    let statement = Statement::new(SQL, vec![Param::text(oids)]);
    let rows = database.own(Login::RealtimeAdmin).read(&statement).await?;
    let described: Option<Vec<Described>> = super::catalog::parse(rows.get(0, 0))?;
    Ok(described.into_iter().flatten().map(|it| (it.oid, Arc::new(Type::from(it)))).collect())
}

impl From<Described> for Type {
    fn from(it: Described) -> Self {
        let shape = match &it.element {
            Some(element) => array(element),
            None => scalar(it.base, it.kind, it.has_cast),
        };
        Self {
            name: it.name.into(),
            qualified: it.qualified.into(),
            shape,
            is_equal_as_text: is_equal_as_text(it.base, it.kind) && it.is_deterministic,
        }
    }
}

fn array(element: &Element) -> Shape {
    // Elements of a domain or a composite type have rules of their own.
    let shape = match element.kind {
        'b' | 'e' => scalar(element.oid, element.kind, element.has_cast),
        _ => Shape::Unknown,
    };
    match (shape, u8::try_from(element.delimiter)) {
        (Shape::Unknown, _) | (_, Err(_)) => Shape::Unknown,
        (shape, Ok(delimiter)) => Shape::Array(Box::new(shape), delimiter),
    }
}

/// The shape of a type that is no domain.
fn scalar(oid: u32, kind: char, has_cast: bool) -> Shape {
    match oid {
        16 => Shape::Boolean,
        20 | 21 | 23 | 700 | 701 | 1700 => Shape::Number,
        114 | 3802 => Shape::Json,
        1082 => Shape::Date,
        1114 | 1184 => Shape::Timestamp,
        // Vectors of integers are arrays to `to_jsonb`.
        22 | 30 => Shape::Unknown,
        _ if has_cast || kind == 'c' => Shape::Unknown,
        _ => Shape::Text,
    }
}

/// Booleans, integers, texts, names, uuids and enums.
fn is_equal_as_text(oid: u32, kind: char) -> bool {
    matches!(oid, 16 | 18 | 19 | 20 | 21 | 23 | 25 | 26 | 1043 | 2950) || kind == 'e'
}
