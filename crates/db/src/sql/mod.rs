//! The one place where identifiers are quoted, and the splitter of SQL files.

/// Quotes an identifier for use in SQL text: `a"b` becomes `"a""b"`.
///
/// A NUL byte, which no identifier can hold, is left in and makes the statement unsendable
/// ([`crate::RunError::Unsendable`]).
#[must_use]
pub fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
