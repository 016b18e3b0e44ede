//! Converts a model's reply to the types of its schema where the meaning is clear (V02): null for
//! an optional list or text, a number as text, one text for a list of one.

use serde_json::{Value, json};

/// Changes values in place. A value without a clear meaning stays as it is, and the reader refuses
/// it.
pub(super) fn coerce(value: &mut Value, schema: &Value) {
    let is = |name: &str| match &schema["type"] {
        Value::String(of) => of == name,
        Value::Array(of) => of.iter().any(|of| of == name),
        _ => false,
    };
    match value {
        Value::Null if is("null") => {}
        Value::Null if is("array") => *value = json!([]),
        Value::Null if is("string") => *value = json!(""),
        Value::String(_) | Value::Number(_) | Value::Object(_) if is("array") => {
            *value = json!([value.take()]);
            coerce(value, schema);
        }
        Value::Number(number) if is("string") => *value = json!(number.to_string()),
        Value::String(text) if is("integer") || is("number") => {
            if let Ok(number) = text.trim().parse::<f64>() {
                *value = json!(number);
                coerce(value, schema);
            }
        }
        Value::Number(number) if is("integer") => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e9);
            if let Some(whole) = whole {
                *value = json!(whole as i64);
            }
        }
        Value::String(text) if is("boolean") => match text.trim().to_ascii_lowercase().as_str() {
            "true" => *value = json!(true),
            "false" => *value = json!(false),
            _ => {}
        },
        Value::Array(items) => items.iter_mut().for_each(|item| coerce(item, &schema["items"])),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                coerce(field, &schema["properties"][name]);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: V02
    #[test]
    fn what_is_meant_is_read_and_what_is_not_stays() {
        let texts = json!({ "type": "array", "items": { "type": "string" } });
        let schema = json!({ "type": "object", "properties": {
            "text": { "type": "string" }, "points": texts, "right": { "type": ["integer", "null"] },
            "check": { "type": ["object", "null"], "properties": { "value": { "type": "number" } } },
            "truth": { "type": ["boolean", "null"] } } });
        for (written, meant) in [
            (
                json!({ "text": null, "points": null, "right": null }),
                json!({ "text": "", "points": [], "right": null }),
            ),
            (
                json!({ "text": 5, "points": "one", "right": "2" }),
                json!({ "text": "5", "points": ["one"], "right": 2 }),
            ),
            (json!({ "points": [1, null], "right": 0.0 }), json!({ "points": ["1", ""], "right": 0 })),
            (
                json!({ "check": { "value": "6.5" }, "truth": "True" }),
                json!({ "check": { "value": 6.5 }, "truth": true }),
            ),
            (
                json!({ "right": "two", "truth": "maybe", "more": null }),
                json!({ "right": "two", "truth": "maybe", "more": null }),
            ),
            (json!({ "text": ["a"], "right": 1.5 }), json!({ "text": ["a"], "right": 1.5 })),
        ] {
            let mut value = written.clone();
            coerce(&mut value, &schema);
            assert_eq!(value, meant, "{written}");
        }
    }
}
