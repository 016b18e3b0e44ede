//! The ids of the changes that a channel asks for.

use serde_json::{Map, Value};

use crate::changes::entry_id;

/// The answer to a join: each entry as it came, with its id (CONTRACT.md L3).
pub(crate) fn echo(entries: &[Map<String, Value>]) -> String {
    let entries = entries.iter().map(|entry| {
        let mut entry = entry.clone();
        entry.insert("id".to_owned(), Value::from(entry_id(&entry)));
        Value::Object(entry)
    });
    serde_json::json!({ "postgres_changes": entries.collect::<Vec<_>>() }).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: L3
    #[test]
    fn entries_come_back_as_they_were_with_their_ids() {
        let entry = |value: Value| value.as_object().cloned().unwrap();
        let one = entry(json!({"event": "*", "schema": "public"}));
        let other = entry(json!({"schema": "public", "event": "INSERT"}));
        let echoed: Value = serde_json::from_str(&echo(&[one.clone(), other])).unwrap();
        let expected = json!({"event": "*", "schema": "public", "id": entry_id(&one)});
        assert_eq!(echoed["postgres_changes"][0], expected);
        assert_eq!(echo(&[]), r#"{"postgres_changes":[]}"#);
    }
}
