//! `select=` (CONTRACT.md S01 to S19).

use super::{
    cursor::{self, Cursor, Mismatch, Parsed},
    fields::{self, Field},
};
use crate::error::Error;

/// One item of `select`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SelectItem {
    /// A column, or an aggregate of one.
    Column(SelectColumn),
    /// An embedded relation.
    Embed(SelectEmbed),
}

/// `alias:column->path::cast.aggregate()::cast`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SelectColumn {
    /// The column; `*` is all.
    pub field: Field,
    /// Name in the answer.
    pub alias: Option<String>,
    /// Type the value is cast to: letters, digits, `_`, `$` and blanks only.
    pub cast: Option<String>,
    /// Aggregate over the value.
    pub aggregate: Option<Aggregate>,
}

/// An aggregate function and the type its result is cast to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Aggregate {
    /// `sum`, `avg`, `count`, `max` or `min`; also the name in the answer where no other is given
    /// (CONTRACT.md A03).
    pub function: &'static str,
    /// Type of the result, limited as [`SelectColumn::cast`].
    pub cast: Option<String>,
}

/// `alias:target!hint!inner(select)` or `...target(select)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SelectEmbed {
    /// Relation, foreign key or computed relationship, as written.
    pub target: String,
    /// Key in the answer.
    pub alias: Option<String>,
    /// Names the relationship, if several lead to the target.
    pub hint: Option<String>,
    /// Whether rows without a match are dropped.
    pub join: Join,
    /// `...`: its columns are lifted into the parent.
    pub spread: bool,
    /// The parts of it to select.
    pub select: Vec<SelectItem>,
}

/// How an embedded relation is joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Join {
    /// Rows without a match stay.
    #[default]
    Left,
    /// Rows without a match are dropped.
    Inner,
}

const AGGREGATES: [&str; 5] = ["sum", "avg", "count", "max", "min"];

/// Parses the value of `select`.
pub(crate) fn parse(text: &str) -> Result<Vec<SelectItem>, Error> {
    cursor::read_or_refuse("select parameter", text, text, &mut Vec::new(), |cursor| {
        let items = items(cursor)?;
        cursor.end().map(|()| items)
    })
}

fn items(cursor: &mut Cursor<'_>) -> Parsed<Vec<SelectItem>> {
    fields::blanks(cursor);
    if cursor.at_end() || cursor.peek() == Some(')') {
        return Ok(Vec::new());
    }
    fields::list(cursor, item)
}

fn item(cursor: &mut Cursor<'_>) -> Parsed<SelectItem> {
    if let Some(mut embed) = cursor.optional(spread).or_else(|| cursor.optional(embed)) {
        cursor.embed()?;
        cursor.char('(')?;
        embed.select = cursor.nested(cursor::DEEPEST_EMBED, items)?;
        cursor.char(')')?;
        fields::blanks(cursor);
        return Ok(SelectItem::Embed(embed));
    }
    fields::lexeme(cursor, column).map(SelectItem::Column)
}

fn spread(cursor: &mut Cursor<'_>) -> Parsed<SelectEmbed> {
    fields::blanks(cursor);
    cursor.string("...")?;
    let target = fields::name(cursor)?;
    embed_rest(cursor, target, None, true)
}

fn embed(cursor: &mut Cursor<'_>) -> Parsed<SelectEmbed> {
    fields::blanks(cursor);
    let alias = alias(cursor);
    let target = fields::name(cursor)?;
    if target == "count" {
        return Err(Mismatch);
    }
    embed_rest(cursor, target, alias, false)
}

fn embed_rest(
    cursor: &mut Cursor<'_>,
    target: String,
    alias: Option<String>,
    spread: bool,
) -> Parsed<SelectEmbed> {
    let mut embed = SelectEmbed { target, alias, hint: None, join: Join::Left, spread, select: Vec::new() };
    for _ in 0..2 {
        if cursor.peek() == Some('!') {
            cursor.char('!')?;
            embed_parameter(cursor, &mut embed)?;
        }
    }
    fields::blanks(cursor);
    if cursor.peek() == Some('(') { Ok(embed) } else { Err(Mismatch) }
}

fn embed_parameter(cursor: &mut Cursor<'_>, embed: &mut SelectEmbed) -> Parsed<()> {
    match fields::name(cursor)?.as_str() {
        "inner" => embed.join = Join::Inner,
        "left" => embed.join = Join::Left,
        hint => embed.hint = embed.hint.take().or_else(|| Some(hint.to_owned())),
    }
    Ok(())
}

/// `name:` where no `::` follows.
fn alias(cursor: &mut Cursor<'_>) -> Option<String> {
    cursor.optional(|cursor| {
        let name = fields::name(cursor)?;
        cursor.char(':')?;
        if cursor.peek() == Some(':') { Err(Mismatch) } else { Ok(name) }
    })
}

fn column(cursor: &mut Cursor<'_>) -> Parsed<SelectColumn> {
    cursor.optional(star).or_else(|| cursor.optional(count)).map_or_else(|| plain_column(cursor), Ok)
}

fn star(cursor: &mut Cursor<'_>) -> Parsed<SelectColumn> {
    cursor.string("*")?;
    item_end(cursor)?;
    Ok(SelectColumn { field: Field::column("*"), alias: None, cast: None, aggregate: None })
}

fn count(cursor: &mut Cursor<'_>) -> Parsed<SelectColumn> {
    let alias = alias(cursor);
    cursor.string("count()")?;
    let cast = cast(cursor)?;
    item_end(cursor)?;
    let aggregate = Some(Aggregate { function: "count", cast });
    Ok(SelectColumn { field: Field::column("*"), alias, cast: None, aggregate })
}

fn plain_column(cursor: &mut Cursor<'_>) -> Parsed<SelectColumn> {
    let alias = alias(cursor);
    let field = fields::field(cursor)?;
    let value_cast = cast(cursor)?;
    let function = cursor.optional(aggregate);
    let aggregate = match function {
        Some(function) => Some(Aggregate { function, cast: cast(cursor)? }),
        None => None,
    };
    item_end(cursor)?;
    Ok(SelectColumn { field, alias, cast: value_cast, aggregate })
}

fn cast(cursor: &mut Cursor<'_>) -> Parsed<Option<String>> {
    match cursor.optional(|c| c.string("::")) {
        Some(()) => fields::identifier(cursor).map(Some),
        None => Ok(None),
    }
}

fn aggregate(cursor: &mut Cursor<'_>) -> Parsed<&'static str> {
    cursor.char('.')?;
    let function = AGGREGATES.into_iter().find(|name| cursor.string(name).is_ok()).ok_or(Mismatch)?;
    cursor.string("()")?;
    Ok(function)
}

fn item_end(cursor: &mut Cursor<'_>) -> Parsed<()> {
    cursor.before(&[")", ","])
}
