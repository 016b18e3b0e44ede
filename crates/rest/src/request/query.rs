//! The whole query string (CONTRACT.md U01 to U15).

use std::{borrow::Cow, collections::BTreeMap};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

use super::{
    ValueIndex,
    cursor::{self, Cursor, Mismatch, Parsed, read_or_refuse},
    fields::{self, Field},
    filter::{self, Filter, Logic},
    order::{self, OrderTerm},
    range::{RequestedWindow, Window},
    select::{self, SelectItem},
};
use crate::error::{Error, Parse, excerpt};

/// The steps from the root to an embedded relation, each an alias or a name in `select`.
pub type EmbedPath = Vec<String>;

/// A parsed query string.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Query {
    /// `select`; everything when absent.
    pub select: Vec<SelectItem>,
    /// Conditions that all must hold.
    pub filters: Vec<(EmbedPath, Filter)>,
    /// Logic trees that all must hold.
    pub logic: Vec<(EmbedPath, Logic)>,
    /// Orders.
    pub order: Vec<(EmbedPath, Vec<OrderTerm>)>,
    /// `limit` and `offset` of embedded relations.
    pub ranges: BTreeMap<EmbedPath, Window>,
    /// `columns`
    pub columns: Option<Vec<String>>,
    /// `on_conflict`
    pub on_conflict: Option<Vec<String>>,
    /// Arguments of a function called by GET, in the order given.
    pub arguments: Vec<(String, ValueIndex)>,
}

/// One decoded parameter; a key without `=` has no value.
pub(super) type Pair = (String, Option<String>);

/// Splits and decodes a query string (CONTRACT.md U01).
pub(super) fn pairs(query: &str) -> Vec<Pair> {
    let parameters = query.split(['&', ';']).filter(|parameter| !parameter.is_empty());
    parameters
        .map(|parameter| match parameter.split_once('=') {
            Some((key, value)) => (decode(key), Some(decode(value))),
            None => (decode(parameter), None),
        })
        .collect()
}

fn decode(text: &str) -> String {
    let spaced = if text.contains('+') { Cow::Owned(text.replace('+', " ")) } else { Cow::Borrowed(text) };
    percent_decode(spaced.as_bytes()).decode_utf8_lossy().into_owned()
}

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The parameters sorted by key and encoded again; values of one key are joined by `,`
/// (CONTRACT.md R20).
pub(super) fn canonical(pairs: &[Pair]) -> String {
    let mut sorted: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (key, value) in pairs {
        sorted.entry(key).or_default().push(value.as_deref().unwrap_or_default());
    }
    let encode = |text: &str| utf8_percent_encode(text, ENCODED).to_string();
    let parameters = sorted.iter().map(|(key, values)| {
        let values: Vec<_> = values.iter().map(|value| encode(value)).collect();
        format!("{}={}", encode(key), values.join(","))
    });
    parameters.collect::<Vec<_>>().join("&")
}

/// The meaning of a key (CONTRACT.md U02).
enum Key {
    Select,
    Columns,
    OnConflict,
    Order,
    Limit,
    Offset,
    Logic,
    Filter,
}

impl Key {
    fn of(key: &str) -> Self {
        match (key, key.rsplit('.').next()) {
            ("select", _) => Self::Select,
            ("columns", _) => Self::Columns,
            ("on_conflict", _) => Self::OnConflict,
            (_, Some("order")) => Self::Order,
            (_, Some("limit")) => Self::Limit,
            (_, Some("offset")) => Self::Offset,
            (_, Some("and" | "or")) => Self::Logic,
            _ => Self::Filter,
        }
    }
}

/// Parses the parameters. `function` says that those without an operator are arguments of a
/// function (CONTRACT.md C06).
/// The rows asked for at the top come apart, since the header `Range` has a say in them.
pub(super) fn parse(
    pairs: &[Pair],
    function: bool,
    values: &mut Vec<String>,
) -> Result<(Query, RequestedWindow), Error> {
    let mut asked = RequestedWindow::default();
    let mut query = Query {
        select: select::parse(first(pairs, "select").unwrap_or("*"))?,
        filters: Vec::new(),
        logic: Vec::new(),
        order: Vec::new(),
        ranges: BTreeMap::new(),
        columns: first(pairs, "columns").map(|text| names("columns parameter", text)).transpose()?,
        on_conflict: first(pairs, "on_conflict")
            .map(|text| names("on_conflict parameter", text))
            .transpose()?,
        arguments: Vec::new(),
    };
    for (key, value) in pairs {
        let Some(value) = value else { continue };
        match Key::of(key) {
            Key::Select | Key::Columns | Key::OnConflict => {}
            Key::Order => query.order.push(order(key, value)?),
            Key::Limit => limit(&mut query, &mut asked, key, value, values)?,
            Key::Offset => offset(&mut query, &mut asked, key, value, values)?,
            Key::Logic => query.logic.push(logic(key, value, values)?),
            Key::Filter => filter(&mut query, key, value, function, values)?,
        }
    }
    Ok((query, asked))
}

fn first<'a>(pairs: &'a [Pair], key: &str) -> Option<&'a str> {
    pairs.iter().find(|(found, _)| found == key).and_then(|(_, value)| value.as_deref())
}

fn names(what: &str, text: &str) -> Result<Vec<String>, Error> {
    read_or_refuse(what, text, text, &mut Vec::new(), |cursor| {
        let names = fields::list(cursor, |cursor| fields::lexeme(cursor, fields::column_name))?;
        cursor.end().map(|()| names)
    })
}

/// The path and the field that a key names, as a whole.
fn tree_path(key: &str) -> Result<(EmbedPath, Field), Error> {
    read_or_refuse("tree path", key, key, &mut Vec::new(), |cursor| {
        let mut steps = dotted(cursor)?;
        let path = fields::key_path(cursor)?;
        cursor.end()?;
        let name = steps.pop().filter(|name| name.len() <= fields::LONGEST_NAME).ok_or(Mismatch)?;
        Ok((steps, Field { name, path }))
    })
}

fn dotted(cursor: &mut Cursor<'_>) -> Parsed<Vec<String>> {
    let mut steps = vec![fields::key_name(cursor)?];
    while cursor.optional(filter::delimiter).is_some() {
        steps.push(fields::key_name(cursor)?);
    }
    Ok(steps)
}

fn order(key: &str, value: &str) -> Result<(EmbedPath, Vec<OrderTerm>), Error> {
    let (path, _) = tree_path(key)?;
    let terms = read_or_refuse("order", value, value, &mut Vec::new(), order::terms)?;
    Ok((path, terms))
}

fn limit(
    query: &mut Query,
    asked: &mut RequestedWindow,
    key: &str,
    value: &str,
    values: &mut Vec<String>,
) -> Result<(), Error> {
    let (path, _) = tree_path(key)?;
    let limit = number(key, value)?;
    match path.is_empty() {
        true => asked.limit = Some(limit),
        false => query.ranges.entry(path).or_default().limit = Some(kept(values, limit)),
    }
    Ok(())
}

fn offset(
    query: &mut Query,
    asked: &mut RequestedWindow,
    key: &str,
    value: &str,
    values: &mut Vec<String>,
) -> Result<(), Error> {
    let (path, _) = tree_path(key)?;
    let offset = number(key, value)?;
    match path.is_empty() {
        true => asked.offset = Some(offset),
        false => query.ranges.entry(path).or_default().offset = Some(kept(values, offset)),
    }
    Ok(())
}

/// Reads a whole number. A text that is no number is refused, not ignored (CONTRACT.md R01).
fn number(key: &str, value: &str) -> Result<i64, Error> {
    let text = value.trim_matches([' ', '\t']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(no_number(format!("{} must be a whole number, not '{}'", excerpt(key), excerpt(value))));
    }
    text.parse().map_err(|_| no_number(format!("{} is out of range: '{}'", excerpt(key), excerpt(value))))
}

fn no_number(message: String) -> Error {
    let details = format!("Write a whole number in digits, at most {}.", i64::MAX);
    Error::Parse(Parse { message, details })
}

fn kept(values: &mut Vec<String>, number: i64) -> ValueIndex {
    values.push(number.to_string());
    ValueIndex(values.len() - 1)
}

/// `rel.not.or=(...)`; the value is read with its operator before it, as the refusal's column
/// counts it.
fn logic(key: &str, value: &str, values: &mut Vec<String>) -> Result<(EmbedPath, Logic), Error> {
    let mut steps = read_or_refuse("logic path", key, key, &mut Vec::new(), |cursor| {
        let steps = dotted(cursor)?;
        cursor.end().map(|()| steps)
    })?;
    let operator = steps.pop().unwrap_or_default();
    let negated = steps.iter().any(|step| step == "not");
    steps.retain(|step| step != "not");
    let text = format!("{}{operator}{value}", if negated { "not." } else { "" });
    let tree = read_or_refuse("logic tree", value, &text, values, |cursor| {
        let tree = filter::logic(cursor)?;
        cursor.end().map(|()| tree)
    })?;
    Ok((steps, tree))
}

fn filter(
    query: &mut Query,
    key: &str,
    value: &str,
    function: bool,
    values: &mut Vec<String>,
) -> Result<(), Error> {
    if function {
        match cursor::read(value, values, filter::test) {
            Some(test) => {
                let (path, field) = tree_path(key)?;
                query.filters.push((path, Filter { field, test }));
            }
            None => {
                values.push(value.to_owned());
                query.arguments.push((argument(key)?, ValueIndex(values.len() - 1)));
            }
        }
        return Ok(());
    }
    let (path, field) = tree_path(key)?;
    let test = read_or_refuse("filter", value, value, values, filter::test)?;
    query.filters.push((path, Filter { field, test }));
    Ok(())
}

/// The argument that a key names: all of the key, without the quotes where it has some.
fn argument(key: &str) -> Result<String, Error> {
    match tree_path(key) {
        Ok((path, field)) if path.is_empty() && field.path.is_empty() => Ok(field.name),
        Err(error) if key.is_empty() => Err(error),
        Ok(_) | Err(_) => Ok(key.to_owned()),
    }
}
