//! Relations and columns.

use serde::{Deserialize, Serialize};

use super::Qualified;

/// A table, view, materialized view, foreign table or partitioned table.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Relation {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its comment.
    pub comment: Option<String>,
    /// Whether it is a view.
    pub is_view: bool,
    /// Whether rows can be inserted.
    pub insertable: bool,
    /// Whether rows can be changed.
    pub updatable: bool,
    /// Whether rows can be deleted.
    pub deletable: bool,
    /// Columns of its primary key, sorted by name; of a view, those of the table it shows
    /// (CONTRACT.md E11).
    pub primary_key: Vec<String>,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// Functions of its row whose value holds a value of the type `json` (CONTRACT.md A06).
    pub computed_json: Vec<String>,
}

/// A column.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type as declared, with its length.
    #[serde(rename = "type")]
    pub data_type: String,
    /// The type below all domains, without length.
    pub base_type: String,
    /// Whether that is a composite type.
    pub composite: bool,
    /// Whether its value is or holds one of the type `json`: an array or a composite may.
    pub holds_json: bool,
    /// Its default, as SQL; none for columns that PostgreSQL always generates.
    pub default: Option<String>,
    /// Whether it may be null.
    pub nullable: bool,
    /// Most characters.
    pub max_length: Option<i32>,
    /// Labels of its enum type.
    pub labels: Vec<String>,
    /// Its comment.
    pub comment: Option<String>,
    /// Makes JSON of a value of its domain, in place of PostgreSQL's own way (CONTRACT.md N22).
    pub to_json: Option<Qualified>,
    /// Makes a value of its domain from JSON.
    pub from_json: Option<Qualified>,
    /// Makes a value of its domain from the text of a filter.
    pub from_text: Option<Qualified>,
}

impl Relation {
    /// Whether a column's domain says how it is shown, so that `*` has to be written out.
    #[must_use]
    pub fn is_represented(&self) -> bool {
        self.columns.iter().any(|column| column.to_json.is_some())
    }

    /// Whether a column or computed field of that name is or holds a value of the type `json`.
    #[must_use]
    pub fn holds_json(&self, name: &str) -> bool {
        match self.column(name) {
            Some(column) => column.holds_json,
            None => self.computed_json.iter().any(|computed| computed == name),
        }
    }

    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}
