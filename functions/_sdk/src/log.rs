//! Log lines. What a function writes to its standard output reaches the stack's log:
//! `banyan functions logs` shows it.

use std::io::Write as _;

use serde_json::Value;

/// Writes one line at level info: a message that reads alone, and its dotted fields, or
/// `Value::Null` where it has none.
///
/// Never give it text of a request, of a prompt or of a model's answer.
pub fn info(message: &str, fields: &Value) {
    // A closed log is no reason to fail the request.
    let _ = writeln!(std::io::stdout(), "{}", line(message, fields));
}

/// Writes one line at level error; see [`info`].
pub fn error(message: &str, fields: &Value) {
    let _ = writeln!(std::io::stderr(), "{}", line(message, fields));
}

/// A message without fields stands alone.
fn line(message: &str, fields: &Value) -> String {
    if fields.is_null() { message.to_owned() } else { format!("{message} {fields}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_without_fields_stands_alone() {
        assert_eq!(line("done", &Value::Null), "done");
        assert_eq!(line("done", &json!({"rows": 2})), r#"done {"rows":2}"#);
    }
}
