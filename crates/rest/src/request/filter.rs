//! Filters and logic trees (CONTRACT.md F01 to F28).

use super::{
    ValueIndex,
    cursor::{self, Cursor, Mismatch, Parsed},
    fields::{self, Field},
};

/// A condition on one column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Filter {
    /// The compared field.
    pub field: Field,
    /// With what, and how.
    pub test: Test,
}

/// An operation, perhaps negated.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Test {
    /// `not.`
    pub negated: bool,
    /// The operation.
    pub operation: Operation,
}

/// A test of a column's value. Values are kept apart, by their [`ValueIndex`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A binary operator, perhaps over any or all elements of an array.
    Compare(Operator, Option<Quantifier>, ValueIndex),
    /// Equal to one element of the array.
    In(ValueIndex),
    /// `IS NULL` and its kin.
    Is(&'static str),
    /// `IS DISTINCT FROM`.
    DistinctFrom(ValueIndex),
    /// Full-text search by the query function; the language is a value too.
    Search(&'static str, Option<ValueIndex>, ValueIndex),
}

/// A binary operator by its SQL form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operator {
    /// The operator as SQL writes it.
    pub sql: &'static str,
    /// Whether `*` in its value stands for `%`.
    pub pattern: bool,
}

/// The elements of an array for which an operator must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// At least one.
    Any,
    /// Every one.
    All,
}

/// Conditions joined by `and` and `or`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Logic {
    /// One condition.
    Filter(Filter),
    /// Several, joined.
    Tree {
        /// `not.` before it.
        negated: bool,
        /// `or` in place of `and`.
        any: bool,
        /// At least one member.
        members: Vec<Logic>,
    },
}

/// Operators that take a modifier, longer names before their beginnings.
const QUANTIFIED: [(&str, &str, bool); 9] = [
    ("imatch", "~*", false),
    ("match", "~", false),
    ("ilike", "ILIKE", true),
    ("like", "LIKE", true),
    ("eq", "=", false),
    ("gte", ">=", false),
    ("gt", ">", false),
    ("lte", "<=", false),
    ("lt", "<", false),
];

const SIMPLE: [(&str, &str); 9] = [
    ("neq", "<>"),
    ("cs", "@>"),
    ("cd", "<@"),
    ("ov", "&&"),
    ("sl", "<<"),
    ("sr", ">>"),
    ("nxr", "&<"),
    ("nxl", "&>"),
    ("adj", "-|-"),
];

const SEARCHES: [(&str, &str); 4] = [
    ("fts", "to_tsquery"),
    ("plfts", "plainto_tsquery"),
    ("phfts", "phraseto_tsquery"),
    ("wfts", "websearch_to_tsquery"),
];

const IS_VALUES: [(&str, &str); 5] = [
    ("not_null", "NOT NULL"),
    ("null", "NULL"),
    ("true", "TRUE"),
    ("false", "FALSE"),
    ("unknown", "UNKNOWN"),
];

/// How a rule reads the value after an operator's dot.
type ValueRule = fn(&mut Cursor<'_>) -> Parsed<String>;

/// `[not.]operator[(modifier)].value` with the value up to the end.
pub(super) fn test(cursor: &mut Cursor<'_>) -> Parsed<Test> {
    let test = test_with(cursor, |cursor| Ok(cursor.take_rest().to_owned()))?;
    cursor.end().map(|()| test)
}

fn test_with(cursor: &mut Cursor<'_>, value: ValueRule) -> Parsed<Test> {
    let negated = cursor.optional(not).is_some();
    let operation = cursor.named("operator (eq, gt, ...)", |cursor| operation(cursor, value))?;
    Ok(Test { negated, operation })
}

fn not(cursor: &mut Cursor<'_>) -> Parsed<()> {
    cursor.string("not")?;
    delimiter(cursor)
}

pub(super) fn delimiter(cursor: &mut Cursor<'_>) -> Parsed<()> {
    cursor.named("delimiter (.)", |cursor| cursor.char('.'))
}

fn operation(cursor: &mut Cursor<'_>, value: ValueRule) -> Parsed<Operation> {
    let keyword = |cursor: &mut Cursor<'_>, word| {
        cursor.optional(|c| c.string(word).and_then(|()| delimiter(c))).is_some()
    };
    if keyword(cursor, "in") {
        return in_list(cursor);
    }
    if keyword(cursor, "isdistinct") {
        let value = value(cursor)?;
        return Ok(Operation::DistinctFrom(cursor.keep(value)));
    }
    if keyword(cursor, "is") {
        return is_value(cursor);
    }
    cursor
        .attempt(|c| search(c, value))
        .or_else(|_| cursor.attempt(|c| simple(c, value)))
        .or_else(|_| cursor.attempt(|c| quantified(c, value)))
}

fn simple(cursor: &mut Cursor<'_>, value: ValueRule) -> Parsed<Operation> {
    let (_, sql) = SIMPLE.into_iter().find(|(name, _)| cursor.string(name).is_ok()).ok_or(Mismatch)?;
    delimiter(cursor)?;
    let value = value(cursor)?;
    Ok(Operation::Compare(Operator { sql, pattern: false }, None, cursor.keep(value)))
}

fn quantified(cursor: &mut Cursor<'_>, value: ValueRule) -> Parsed<Operation> {
    let (_, sql, pattern) =
        QUANTIFIED.into_iter().find(|(name, _, _)| cursor.string(name).is_ok()).ok_or(Mismatch)?;
    let quantifier = cursor.optional(quantifier);
    delimiter(cursor)?;
    let value = value(cursor)?;
    let value = if pattern { value.replace('*', "%") } else { value };
    Ok(Operation::Compare(Operator { sql, pattern }, quantifier, cursor.keep(value)))
}

fn quantifier(cursor: &mut Cursor<'_>) -> Parsed<Quantifier> {
    cursor.char('(')?;
    let any = cursor.optional(|c| c.string("any")).map(|()| Quantifier::Any);
    let quantifier = match any {
        Some(any) => any,
        None => cursor.string("all").map(|()| Quantifier::All)?,
    };
    cursor.char(')')?;
    Ok(quantifier)
}

fn search(cursor: &mut Cursor<'_>, value: ValueRule) -> Parsed<Operation> {
    let (_, function) = SEARCHES.into_iter().find(|(name, _)| cursor.string(name).is_ok()).ok_or(Mismatch)?;
    let language = cursor.optional(|cursor| {
        cursor.char('(')?;
        let language = fields::identifier(cursor)?;
        cursor.char(')')?;
        Ok(language)
    });
    delimiter(cursor)?;
    let value = value(cursor)?;
    let language = language.map(|language| cursor.keep(language));
    Ok(Operation::Search(function, language, cursor.keep(value)))
}

fn is_value(cursor: &mut Cursor<'_>) -> Parsed<Operation> {
    cursor.named("isVal: (null, not_null, true, false, unknown)", |cursor| {
        let rest = cursor.rest();
        let matching = IS_VALUES
            .into_iter()
            .find(|(word, _)| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)));
        let Some((word, sql)) = matching else {
            return cursor.satisfy(None, |_| false).map(|_| Operation::Is(""));
        };
        for _ in 0..word.len() {
            cursor.satisfy(None, |_| true)?;
        }
        Ok(Operation::Is(sql))
    })
}

/// `(a,"b,c")` as an array literal of PostgreSQL; `()` and `("")` are the empty one
/// (CONTRACT.md F09).
fn in_list(cursor: &mut Cursor<'_>) -> Parsed<Operation> {
    fields::lexeme(cursor, |c| c.char('('))?;
    let mut elements = vec![element(cursor)?];
    while cursor.optional(|c| c.char(',')).is_some() {
        elements.push(element(cursor)?);
    }
    fields::lexeme(cursor, |c| c.char(')'))?;
    let literal = if elements == [""] { "{}".to_owned() } else { array_literal(&elements) };
    Ok(Operation::In(cursor.keep(literal)))
}

fn element(cursor: &mut Cursor<'_>) -> Parsed<String> {
    cursor.attempt(quoted_element).or_else(|_| bare_element(cursor))
}

/// A quoted text, if `,`, `)` or the end follows its closing quote (CONTRACT.md F10).
fn quoted_element(cursor: &mut Cursor<'_>) -> Parsed<String> {
    let text = fields::quoted(cursor)?;
    match cursor.peek() {
        None | Some(',' | ')') => Ok(text),
        Some(_) => Err(Mismatch),
    }
}

fn bare_element(cursor: &mut Cursor<'_>) -> Parsed<String> {
    let mut text = String::new();
    while let Ok(found) = cursor.satisfy(None, |c| c != ',' && c != ')') {
        text.push(found);
    }
    Ok(text)
}

fn array_literal(elements: &[String]) -> String {
    let quoted = |element: &String| format!("\"{}\"", element.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", elements.iter().map(quoted).collect::<Vec<_>>().join(","))
}

/// `and(...)`, `not.or(...)` or `column.operator.value`.
pub(super) fn logic(cursor: &mut Cursor<'_>) -> Parsed<Logic> {
    if let Some(filter) = cursor.optional(member) {
        return Ok(Logic::Filter(filter));
    }
    let negated = cursor.optional(|c| c.named("negation operator (not)", |c| c.attempt(not))).is_some();
    let any =
        cursor.named("logic operator (and, or)", |cursor| match cursor.optional(|c| c.string("and")) {
            Some(()) => Ok(false),
            None => cursor.string("or").map(|()| true),
        })?;
    fields::lexeme(cursor, |c| c.char('('))?;
    let members = cursor.nested(cursor::DEEPEST_TREE, |cursor| fields::list(cursor, logic))?;
    fields::lexeme(cursor, |c| c.char(')'))?;
    Ok(Logic::Tree { negated, any, members })
}

fn member(cursor: &mut Cursor<'_>) -> Parsed<Filter> {
    let field = fields::field(cursor)?;
    delimiter(cursor)?;
    Ok(Filter { field, test: test_with(cursor, member_value)? })
}

/// Up to `,` or `)`; `"..."` and `{...}` are taken whole (CONTRACT.md F23).
fn member_value(cursor: &mut Cursor<'_>) -> Parsed<String> {
    cursor.attempt(quoted_element).or_else(|_| cursor.attempt(braced)).or_else(|_| bare_element(cursor))
}

fn braced(cursor: &mut Cursor<'_>) -> Parsed<String> {
    cursor.char('{')?;
    let mut text = String::from("{");
    while let Ok(found) = cursor.satisfy(None, |c| c != '{' && c != '}') {
        text.push(found);
    }
    cursor.char('}')?;
    text.push('}');
    Ok(text)
}
