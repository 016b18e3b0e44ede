//! The one place where identifiers are quoted, and the splitter of SQL files.

/// Which statements stand in a transaction, and which end one.
mod transactions;

/// Splits a file into its statements.
mod split;

/// What a statement asks of whoever runs it.
mod kind;

pub use kind::Kind;
pub use split::{Piece, split, tokens};
pub(crate) use transactions::{commits, in_transaction};

/// Quotes an identifier for use in SQL text: `a"b` becomes `"a""b"`.
///
/// A NUL byte, which no identifier can hold, is left in and makes the statement unsendable
/// ([`crate::RunError::Unsendable`]).
#[must_use]
pub fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Quotes `schema.name` or `name`; the first dot separates.
#[must_use]
pub fn qualified(name: &str) -> String {
    match name.split_once('.') {
        None => identifier(name),
        Some((schema, name)) => format!("{}.{}", identifier(schema), identifier(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_in_identifiers_are_doubled() {
        assert_eq!(identifier("lessons"), "\"lessons\"");
        assert_eq!(identifier("a\"; drop table b; --"), "\"a\"\"; drop table b; --\"");
        assert_eq!(qualified("public.check"), "\"public\".\"check\"");
        assert_eq!(qualified("check"), "\"check\"");
    }
}
