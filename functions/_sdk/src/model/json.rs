//! Extracts one JSON object from the text of a model (V01): fences, chatter and trailing commas are
//! ignored. If the reply was cut off, its complete parts are kept.

use serde_json::Value;

/// Finds the first balanced object in `text` and parses it.
///
/// # Errors
/// The parser's message, fit to be shown to the model once.
pub fn extract_object(text: &str) -> Result<Value, String> {
    let object = balanced_object(text).ok_or("there is no complete JSON object in the reply")?;
    let parsed = serde_json::from_str::<Value>(object)
        .or_else(|error| serde_json::from_str(&without_trailing_commas(object)).map_err(|_| error));
    parsed.map_err(|error| error.to_string())
}

/// The object of a reply that was cut off within its first list, ended after the last entry that is
/// whole; nothing where none is.
pub fn salvage_items(text: &str) -> Option<Value> {
    let start = text.find('{')?;
    let (mut open, mut in_string, mut escaped) = (Vec::new(), false, false);
    let mut end = None;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => open.push(byte),
            b'}' | b']' => {
                open.pop();
                end = if open == b"{[" { Some(at) } else { end };
            }
            _ => {}
        }
    }
    extract_object(&format!("{}]}}", &text[start..=end?])).ok()
}

fn balanced_object(text: &str) -> Option<&str> {
    let start = text.find('{')?;
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate().skip(start) {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(&text[start..=at]),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn without_trailing_commas(object: &str) -> String {
    let mut cleaned = String::with_capacity(object.len());
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in object.char_indices() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c == '"' {
            in_string = true;
        } else if c == ',' && object[at + 1..].trim_start().starts_with(['}', ']']) {
            continue;
        }
        cleaned.push(c);
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: V01
    #[test]
    fn an_object_is_found_among_fences_chatter_and_stray_commas() {
        for text in [
            r#"{"a":["}",1]}"#,
            "```json\n{\"a\":[\"}\",1]}\n```",
            "Sure! Here it is: {\"a\":[\"}\",1,],} Anything else?",
        ] {
            assert_eq!(extract_object(text).unwrap(), json!({ "a": ["}", 1] }), "{text}");
        }
    }

    // rows: V01
    #[test]
    fn a_cut_or_broken_object_is_an_error_with_a_message() {
        assert!(extract_object("{\"a\":[1,").unwrap_err().contains("no complete JSON object"));
        assert!(extract_object("{\"a\" 1}").unwrap_err().contains("expected"));
        assert!(extract_object("no").is_err());
    }

    // rows: V01
    #[test]
    fn a_comma_inside_a_string_stays() {
        assert_eq!(extract_object("{\"a\":\"x,}\",}").unwrap(), json!({ "a": "x,}" }));
    }

    // rows: V01
    #[test]
    fn of_a_list_that_was_cut_off_the_entries_that_are_whole_are_kept() {
        let text = r#"So: {"items":[{"id":"Q01","points":["}",{"a":1}]},{"id":"Q02","of":["\"]"]},{"id":"Q03","of":[{"b":2},"#;
        let kept = json!({ "items": [{ "id": "Q01", "points": ["}", { "a": 1 }] }, { "id": "Q02", "of": ["\"]"] }] });
        assert_eq!(salvage_items(text), Some(kept));
        assert_eq!(salvage_items("{\"items\":[{\"id\":\"Q01\""), None);
        assert_eq!(salvage_items("no"), None);
    }
}
