//! Arrays in PostgreSQL's text format.

/// An array of one dimension: what [`read`] takes apart again.
pub(super) fn literal(values: impl IntoIterator<Item = Option<impl AsRef<[u8]>>>) -> Vec<u8> {
    let mut out = vec![b'{'];
    for value in values {
        if out.len() > 1 {
            out.push(b',');
        }
        match value {
            None => out.extend_from_slice(b"NULL"),
            Some(value) => quote(value.as_ref(), &mut out),
        }
    }
    out.push(b'}');
    out
}

fn quote(value: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in value {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

/// A part of an array, as [`read`] meets it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// An array begins, which may be an element of another.
    Open,
    /// It ends.
    Close,
    Null,
    Element(&'a [u8]),
}

/// Reads an array with any number of dimensions, element by element. None where it is no array.
pub(super) fn read(text: &[u8], delimiter: u8, mut each: impl FnMut(Part<'_>)) -> Option<()> {
    let mut rest = without_bounds(text);
    let mut depth = 0_usize;
    let mut element = Vec::new();
    loop {
        let (byte, after) = rest.split_first()?;
        match *byte {
            b'{' => {
                depth += 1;
                each(Part::Open);
                rest = after;
            }
            b'}' => {
                depth = depth.checked_sub(1)?;
                each(Part::Close);
                rest = after;
                if depth == 0 {
                    return rest.is_empty().then_some(());
                }
            }
            byte if byte == delimiter => rest = after,
            _ if depth == 0 => return None,
            b'"' => {
                rest = unquote(after, &mut element)?;
                each(Part::Element(&element));
            }
            _ => {
                let end = rest.iter().position(|byte| *byte == delimiter || *byte == b'}')?;
                let (word, after) = rest.split_at(end);
                each(if word.eq_ignore_ascii_case(b"null") { Part::Null } else { Part::Element(word) });
                rest = after;
            }
        }
    }
}

/// Bounds that differ from the usual stand before the array: `[0:1]={…}`.
fn without_bounds(text: &[u8]) -> &[u8] {
    match text.first() {
        Some(b'[') => text.iter().position(|byte| *byte == b'=').map_or(text, |at| &text[at + 1..]),
        _ => text,
    }
}

/// Reads up to the quote that ends an element; gives what comes after it.
fn unquote<'t>(mut text: &'t [u8], element: &mut Vec<u8>) -> Option<&'t [u8]> {
    element.clear();
    loop {
        let (byte, after) = text.split_first()?;
        text = after;
        match byte {
            b'"' => return Some(text),
            b'\\' => {
                let (escaped, after) = text.split_first()?;
                element.push(*escaped);
                text = after;
            }
            byte => element.push(*byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(text: &str) -> Option<Vec<Option<String>>> {
        let mut found = Vec::new();
        read(text.as_bytes(), b',', |part| match part {
            Part::Element(bytes) => found.push(Some(String::from_utf8_lossy(bytes).into_owned())),
            Part::Null => found.push(None),
            Part::Open | Part::Close => {}
        })?;
        Some(found)
    }

    #[test]
    fn what_is_written_is_read_again() {
        let values = [Some("a"), None, Some("NULL"), Some("x \"y\" \\ {,}"), Some("")];
        let text = String::from_utf8(literal(values)).expect("UTF-8");
        let read = elements(&text).expect("an array");
        assert_eq!(read, values.map(|value| value.map(str::to_owned)));
        assert_eq!(elements("{}"), Some(vec![]));
    }

    #[test]
    fn dimensions_and_bounds_are_read() {
        let mut shape = String::new();
        read(b"[0:1][1:2]={{1,2},{3,NULL}}", b',', |part| match part {
            Part::Open => shape.push('<'),
            Part::Close => shape.push('>'),
            Part::Null => shape.push('-'),
            Part::Element(bytes) => shape.push_str(&String::from_utf8_lossy(bytes)),
        });
        assert_eq!(shape, "<<12><3->>");
    }

    #[test]
    fn what_is_no_array_is_not_taken_for_one() {
        for text in ["", "1", "{", "{1", "{\"1}", "{1}}", "{1} ", "}", "[1:2]"] {
            assert_eq!(elements(text), None, "{text}");
        }
    }
}
