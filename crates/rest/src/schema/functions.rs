//! Functions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A function that can be called.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Function {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its comment.
    pub comment: Option<String>,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
    /// Whether it may write.
    pub volatile: bool,
    /// Whether it returns rows, any number of them.
    pub returns_set: bool,
    /// Whether it returns nothing.
    pub returns_void: bool,
    /// Whether it returns rows of several columns.
    pub returns_composite: bool,
    /// Schema of the relation whose rows it returns.
    pub result_schema: Option<String>,
    /// Name of the relation whose rows it returns.
    pub result_relation: Option<String>,
    /// Columns of its result that are or hold a value of the type `json` (CONTRACT.md A06).
    pub json_columns: Vec<String>,
    /// The declared type of its result.
    pub result_type: String,
    /// Its own settings; those that are hoisted hold for the whole transaction (CONTRACT.md C31).
    pub settings: BTreeMap<String, String>,
}

/// An argument of a function.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Argument {
    /// Its name; empty when it has none.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: String,
    /// The type that values are cast to, without a length, so that none is cut (CONTRACT.md C34).
    pub wide_type: String,
    /// Its type as people say it: a type of the database's own without its schema.
    pub shown_type: String,
    /// Whether it has no default.
    pub required: bool,
    /// Whether it takes any number of values.
    pub variadic: bool,
}

/// The result of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// Nothing.
    Void,
    /// One value.
    Scalar,
    /// One row.
    Row,
    /// Values.
    Scalars,
    /// Rows.
    Rows,
}

impl Function {
    /// Its result.
    #[must_use]
    pub fn returns(&self) -> Returns {
        match (self.returns_void, self.returns_composite, self.returns_set) {
            (true, _, false) => Returns::Void,
            (_, false, false) => Returns::Scalar,
            (_, true, false) => Returns::Row,
            (_, false, true) => Returns::Scalars,
            (_, true, true) => Returns::Rows,
        }
    }

    /// Its only argument, when that has no name.
    #[must_use]
    pub fn unnamed_argument(&self) -> Option<&Argument> {
        match self.arguments.as_slice() {
            [only] if only.name.is_empty() => Some(only),
            _ => None,
        }
    }

    /// `schema.name(a => integer, b => text)`
    #[must_use]
    pub fn signature(&self) -> String {
        let arguments: Vec<_> = self
            .arguments
            .iter()
            .map(|argument| format!("{} => {}", argument.name, argument.data_type))
            .collect();
        format!("{}.{}({})", self.schema, self.name, arguments.join(", "))
    }
}
