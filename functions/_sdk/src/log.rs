//! Log lines. What a function writes to its standard output reaches the stack's log: `banyan functions logs` shows it.

use std::io::Write as _;

use serde_json::Value;

/// Writes one line at level info: a message that reads alone, and its dotted fields.
///
/// Never give it text of a request, of a prompt or of a model's answer.
pub fn info(message: &str, fields: &Value) {
    // A closed log is no reason to fail the request.
    let _ = writeln!(std::io::stdout(), "{message} {fields}");
}

/// Writes one line at level error; see [`info`].
pub fn error(message: &str, fields: &Value) {
    let _ = writeln!(std::io::stderr(), "{message} {fields}");
}
