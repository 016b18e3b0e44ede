//! SQL for a caller: text, parameters and the rows that come back.

use std::sync::Arc;

use bytes::Bytes;

/// One SQL statement with `$1`, `$2`, … for its parameters.
///
/// Equal texts are prepared once per connection, so a renderer that gives equal text for equal
/// shapes pays for planning once. Everything a user sent belongs into `params`, or through
/// [`crate::sql::identifier`].
#[derive(Debug, Clone)]
pub struct Statement {
    /// The text.
    pub text: Arc<str>,
    /// Values of `$1`, `$2`, …; at most 65,535.
    pub params: Vec<Param>,
}

impl Statement {
    /// A statement.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>, params: Vec<Param>) -> Self {
        Self { text: text.into(), params }
    }
}

/// One parameter, in PostgreSQL's text format.
///
/// Its `Debug` output hides the value, since parameters carry what users wrote.
#[derive(Clone, PartialEq, Eq)]
pub struct Param {
    /// The value; `None` is SQL's null.
    pub value: Option<Bytes>,
    /// The type's OID; 0 lets the server infer it.
    pub type_oid: u32,
}

impl Param {
    /// A value whose type the server infers.
    #[must_use]
    pub fn text(value: impl Into<Bytes>) -> Self {
        Self { value: Some(value.into()), type_oid: 0 }
    }

    /// Null, of a type the server infers.
    #[must_use]
    pub fn null() -> Self {
        Self { value: None, type_oid: 0 }
    }

    /// A value of a declared type.
    #[must_use]
    pub fn typed(value: Option<Bytes>, type_oid: u32) -> Self {
        Self { value, type_oid }
    }
}

impl From<Option<Bytes>> for Param {
    fn from(value: Option<Bytes>) -> Self {
        Self { value, type_oid: 0 }
    }
}

impl std::fmt::Debug for Param {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let length = self.value.as_ref().map(Bytes::len);
        f.debug_struct("Param").field("bytes", &length).field("type_oid", &self.type_oid).finish()
    }
}

/// What a statement returned. Values are PostgreSQL's text format, cut out of the receive buffer
/// without a copy.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Rows in the server's order; `None` is SQL's null.
    pub rows: Vec<Vec<Option<Bytes>>>,
    /// Rows that the command read or wrote, as its completion tag says; 0 where the tag has no
    /// number.
    pub affected: u64,
}

impl Rows {
    /// The value at a place; `None` for SQL's null and outside of the rows.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Option<&Bytes> {
        self.rows.get(row)?.get(column)?.as_ref()
    }

    /// The value at a place as text; `None` also when it is no UTF-8.
    #[must_use]
    pub fn text(&self, row: usize, column: usize) -> Option<&str> {
        self.get(row, column).and_then(|value| std::str::from_utf8(value).ok())
    }
}
