//! The ids of the changes that a channel asks for.

use serde_json::{Map, Value};

/// The bits of an id.
const BITS: u32 = 0x07ff_ffff;

/// The answer to a join: each entry as it came, with its id (CONTRACT.md L3).
pub(crate) fn echo(entries: &[Map<String, Value>]) -> String {
    let entries = entries.iter().map(|entry| {
        let mut entry = entry.clone();
        entry.insert("id".to_owned(), Value::from(id(&entry)));
        Value::Object(entry)
    });
    serde_json::json!({ "postgres_changes": entries.collect::<Vec<_>>() }).to_string()
}

/// The id of an entry: equal entries have equal ones, and none is 0 (CONTRACT.md L4).
pub(crate) fn id(entry: &Map<String, Value>) -> u32 {
    // Keys of a map are sorted, so the text is one for equal entries.
    let text = Value::Object(entry.clone()).to_string();
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let bits = digest.as_ref()[..4].iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
    (bits & BITS).max(1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: L3 L4
    #[test]
    fn equal_entries_have_equal_positive_ids() {
        let entry = |value: Value| value.as_object().cloned().unwrap();
        let one = entry(json!({"event": "*", "schema": "public"}));
        let same = entry(json!({"schema": "public", "event": "*"}));
        let other = entry(json!({"schema": "public", "event": "INSERT"}));
        assert_eq!(id(&one), id(&same));
        assert_ne!(id(&one), id(&other));
        assert!((1..=BITS).contains(&id(&one)));
        let echoed: Value = serde_json::from_str(&echo(&[one.clone(), other])).unwrap();
        assert_eq!(echoed["postgres_changes"][0], json!({"event": "*", "schema": "public", "id": id(&one)}));
        assert_eq!(echo(&[]), r#"{"postgres_changes":[]}"#);
    }
}
