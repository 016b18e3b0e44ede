//! CSV as RFC 4180 has it, a header line first. An empty field without quotes is null, and so is
//! `NULL`; in quotes both are texts (rest.md I11, N08).

use std::{borrow::Cow, collections::BTreeSet};

use bytes::Bytes;

use super::{
    MOST_COLUMNS,
    payload::{Payload, PayloadForm},
};
use crate::error::{BodyFault, Error};

/// Bytes that a table may become as JSON.
const LARGEST_TABLE: usize = 128 << 20;

/// Reads the names of a table and looks whether its lines fit them; the body stays as sent.
pub(super) fn look(body: Bytes) -> Result<Payload, Error> {
    let text = text(&body)?;
    let mut lines = Lines { rest: text };
    let names = names(&mut lines)?;
    let mut any = false;
    loop {
        let mut fields = 0;
        if !lines.next(|_| fields += 1).map_err(Error::Body)? {
            break;
        }
        if fields != names.len() {
            return Err(Error::Body(BodyFault::UnevenLines));
        }
        any = true;
    }
    if !any {
        let body = Bytes::from_static(b"[]");
        return Ok(Payload { form: PayloadForm::Array, columns: BTreeSet::new(), body });
    }
    let columns: BTreeSet<String> = names.iter().cloned().collect();
    if columns.len() != names.len() {
        return Err(Error::Body(BodyFault::RepeatedName));
    }
    Ok(Payload { form: PayloadForm::Table, columns, body })
}

/// The lines as a JSON array of objects, at most `most` of them. A key is the place of its column
/// among the names in alphabetical order, so that a long name is not written again in each line.
/// Nulls are left out. `reserve` is asked for every byte.
pub(crate) fn objects(
    body: &Bytes,
    most: usize,
    mut reserve: impl FnMut(usize) -> Result<(), Error>,
) -> Result<Bytes, Error> {
    let mut lines = Lines { rest: text(body)? };
    let keys = keys(&names(&mut lines)?);
    let mut json = vec![b'['];
    for _ in 0..most {
        let before = json.len();
        let (mut place, mut any) = (0, false);
        json.extend_from_slice(if before == 1 { b"{" } else { b",{" });
        let more = lines.next(|field| {
            if let (Some(value), Some(key)) = (field.value(), keys.get(place)) {
                json.extend_from_slice(if any { b"," } else { b"" });
                json.extend_from_slice(key.as_bytes());
                serde_json::to_writer(&mut json, &value).expect("a text can be written to memory");
                any = true;
            }
            place += 1;
        });
        if !more.map_err(Error::Body)? {
            json.truncate(before);
            break;
        }
        json.push(b'}');
        reserve(json.len() - before)?;
        if json.len() > LARGEST_TABLE {
            return Err(Error::BodyTooLarge);
        }
    }
    json.push(b']');
    Ok(json.into())
}

/// `"3":` of each name, by its place in the header.
fn keys(names: &[String]) -> Vec<String> {
    let sorted: BTreeSet<&String> = names.iter().collect();
    let place = |name: &String| sorted.range::<String, _>(..name).count();
    names.iter().map(|name| format!("\"{}\":", place(name))).collect()
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
            names.push(field.text().into_owned());
        }
    });
    read.map_err(Error::Body)?;
    if count > MOST_COLUMNS { Err(Error::BodyTooLarge) } else { Ok(names) }
}

/// The lines of a table that were not read yet.
struct Lines<'a> {
    rest: &'a str,
}

/// What stands between two separators; of a quoted field what stands between its quotes.
struct Field<'a> {
    raw: &'a str,
    quoted: bool,
}

impl<'a> Field<'a> {
    fn text(&self) -> Cow<'a, str> {
        if self.quoted && self.raw.contains('"') {
            self.raw.replace("\"\"", "\"").into()
        } else {
            self.raw.into()
        }
    }

    fn value(&self) -> Option<Cow<'a, str>> {
        let null = !self.quoted && matches!(self.raw, "" | "NULL");
        (!null).then(|| self.text())
    }
}

impl<'a> Lines<'a> {
    /// Gives each field of the next line to `take`; false when there is no line.
    fn next(&mut self, mut take: impl FnMut(Field<'a>)) -> Result<bool, BodyFault> {
        if self.rest.is_empty() {
            return Ok(false);
        }
        loop {
            let (field, rest) = match self.rest.strip_prefix('"') {
                Some(inside) => quoted(inside)?,
                None => bare(self.rest),
            };
            take(field);
            let line_ends = !rest.starts_with(',');
            self.rest = rest.get(1..).unwrap_or_default();
            if line_ends {
                return Ok(true);
            }
        }
    }
}

/// A field without quotes, and what follows it: `,`, a line feed or nothing.
fn bare(text: &str) -> (Field<'_>, &str) {
    let end = text.find([',', '\n']).unwrap_or(text.len());
    let (raw, rest) = text.split_at(end);
    let raw = if rest.starts_with('\n') { raw.strip_suffix('\r').unwrap_or(raw) } else { raw };
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
        let rest = if rest.starts_with("\r\n") { &rest[1..] } else { rest };
        if !(rest.is_empty() || rest.starts_with([',', '\n'])) {
            return Err(BodyFault::Quotes);
        }
        return Ok((Field { raw: &text[..end], quoted: true }, rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(csv: &str) -> String {
        let json = objects(&Bytes::from(csv.to_owned()), usize::MAX, |_| Ok(())).expect("a table");
        String::from_utf8(json.to_vec()).expect("a text")
    }

    #[test]
    fn rest_i11_fields_are_read_as_rfc_4180_has_them() {
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

    #[test]
    fn rest_i11_quotes_out_of_place_and_names_that_come_twice_are_refused() {
        for (csv, fault) in [
            ("a\n\"x", BodyFault::Quotes),
            ("a\n\"x\"y", BodyFault::Quotes),
            ("a,a\n1,2", BodyFault::RepeatedName),
            ("a,b\n1", BodyFault::UnevenLines),
        ] {
            let refused = look(Bytes::from(csv)).expect_err("refused");
            assert!(matches!(&refused, Error::Body(found) if *found == fault), "{csv:?}: {refused:?}");
        }
    }

    #[test]
    fn rest_v09_i11_a_long_name_is_not_written_again_in_each_line() {
        let csv = format!("{}\n{}", "n".repeat(100 << 10), "1\n".repeat(1500));
        let found = look(Bytes::from(csv.clone())).expect("a table");
        assert_eq!(found.body.len(), csv.len(), "nothing is built before the columns are judged");
        assert!(built(&csv).len() < 8 * csv.len());
        assert!(matches!(look(Bytes::from(",".repeat(100_000))), Err(Error::BodyTooLarge)));
        let mut budget = 1000;
        let full = objects(&Bytes::from(csv), usize::MAX, |bytes| {
            budget = usize::checked_sub(budget, bytes).ok_or(Error::BudgetSpent)?;
            Ok(())
        });
        assert!(matches!(full, Err(Error::BudgetSpent)), "what is built is asked for");
    }
}
