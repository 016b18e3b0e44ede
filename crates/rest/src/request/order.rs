//! `order=` (CONTRACT.md O01 to O10).

use super::{
    cursor::{Cursor, Parsed},
    fields::{self, Field},
    filter::delimiter,
};

/// One term of `order`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OrderTerm {
    /// An embedded to-one relation whose column counts (CONTRACT.md O05).
    pub relation: Option<String>,
    /// The column.
    pub field: Field,
    /// `ASC` or `DESC`.
    pub direction: Option<&'static str>,
    /// `NULLS FIRST` or `NULLS LAST`.
    pub nulls: Option<&'static str>,
}

pub(super) fn terms(cursor: &mut Cursor<'_>) -> Parsed<Vec<OrderTerm>> {
    fields::list(cursor, |cursor| fields::lexeme(cursor, term))
}

fn term(cursor: &mut Cursor<'_>) -> Parsed<OrderTerm> {
    let (relation, field) = match cursor.optional(related) {
        Some((relation, field)) => (Some(relation), field),
        None => (None, fields::field(cursor)?),
    };
    let direction = word(cursor, &[("asc", "ASC"), ("desc", "DESC")]);
    let nulls = word(cursor, &[("nullsfirst", "NULLS FIRST"), ("nullslast", "NULLS LAST")]);
    cursor.before(&[","])?;
    Ok(OrderTerm { relation, field, direction, nulls })
}

fn related(cursor: &mut Cursor<'_>) -> Parsed<(String, Field)> {
    let relation = fields::name(cursor)?;
    cursor.char('(')?;
    let field = fields::field(cursor)?;
    cursor.char(')')?;
    Ok((relation, field))
}

fn word(cursor: &mut Cursor<'_>, words: &[(&'static str, &'static str)]) -> Option<&'static str> {
    words.iter().find_map(|(word, sql)| {
        cursor.optional(|cursor| {
            delimiter(cursor)?;
            cursor.string(word)?;
            Ok(*sql)
        })
    })
}
