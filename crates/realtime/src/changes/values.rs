//! Values in PostgreSQL's text format, as JSON (CONTRACT.md G11).

use super::{
    arrays::{self, Part},
    types::Shape,
};

/// Writes a value as `to_jsonb` would. False where only PostgreSQL can tell, or the text is not of
/// that shape; then nothing is written.
pub(super) fn write(shape: &Shape, text: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let written = match shape {
        Shape::Array(element, delimiter) => write_array(element, *delimiter, text, out),
        shape => write_scalar(shape, text, out),
    };
    if !written {
        out.truncate(start);
    }
    written
}

fn write_scalar(shape: &Shape, text: &[u8], out: &mut Vec<u8>) -> bool {
    match (shape, text) {
        (Shape::Boolean, b"t") => out.extend_from_slice(b"true"),
        (Shape::Boolean, b"f") => out.extend_from_slice(b"false"),
        (Shape::Number, number) if is_number(number) => out.extend_from_slice(number),
        (Shape::Json, json) => out.extend_from_slice(json),
        (Shape::Timestamp, text) => return write_timestamp(text, out),
        (Shape::Date | Shape::Text | Shape::Number, text) => return write_string(text, out),
        (Shape::Boolean | Shape::Unknown | Shape::Array(..), _) => return false,
    }
    true
}

/// `NaN` and `Infinity` are numbers to PostgreSQL, and strings in JSON.
fn is_number(text: &[u8]) -> bool {
    text.last().is_some_and(u8::is_ascii_digit)
}

/// `2025-11-19 00:22:40.877+00` is `2025-11-19T00:22:40.877+00:00`.
fn write_timestamp(text: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(text) = str::from_utf8(text) else { return false };
    let Some((date, time)) = text.split_once(' ') else {
        // It is infinite.
        return write_string(text.as_bytes(), out);
    };
    let (time, era) = time.split_once(' ').map_or((time, ""), |(time, _)| (time, " BC"));
    let offset = time.find(['+', '-']).map_or("", |at| &time[at..]);
    let minutes = if offset.len() == 3 { ":00" } else { "" };
    out.extend_from_slice(format!("\"{date}T{time}{minutes}{era}\"").as_bytes());
    true
}

/// Writes a string. False for what is no UTF-8.
pub(super) fn write_string(text: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(text) = str::from_utf8(text) else { return false };
    serde_json::to_writer(out, text).is_ok()
}

fn write_array(element: &Shape, delimiter: u8, text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut is_first = true;
    let mut is_well = true;
    let read = arrays::read(text, delimiter, |part| {
        if !is_first && part != Part::Close {
            out.push(b',');
        }
        is_first = part == Part::Open;
        match part {
            Part::Open => out.push(b'['),
            Part::Close => out.push(b']'),
            Part::Null => out.extend_from_slice(b"null"),
            Part::Element(text) => is_well &= write_scalar(element, text, out),
        }
    });
    is_well && read.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(shape: &Shape, text: &str) -> Option<String> {
        let mut out = Vec::new();
        write(shape, text.as_bytes(), &mut out).then(|| String::from_utf8(out).expect("UTF-8"))
    }

    // rows: G11
    #[test]
    fn values_become_the_json_of_their_type() {
        let timestamp = Shape::Timestamp;
        for (shape, text, expected) in [
            (&Shape::Boolean, "t", "true"),
            (&Shape::Number, "12345678901234567890.10", "12345678901234567890.10"),
            (&Shape::Number, "NaN", r#""NaN""#),
            (&Shape::Number, "-Infinity", r#""-Infinity""#),
            (&Shape::Json, r#"{"a": 1}"#, r#"{"a": 1}"#),
            (&Shape::Text, "a \"b\"\n", r#""a \"b\"\n""#),
            (&timestamp, "2025-11-19 00:22:40.877+00", r#""2025-11-19T00:22:40.877+00:00""#),
            (&timestamp, "2025-11-19 00:22:40+05:30", r#""2025-11-19T00:22:40+05:30""#),
            (&timestamp, "2025-11-19 00:22:40", r#""2025-11-19T00:22:40""#),
            (&timestamp, "0044-03-15 00:00:00-04 BC", r#""0044-03-15T00:00:00-04:00 BC""#),
            (&timestamp, "infinity", r#""infinity""#),
        ] {
            assert_eq!(json(shape, text).as_deref(), Some(expected), "{text}");
        }
    }

    // rows: G11
    #[test]
    fn arrays_become_arrays_of_any_depth() {
        let numbers = Shape::Array(Box::new(Shape::Number), b',');
        assert_eq!(json(&numbers, "{{1,NULL},{NaN,2}}").as_deref(), Some(r#"[[1,null],["NaN",2]]"#));
        assert_eq!(json(&numbers, "{}").as_deref(), Some("[]"));
        let documents = Shape::Array(Box::new(Shape::Json), b',');
        assert_eq!(json(&documents, r#"{"{\"a\": 1}",NULL}"#).as_deref(), Some(r#"[{"a": 1},null]"#));
    }

    #[test]
    fn what_has_another_shape_is_left_to_postgresql() {
        for (shape, text) in [
            (&Shape::Boolean, "true"),
            (&Shape::Unknown, "(1,2)"),
            (&Shape::Array(Box::new(Shape::Number), b','), "{1"),
        ] {
            assert_eq!(json(shape, text), None, "{text}");
        }
    }
}
