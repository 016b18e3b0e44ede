//! Names, JSON paths and identifiers, as every parameter of the query string writes them
//! (CONTRACT.md U05, U06, S06, S07).

use super::cursor::{Cursor, Mismatch, Parsed};

/// A column, perhaps with a path into its JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// The column's name, or `*`.
    pub name: String,
    /// Steps into the column's value.
    pub path: Vec<JsonStep>,
}

/// One step of a JSON path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JsonStep {
    /// `->>`: the result is text.
    pub as_text: bool,
    /// Target of the step.
    pub to: JsonKey,
}

/// Target of a step in a JSON path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum JsonKey {
    /// A member of an object.
    Member(String),
    /// An element of an array; negative counts from the end.
    Element(String),
}

impl Field {
    /// A column without a path.
    #[must_use]
    pub fn column(name: impl Into<String>) -> Self {
        Self { name: name.into(), path: Vec::new() }
    }
}

const FIELD_NAME: &str = "field name (* or [a..z0..9_$])";
/// Bytes of a name in PostgreSQL.
pub(super) const LONGEST_NAME: usize = 63;

const JSON_KEY: &str = "any non reserved character different from: .,>()";

/// Blanks round an item of a list (CONTRACT.md U08).
pub(super) fn blanks(cursor: &mut Cursor<'_>) {
    while cursor.satisfy(None, |c| c == ' ' || c == '\t').is_ok() {}
}

pub(super) fn lexeme<T>(
    cursor: &mut Cursor<'_>,
    rule: impl FnOnce(&mut Cursor<'_>) -> Parsed<T>,
) -> Parsed<T> {
    blanks(cursor);
    let result = rule(cursor)?;
    blanks(cursor);
    Ok(result)
}

/// `rule` once or more, with `,` between.
pub(super) fn list<T>(
    cursor: &mut Cursor<'_>,
    mut rule: impl FnMut(&mut Cursor<'_>) -> Parsed<T>,
) -> Parsed<Vec<T>> {
    let mut items = vec![rule(cursor)?];
    while cursor.optional(|c| lexeme(c, |c| c.char(','))).is_some() {
        items.push(rule(cursor)?);
    }
    Ok(items)
}

/// A name: quoted, or of letters, digits, `_`, `$`, blanks and inner `-`.
pub(super) fn name(cursor: &mut Cursor<'_>) -> Parsed<String> {
    cursor.named(FIELD_NAME, |cursor| {
        let name = match cursor.peek() {
            Some('"') => quoted(cursor)?,
            _ => without_blanks(&dashed(cursor, identifier_part)?),
        };
        possible(name)
    })
}

/// A column's name. PostgreSQL would cut a longer one and find the column of what is left.
pub(super) fn column_name(cursor: &mut Cursor<'_>) -> Parsed<String> {
    cursor.named(FIELD_NAME, |cursor| {
        let name = name(cursor)?;
        if name.len() > LONGEST_NAME { Err(Mismatch) } else { Ok(name) }
    })
}

/// One name of a key, which only `.`, `->` and the end follow. It is quoted, or has any characters
/// but these and `"`. Blanks belong to it: a column may be named so.
pub(super) fn key_name(cursor: &mut Cursor<'_>) -> Parsed<String> {
    cursor.named(FIELD_NAME, |cursor| {
        if cursor.peek() == Some('"') {
            return quoted(cursor).and_then(possible);
        }
        let mut text = String::new();
        while !cursor.rest().starts_with("->") {
            let Ok(found) = cursor.satisfy(None, |c| c != '.' && c != '"') else { break };
            text.push(found);
        }
        possible(text)
    })
}

/// PostgreSQL knows no empty name, and none with a NUL byte.
fn possible(name: String) -> Parsed<String> {
    if name.is_empty() || name.contains('\0') { Err(Mismatch) } else { Ok(name) }
}

/// `"..."` in which `\` makes the next character ordinary.
pub(super) fn quoted(cursor: &mut Cursor<'_>) -> Parsed<String> {
    cursor.char('"')?;
    let mut text = String::new();
    loop {
        match cursor.satisfy(None, |c| c != '"') {
            Ok('\\') => text.push(cursor.satisfy(None, |_| true)?),
            Ok(other) => text.push(other),
            Err(Mismatch) => break cursor.char('"').map(|()| text),
        }
    }
}

/// Letters, digits, `_`, `$` and blanks, without outer blanks; something has to be left.
pub(super) fn identifier(cursor: &mut Cursor<'_>) -> Parsed<String> {
    identifier_part(cursor).map(|text| without_blanks(&text))
}

/// Like [`identifier`], with its outer blanks.
fn identifier_part(cursor: &mut Cursor<'_>) -> Parsed<String> {
    let mut text = String::new();
    while let Ok(found) = identifier_char(cursor) {
        text.push(found);
    }
    if without_blanks(&text).is_empty() { Err(Mismatch) } else { Ok(text) }
}

/// Cuts the blanks round an item of a list (CONTRACT.md U08); other blanks are part of a name.
fn without_blanks(text: &str) -> String {
    text.trim_matches([' ', '\t']).to_owned()
}

fn identifier_char(cursor: &mut Cursor<'_>) -> Parsed<char> {
    cursor
        .satisfy(Some("letter"), char::is_alphabetic)
        .or_else(|_| cursor.satisfy(Some("digit"), |c| c.is_ascii_digit()))
        .or_else(|_| cursor.satisfy(None, |c| matches!(c, '_' | ' ' | '$')))
}

/// Parts with `-` between, where no `->` begins.
fn dashed(
    cursor: &mut Cursor<'_>,
    mut part: impl FnMut(&mut Cursor<'_>) -> Parsed<String>,
) -> Parsed<String> {
    let mut text = part(cursor)?;
    while cursor.peek() == Some('-') && !cursor.rest().starts_with("->") {
        cursor.char('-')?;
        text.push('-');
        text.push_str(&part(cursor)?);
    }
    if cursor.peek() != Some('-') {
        let _ = cursor.char('-');
    }
    Ok(text)
}

/// A column with its JSON path, if any.
pub(super) fn field(cursor: &mut Cursor<'_>) -> Parsed<Field> {
    lexeme(cursor, |cursor| {
        let name = column_name(cursor)?;
        let path = json_path(cursor, |member| without_blanks(&member))?;
        Ok(Field { name, path })
    })
}

/// The JSON path of a key, in which blanks belong to the members' names.
pub(super) fn key_path(cursor: &mut Cursor<'_>) -> Parsed<Vec<JsonStep>> {
    json_path(cursor, |member| member)
}

/// `->key`, `->>key`, `->0`, as many as there are. `bare` makes a name of a member without quotes.
fn json_path(cursor: &mut Cursor<'_>, bare: fn(String) -> String) -> Parsed<Vec<JsonStep>> {
    let mut path = Vec::new();
    while let Some(as_text) = arrow(cursor) {
        path.push(JsonStep { as_text, to: json_key(cursor, bare)? });
    }
    Ok(path)
}

fn arrow(cursor: &mut Cursor<'_>) -> Option<bool> {
    match (cursor.optional(|c| c.string("->>")), cursor.optional(|c| c.string("->"))) {
        (Some(()), _) => Some(true),
        (None, Some(())) => Some(false),
        (None, None) => None,
    }
}

fn json_key(cursor: &mut Cursor<'_>, bare: fn(String) -> String) -> Parsed<JsonKey> {
    if let Some(index) = cursor.optional(json_index) {
        return Ok(JsonKey::Element(index));
    }
    let member = cursor.named(JSON_KEY, |cursor| match cursor.peek() {
        Some('"') => quoted(cursor),
        _ => dashed(cursor, json_member).map(bare).and_then(possible),
    });
    member.map(JsonKey::Member)
}

fn json_index(cursor: &mut Cursor<'_>) -> Parsed<String> {
    let mut text = String::new();
    if cursor.optional(|c| c.char('-')).is_some() {
        text.push('-');
    }
    text.push(cursor.satisfy(Some("digit"), |c| c.is_ascii_digit())?);
    while let Ok(digit) = cursor.satisfy(Some("digit"), |c| c.is_ascii_digit()) {
        text.push(digit);
    }
    cursor.before(&["->", "::", ".", ","])?;
    Ok(text)
}

fn json_member(cursor: &mut Cursor<'_>) -> Parsed<String> {
    let mut text = String::new();
    while let Ok(found) = cursor.satisfy(None, |c| !"(-:.,>)".contains(c)) {
        text.push(found);
    }
    if text.is_empty() { Err(Mismatch) } else { Ok(text) }
}
