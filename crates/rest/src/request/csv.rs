//! CSV as RFC 4180 has it, a header line first. An empty field without quotes is null, and so is
//! `NULL`; in quotes both are texts (CONTRACT.md I11, N08). An empty line is no row, unless it
//! stands between the lines of a table of one column: there it is a null.

use std::{
    collections::BTreeSet,
    fmt::{Display, Formatter},
    io::Write,
};

use bytes::Bytes;
use serde::{Serialize, Serializer};

use super::{
    MOST_COLUMNS,
    payload::{Payload, PayloadForm},
};
use crate::error::{BodyFault, Error};

/// Bytes that a table may become as JSON.
const LARGEST_TABLE: usize = 128 << 20;

/// Bytes of JSON for each byte of the table: a line of the one field `1` takes five, and no table
/// without control characters takes more than six. Those take six by themselves (`\u0001`).
const LARGEST_GROWTH: usize = 6;

/// A table may become so many bytes more, so that a few lines may hold anything.
const SMALL_TABLE: usize = 64 << 10;

/// Reads the names of a table and looks whether its lines fit them; the body stays as sent.
pub(super) fn look(body: Bytes) -> Result<Payload, Error> {
    let (names, mut lines) = table(&body)?;
    let (width, mut any) = (names.len(), false);
    loop {
        let mut fields = 0;
        if !lines.next(|_| fields += 1).map_err(Error::Body)? {
            break;
        }
        if fields != width {
            return Err(Error::Body(BodyFault::UnevenLines));
        }
        any = true;
    }
    // Names are judged whether rows follow or not.
    let columns: BTreeSet<String> = names.into_iter().collect();
    if columns.len() != width {
        return Err(Error::Body(BodyFault::RepeatedName));
    }
    if !any {
        return Ok(Payload { form: PayloadForm::Array, columns, body: Bytes::from_static(b"[]") });
    }
    Ok(Payload { form: PayloadForm::Table, columns, body })
}

/// Bytes that [`objects`] takes. Nothing is built to count them.
///
/// # Errors
/// 413 if the table is too large, alone or for the body that was sent.
pub(crate) fn size(body: &[u8], most: usize) -> Result<usize, Error> {
    let mut counter = Counter(0);
    write(body, most, &mut counter)?;
    let largest = LARGEST_TABLE.min(LARGEST_GROWTH * body.len() + SMALL_TABLE);
    if counter.0 <= largest { Ok(counter.0) } else { Err(Error::BodyTooLarge) }
}

/// The lines as a JSON array of objects, at most `most` of them, in the memory that `size` counted.
/// A key is the place of its column among the names in alphabetical order, so that a long name is
/// not written again in each line. Nulls are left out.
pub(crate) fn objects(body: &[u8], most: usize, size: usize) -> Result<Vec<u8>, Error> {
    let mut json = Vec::with_capacity(size);
    write(body, most, &mut json)?;
    Ok(json)
}

/// Counts what is written.
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn write(body: &[u8], most: usize, json: &mut impl Write) -> Result<(), Error> {
    let (names, mut lines) = table(body)?;
    let keys = keys(&names);
    let put = |json: &mut _, bytes| Write::write_all(json, bytes).expect(NEVER_FULL);
    put(json, b"[");
    for line in 0..most {
        let (mut place, mut any) = (0, false);
        let more = lines.next(|field| {
            if place == 0 {
                put(json, if line == 0 { b"{" } else { b",{" });
            }
            if let Some(key) = keys.get(place).filter(|_| !field.is_null()) {
                put(json, if any { b"," } else { b"" });
                put(json, key.as_bytes());
                serde_json::to_writer(&mut *json, &field).expect(NEVER_FULL);
                any = true;
            }
            place += 1;
        });
        if !more.map_err(Error::Body)? {
            break;
        }
        put(json, b"}");
    }
    put(json, b"]");
    Ok(())
}

const NEVER_FULL: &str = "a text can be written to memory";

/// `"3":` of each name, by its place in the header.
fn keys(names: &[String]) -> Vec<String> {
    let sorted: BTreeSet<&String> = names.iter().collect();
    let place = |name: &String| sorted.range::<String, _>(..name).count();
    names.iter().map(|name| format!("\"{}\":", place(name))).collect()
}

/// The names of the header, and the lines below it.
fn table(body: &[u8]) -> Result<(Vec<String>, Lines<'_>), Error> {
    let mut lines = Lines { rest: without_empty_end(text(body)?), skips_empty: false };
    let names = names(&mut lines)?;
    lines.skips_empty = names.len() > 1;
    Ok((names, lines))
}

/// The text up to the end of its last line that is not empty.
fn without_empty_end(mut text: &str) -> &str {
    while let Some(line) = before_end(text)
        && (line.is_empty() || line.ends_with(['\r', '\n']))
    {
        text = line;
    }
    text
}

/// The text, without the mark that some programs put before it.
fn text(body: &[u8]) -> Result<&str, Error> {
    let text = std::str::from_utf8(body).map_err(|_| Error::Body(BodyFault::UnevenLines))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn names(lines: &mut Lines<'_>) -> Result<Vec<String>, Error> {
    let (mut names, mut count) = (Vec::new(), 0);
    let read = lines.next(|field| {
        count += 1;
        if count <= MOST_COLUMNS {
            names.push(field.to_string());
        }
    });
    read.map_err(Error::Body)?;
    if count > MOST_COLUMNS { Err(Error::BodyTooLarge) } else { Ok(names) }
}

/// The lines of a table that were not read yet.
struct Lines<'a> {
    rest: &'a str,
    /// Several fields need a comma at least, so an empty line holds nothing.
    skips_empty: bool,
}

/// The text between two separators; for a quoted field the text between its quotes.
struct Field<'a> {
    raw: &'a str,
    quoted: bool,
}

impl Field<'_> {
    fn is_null(&self) -> bool {
        !self.quoted && matches!(self.raw, "" | "NULL")
    }
}

impl Display for Field<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        if !self.quoted {
            return f.write_str(self.raw);
        }
        for (place, piece) in self.raw.split("\"\"").enumerate() {
            f.write_str(if place == 0 { "" } else { "\"" })?;
            f.write_str(piece)?;
        }
        Ok(())
    }
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.quoted && self.raw.contains('"') {
            serializer.collect_str(self)
        } else {
            serializer.serialize_str(self.raw)
        }
    }
}

impl<'a> Lines<'a> {
    /// Gives each field of the next line to `take`; false when there is no line.
    fn next(&mut self, mut take: impl FnMut(Field<'a>)) -> Result<bool, BodyFault> {
        while self.skips_empty
            && let Some(rest) = after_end(self.rest)
        {
            self.rest = rest;
        }
        if self.rest.is_empty() {
            return Ok(false);
        }
        loop {
            let (field, rest) = match self.rest.strip_prefix('"') {
                Some(inside) => quoted(inside)?,
                None => bare(self.rest),
            };
            take(field);
            let Some(next) = rest.strip_prefix(',') else {
                self.rest = after_end(rest).unwrap_or_default();
                return Ok(true);
            };
            self.rest = next;
        }
    }
}

/// Ends of lines. Old files have a CR alone; taken for a part of a field, it made all lines one.
const ENDS: [&str; 3] = ["\r\n", "\n", "\r"];

/// The text after the end of a line; none if no line ends.
fn after_end(text: &str) -> Option<&str> {
    ENDS.iter().find_map(|end| text.strip_prefix(end))
}

/// The text before the end of the last line; none if it has no end.
fn before_end(text: &str) -> Option<&str> {
    ENDS.iter().find_map(|end| text.strip_suffix(end))
}

/// A field without quotes, and what follows it: `,`, the end of its line or nothing.
fn bare(text: &str) -> (Field<'_>, &str) {
    let end = text.find([',', '\n', '\r']).unwrap_or(text.len());
    let (raw, rest) = text.split_at(end);
    (Field { raw, quoted: false }, rest)
}

/// A field whose first quote was read, and what follows the last one.
fn quoted(text: &str) -> Result<(Field<'_>, &str), BodyFault> {
    let mut from = 0;
    loop {
        let end = from + text[from..].find('"').ok_or(BodyFault::Quotes)?;
        let rest = &text[end + 1..];
        if rest.starts_with('"') {
            from = end + 2;
            continue;
        }
        if !(rest.is_empty() || rest.starts_with([',', '\n', '\r'])) {
            return Err(BodyFault::Quotes);
        }
        return Ok((Field { raw: &text[..end], quoted: true }, rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(csv: &str) -> String {
        let size = size(csv.as_bytes(), usize::MAX).expect("a table");
        let json = objects(csv.as_bytes(), usize::MAX, size).expect("a table");
        assert_eq!((json.len(), json.capacity()), (size, size), "each byte is counted before");
        String::from_utf8(json).expect("a text")
    }

    // rows: I11
    #[test]
    fn fields_are_read_as_rfc_4180_has_them() {
        for (csv, json) in [
            ("b,a\n1,2", r#"[{"1":"1","0":"2"}]"#),
            ("a,b\r\n\"x,y\",\"say \"\"so\"\"\"\r\n", r#"[{"0":"x,y","1":"say \"so\""}]"#),
            ("a,b\n,\"\"\nNULL,\"NULL\"\n", r#"[{"1":""},{"1":"NULL"}]"#),
            ("a\n x \n\"two\nlines\"\n5\" pipe", r#"[{"0":" x "},{"0":"two\nlines"},{"0":"5\" pipe"}]"#),
            ("\u{feff}a\nC:\\new\n", r#"[{"0":"C:\\new"}]"#),
            ("a,b\n1,", r#"[{"0":"1"}]"#),
        ] {
            assert_eq!(built(csv), json, "{csv:?}");
        }
    }

    // rows: I11
    #[test]
    fn a_line_ends_in_cr_alone_too_outside_of_quotes() {
        for (csv, json) in [
            ("id,t\r1,a\r2,b\r", r#"[{"0":"1","1":"a"},{"0":"2","1":"b"}]"#),
            ("a\r1\r\"x\"\r2", r#"[{"0":"1"},{"0":"x"},{"0":"2"}]"#),
            ("a,b\r\r1,\r\r", r#"[{"0":"1"}]"#),
            ("a\n\"x\ry\"\r\n1\n", r#"[{"0":"x\ry"},{"0":"1"}]"#),
        ] {
            assert_eq!(built(csv), json, "{csv:?}");
        }
        let within = look(Bytes::from("a,b\n1,x\ry\n"));
        assert!(matches!(within, Err(Error::Body(BodyFault::UnevenLines))), "{within:?}");
    }

    // rows: I11
    #[test]
    fn an_empty_line_is_no_row_but_between_the_lines_of_one_column() {
        for (csv, json) in [
            ("a,b\n1,2\n\n", r#"[{"0":"1","1":"2"}]"#),
            ("a,b\r\n\r\n1,2\r\n\r\n\n3,\r\n\r\n\r\n", r#"[{"0":"1","1":"2"},{"0":"3"}]"#),
            ("a,b\n,\n", r"[{}]"),
            ("a\n1\n\n", r#"[{"0":"1"}]"#),
            ("a\n1\n\n\r\n", r#"[{"0":"1"}]"#),
            ("a\n1\n\n2\r\n\r\nNULL", r#"[{"0":"1"},{},{"0":"2"},{},{}]"#),
            ("a\n\"\"\n\"\n\n\"\n", r#"[{"0":""},{"0":"\n\n"}]"#),
        ] {
            let looked = look(Bytes::from(csv)).expect("a table");
            assert_eq!((looked.form, built(csv).as_str()), (PayloadForm::Table, json), "{csv:?}");
        }
        for csv in ["a,b\n\n\n", "a\n\n", "a\r\n\r\n\r\n", "a\r\r", "a"] {
            let looked = look(Bytes::from(csv)).expect("a table");
            assert_eq!((looked.form, &*looked.body), (PayloadForm::Array, &b"[]"[..]), "{csv:?}");
            assert!(looked.columns.contains("a"), "names are judged without rows too: {csv:?}");
        }
        assert!(look(Bytes::from("a,b\n1,2\n \n")).is_err(), "blanks are a field");
    }

    // rows: I11
    #[test]
    fn quotes_out_of_place_and_names_that_come_twice_are_refused() {
        for (csv, fault) in [
            ("a\n\"x", BodyFault::Quotes),
            ("a\n\"x\"y", BodyFault::Quotes),
            ("a,a\n1,2", BodyFault::RepeatedName),
            ("a,a\n", BodyFault::RepeatedName),
            ("a,b\n1", BodyFault::UnevenLines),
        ] {
            let refused = look(Bytes::from(csv)).expect_err("refused");
            assert!(matches!(&refused, Error::Body(found) if *found == fault), "{csv:?}: {refused:?}");
        }
    }

    // rows: V09 I11
    #[test]
    fn a_long_name_is_not_written_again_in_each_line() {
        let csv = format!("{}\n{}", "n".repeat(100 << 10), "1\n".repeat(1500));
        let found = look(Bytes::from(csv.clone())).expect("a table");
        assert_eq!(found.body.len(), csv.len(), "nothing is built before the columns are judged");
        assert!(built(&csv).len() < 8 * csv.len());
        assert!(matches!(look(Bytes::from(",".repeat(100_000))), Err(Error::BodyTooLarge)));
    }

    // rows: V09 I11
    #[test]
    fn every_byte_of_json_is_counted_before_it_is_built() {
        for field in
            ["\u{1}", "\u{1f}\u{7f}", "\\", "\t", "\"\"\"\"", "\"a\"\"b\"", "\"\n\"", "é\u{1F600}", "NULL"]
        {
            let json = built(&format!("a,b\n{field},1\n,{field}\n"));
            let rows: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            assert_eq!(rows.as_array().map(Vec::len), Some(2), "{field:?}: {json}");
        }
        assert_eq!(size(b"a\n1\n\x01\n", 1).expect("a table"), r#"[{"0":"1"}]"#.len());
    }

    // rows: V09 I11
    #[test]
    fn json_is_at_most_a_small_multiple_of_its_table() {
        let table = |columns: usize, field: &str| {
            let names = (0..columns).map(|it| it.to_string()).collect::<Vec<_>>().join(",");
            let line = vec![field; columns].join(",") + "\n";
            format!("{names}\n{}", line.repeat(200_000 / line.len()))
        };
        for columns in [1, 11, MOST_COLUMNS] {
            for field in ["1", "\\", "\"\"\"\"", "\"\n\""] {
                let csv = table(columns, field);
                assert!(size(csv.as_bytes(), usize::MAX).is_ok(), "{columns} of {field:?}");
            }
            let control = table(columns, "\u{1}");
            let refused = size(control.as_bytes(), usize::MAX);
            assert!(matches!(refused, Err(Error::BodyTooLarge)), "{columns}: {refused:?}");
        }
        let few = format!("a\n{}", "\u{1}\n".repeat(4_000));
        assert!(size(few.as_bytes(), usize::MAX).is_ok(), "a small table may hold anything");
    }
}
