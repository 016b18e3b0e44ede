//! Text and parameters, as they are put together.

use banyan_db::sql::identifier;

use super::{Bind, Template};
use crate::schema::Qualified;

/// SQL that grows.
#[derive(Debug, Default)]
pub(super) struct Sql {
    text: String,
    binds: Vec<Bind>,
}

impl Sql {
    /// Fixed text, or names and types out of the catalog's own quoting.
    pub(super) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// A quoted name; a NUL byte cuts it off (CONTRACT.md U15).
    pub(super) fn name(&mut self, name: &str) -> &mut Self {
        let name = name.split('\0').next().unwrap_or_default();
        self.text.push_str(&identifier(name));
        self
    }

    /// `"schema"."name"`
    pub(super) fn qualified(&mut self, name: &Qualified) -> &mut Self {
        self.name(&name.schema).push(".").name(&name.name)
    }

    /// `"table"."column"`, or `"table".*`.
    pub(super) fn column(&mut self, table: &str, column: &str) -> &mut Self {
        self.name(table).push(".");
        if column == "*" { self.push("*") } else { self.name(column) }
    }

    /// A parameter.
    pub(super) fn bind(&mut self, bind: Bind) -> &mut Self {
        self.binds.push(bind);
        let number = self.binds.len();
        self.text.push_str(&format!("${number}"));
        self
    }

    /// A parameter that the text already names.
    pub(super) fn bind_only(&mut self, bind: Bind) {
        self.binds.push(bind);
    }

    /// A parameter that is the same for every request of the shape.
    pub(super) fn fixed(&mut self, text: impl Into<String>) -> &mut Self {
        self.bind(Bind::Fixed(text.into()))
    }

    /// A text out of the catalog, as a literal.
    pub(super) fn literal(&mut self, text: &str) -> &mut Self {
        let escaped = text.replace('\\', "\\\\").replace('\'', "''");
        let prefix = if text.contains('\\') { " E'" } else { "'" };
        self.push(prefix).push(&escaped).push("'")
    }

    /// Each item by `write`, with `between` between.
    pub(super) fn join<T>(
        &mut self,
        between: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) -> &mut Self {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(between);
            }
            write(self, item);
        }
        self
    }
}

impl From<Sql> for Template {
    fn from(sql: Sql) -> Self {
        Self { text: sql.text.into(), binds: sql.binds }
    }
}
