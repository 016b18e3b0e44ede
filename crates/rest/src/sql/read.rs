//! Rows of relations (rest.md SQ1 to SQ4).

use super::{
    body,
    condition::{self, Place},
    writer::Sql,
};
use crate::{
    plan::{Answer, Column, Embed, Node, ReadPlan, Source, read::Value},
    request::{Range, preferences::Count, select::Join},
    settings::Settings,
};

/// The rows that a statement reads, writes or gets from a function.
pub(super) const RESULT: &str = "pgrst_source";

/// Column of an embedded to-many relation's rows, as JSON.
pub(super) const ROWS: &str = "pgrst_rows";

/// Column of the number of rows of a to-many relation whose columns are lifted.
pub(super) const ROW_COUNT: &str = "pgrst_row_count";

/// The statement of a read.
pub(super) fn statement(plan: &ReadPlan, settings: &Settings) -> Sql {
    let mut sql = Sql::default();
    explain(&mut sql, &plan.answer);
    sql.push("WITH ").push(RESULT).push(" AS (");
    select(&mut sql, &plan.node);
    sql.push(") SELECT ");
    total(&mut sql, &plan.node, plan.count, plan.range, settings, "count(*)");
    sql.push(", count(*)");
    body::response_settings(&mut sql);
    sql.push(", null, null, ");
    body::of_rows(&mut sql, &plan.answer.format);
    sql.push(" FROM ").push(RESULT).push(" AS ").push(body::ROW);
    sql
}

/// `EXPLAIN`, where the plan is asked for and not the rows (rest.md N11).
pub(super) fn explain(sql: &mut Sql, answer: &Answer) {
    let Some(explain) = &answer.explain else { return };
    sql.push("EXPLAIN (FORMAT ").push(if explain.json { "JSON" } else { "TEXT" });
    for option in explain.options.names() {
        sql.push(", ").push(&option.to_uppercase());
    }
    sql.push(") ");
}

/// The number of all rows, where it is wanted (rest.md R11, R13, R21).
pub(super) fn total(
    sql: &mut Sql,
    node: &Node,
    wanted: Option<Count>,
    range: Range,
    settings: &Settings,
    page: &str,
) {
    match wanted {
        None | Some(Count::Planned) => {
            sql.push("null::bigint");
        }
        Some(Count::Exact | Count::Estimated) if range.is_all() && settings.max_rows.is_none() => {
            sql.push(page);
        }
        Some(wanted) => {
            sql.push("(SELECT count(*) FROM (");
            count(sql, node);
            if let (Count::Estimated, Some(rows)) = (wanted, settings.max_rows) {
                sql.push(" LIMIT ").fixed((rows + 1).to_string());
            }
            sql.push(") AS pgrst_counted)");
        }
    }
}

/// `SELECT` of a node with all it embeds.
pub(super) fn select(sql: &mut Sql, node: &Node) {
    sql.push("SELECT ");
    outputs(sql, node);
    from(sql, node);
    for embed in &node.embeds {
        join(sql, embed);
    }
    if !node.conditions.is_empty() {
        sql.push(" WHERE ");
        conditions(sql, node, Place::Joined(node));
    }
    condition::order(sql, node);
    range(sql, node.range);
}

fn outputs(sql: &mut Sql, node: &Node) {
    if node.columns.is_empty() && node.embeds.is_empty() {
        sql.column(&node.alias, "*");
        return;
    }
    let mut first = true;
    for column in &node.columns {
        separate(sql, &mut first);
        output(sql, &node.alias, column);
    }
    for embed in &node.embeds {
        embedded_output(sql, embed, &mut first);
    }
}

fn separate(sql: &mut Sql, first: &mut bool) {
    if !std::mem::replace(first, false) {
        sql.push(", ");
    }
}

fn output(sql: &mut Sql, table: &str, column: &Column) {
    sql.push(if column.cast.is_some() { "CAST(" } else { "" });
    represented(sql, table, &column.value);
    if let Some(cast) = &column.cast {
        sql.push(" AS ").type_name(cast).push(")");
    }
    let changed = column.cast.is_some() || column.value.represent.is_some();
    let unnamed = changed.then_some(&column.value.field.name);
    if let Some(alias) = column.alias.as_ref().or(unnamed) {
        sql.push(" AS ").name(alias);
    }
}

/// The value, by way of the function that makes JSON of its domain (rest.md N22).
fn represented(sql: &mut Sql, table: &str, value: &Value) {
    if let Some(function) = &value.represent {
        sql.qualified(function).push("(");
    }
    condition::value(sql, table, value);
    sql.push(if value.represent.is_some() { ")" } else { "" });
}

fn embedded_output(sql: &mut Sql, embed: &Embed, first: &mut bool) {
    if embed.spread {
        for name in output_names(&embed.node) {
            separate(sql, first);
            sql.column(&embed.handle, &name);
        }
        return;
    }
    if embed.node.is_empty() {
        return;
    }
    separate(sql, first);
    match embed.to_one {
        true => sql.push("row_to_json(").name(&embed.handle).push(".*)"),
        false => sql.push("COALESCE(").column(&embed.handle, ROWS).push(", '[]')"),
    };
    sql.push(" AS ").name(&embed.key);
}

/// Names of a node's columns, as its parent finds them.
fn output_names(node: &Node) -> Vec<String> {
    if node.selects_all() {
        return vec!["*".to_owned()];
    }
    let own = node.columns.iter().map(|it| it.alias.clone().unwrap_or_else(|| it.value.field.name.clone()));
    let mut names: Vec<String> = own.collect();
    for embed in &node.embeds {
        match embed.spread {
            true => names.extend(output_names(&embed.node)),
            false if embed.node.is_empty() => {}
            false => names.push(embed.key.clone()),
        }
    }
    names
}

fn from(sql: &mut Sql, node: &Node) {
    sql.push(" FROM ");
    match &node.source {
        Source::Relation(name) => sql.qualified(name),
        Source::Result => sql.push(RESULT),
        Source::Computed { function, argument, row_type } => {
            sql.qualified(function).push("(").name(argument).push("::").qualified(row_type).push(")")
        }
    };
    sql.push(" AS ").name(&node.alias);
}

fn join(sql: &mut Sql, embed: &Embed) {
    let inner = embed.join == Join::Inner;
    sql.push(if inner { " INNER JOIN LATERAL (" } else { " LEFT JOIN LATERAL (" });
    match (embed.to_one, embed.spread) {
        (true, _) => embedded_select(sql, embed),
        (false, false) => {
            sql.push("SELECT json_agg(").name(&embed.handle).push(".*) AS ").name(ROWS).push(" FROM (");
            embedded_select(sql, embed);
            sql.push(") AS ").name(&embed.handle);
        }
        (false, true) => spread_rows(sql, embed),
    }
    sql.push(") AS ").name(&embed.handle).push(" ON ");
    match (inner && !embed.to_one, embed.spread) {
        (true, false) => sql.column(&embed.handle, ROWS).push(" IS NOT NULL"),
        (true, true) => sql.column(&embed.handle, ROW_COUNT).push(" > 0"),
        (false, _) => sql.push("TRUE"),
    };
}

/// Each column as an array, in the rows' order (rest.md D04).
fn spread_rows(sql: &mut Sql, embed: &Embed) {
    sql.push("SELECT count(*) AS ").name(ROW_COUNT);
    for name in output_names(&embed.node) {
        sql.push(", COALESCE(json_agg(").column(&embed.handle, &name).push("), '[]') AS ").name(&name);
    }
    sql.push(" FROM (");
    embedded_select(sql, embed);
    sql.push(") AS ").name(&embed.handle);
}

/// The embedded rows that belong to the parent's row.
fn embedded_select(sql: &mut Sql, embed: &Embed) {
    let node = &embed.node;
    sql.push("SELECT ");
    outputs(sql, node);
    from(sql, node);
    junction(sql, embed);
    for embed in &node.embeds {
        join(sql, embed);
    }
    embedded_where(sql, embed, Place::Joined(node));
    condition::order(sql, node);
    range(sql, node.range);
}

fn junction(sql: &mut Sql, embed: &Embed) {
    if let Some((relation, alias)) = &embed.junction {
        sql.push(" CROSS JOIN ").qualified(relation).push(" AS ").name(alias);
    }
}

fn embedded_where(sql: &mut Sql, embed: &Embed, place: Place<'_>) {
    let mut word = " WHERE ";
    for ((one, one_column), (two, two_column)) in &embed.on {
        sql.push(word).column(one, one_column).push(" = ").column(two, two_column);
        word = " AND ";
    }
    if !embed.node.conditions.is_empty() {
        sql.push(word);
        conditions(sql, &embed.node, place);
        word = " AND ";
    }
    if let Place::Counted(node) = place {
        inner_embeds(sql, node, word);
    }
}

fn conditions(sql: &mut Sql, node: &Node, place: Place<'_>) {
    sql.join(" AND ", &node.conditions, |sql, it| condition::condition(sql, &node.alias, it, place));
}

/// All rows of a node, without limit: inner joins and null filters become `EXISTS` (rest.md R11).
pub(super) fn count(sql: &mut Sql, node: &Node) {
    sql.push("SELECT 1");
    from(sql, node);
    let mut word = " WHERE ";
    if !node.conditions.is_empty() {
        sql.push(word);
        conditions(sql, node, Place::Counted(node));
        word = " AND ";
    }
    inner_embeds(sql, node, word);
}

fn inner_embeds(sql: &mut Sql, node: &Node, word: &str) {
    let mut word = word;
    for embed in node.embeds.iter().filter(|embed| embed.join == Join::Inner) {
        sql.push(word).push("EXISTS (");
        count_embedded(sql, embed);
        sql.push(")");
        word = " AND ";
    }
}

/// The embedded rows that belong to the parent's row, for `EXISTS`.
pub(super) fn count_embedded(sql: &mut Sql, embed: &Embed) {
    sql.push("SELECT 1");
    from(sql, &embed.node);
    junction(sql, embed);
    embedded_where(sql, embed, Place::Counted(&embed.node));
}

fn range(sql: &mut Sql, range: Range) {
    if let Some(limit) = range.limit {
        sql.push(" LIMIT ").fixed(limit.to_string());
    }
    if range.offset != 0 {
        sql.push(" OFFSET ").fixed(range.offset.to_string());
    }
}
