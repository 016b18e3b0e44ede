//! Rows of relations (CONTRACT.md SQ1 to SQ4).

use super::{
    Bind, body,
    condition::{self, QueryKind},
    writer::Sql,
};
use crate::{
    plan::{Answer, Column, Embed, Node, ReadPlan, Source, read::Value},
    request::{
        Window,
        preferences::Count,
        select::{Aggregate, Join},
    },
    settings::Settings,
};

/// The rows that a statement reads, writes or gets from a function.
pub(super) const RESULT: &str = "pgrst_source";

/// Column of an embedded to-many relation's rows, as JSON.
pub(super) const ROWS: &str = "pgrst_rows";

/// Column of the number of rows of a to-many relation whose columns are lifted.
pub(super) const ROW_COUNT: &str = "pgrst_row_count";

/// Makes JSON of a value that is or holds some of the type `json`: that has no equality, so rows
/// cannot be grouped by it (CONTRACT.md A06).
fn comparable(sql: &mut Sql, needed: bool, write: impl FnOnce(&mut Sql)) {
    sql.push(if needed { "to_jsonb(" } else { "" });
    write(sql);
    sql.push(if needed { ")" } else { "" });
}

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

/// `EXPLAIN`, where the plan is asked for and not the rows (CONTRACT.md N11).
pub(super) fn explain(sql: &mut Sql, answer: &Answer) {
    let Some(explain) = &answer.explain else { return };
    sql.push("EXPLAIN (FORMAT ").push(if explain.json { "JSON" } else { "TEXT" });
    for option in explain.options.names() {
        sql.push(", ").push(&option.to_uppercase());
    }
    sql.push(") ");
}

/// The number of all rows, where it is wanted (CONTRACT.md R11, R13, R21).
pub(super) fn total(
    sql: &mut Sql,
    node: &Node,
    wanted: Option<Count>,
    range: Window,
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
    let groups = outputs(sql, node);
    from(sql, node);
    for embed in &node.embeds {
        join(sql, embed);
    }
    if !node.conditions.is_empty() {
        sql.push(" WHERE ");
        conditions(sql, node, QueryKind::Joined(node));
    }
    finish(sql, node, &groups);
}

/// Writes the clauses after the conditions: groups, order, range.
fn finish(sql: &mut Sql, node: &Node, groups: &[usize]) {
    if node.is_grouped() && !groups.is_empty() {
        sql.push(" GROUP BY ").join(", ", groups, |sql, place| {
            sql.push(&place.to_string());
        });
    }
    condition::order(sql, node);
    range(sql, node);
}

/// Writes the select list. It returns the positions of the columns that are no aggregates: the text
/// of a JSON path cannot be repeated because it has parameters, and an alias may also be the name
/// of a column (CONTRACT.md A06).
fn outputs(sql: &mut Sql, node: &Node) -> Vec<usize> {
    let mut outputs = Outputs { count: 0, groups: Vec::new() };
    if node.columns.is_empty() && node.embeds.is_empty() {
        sql.column(&node.alias, "*");
        return outputs.groups;
    }
    let grouped = node.is_grouped();
    for column in &node.columns {
        outputs.begin(sql, column.aggregate.is_none());
        output(sql, &node.alias, column, grouped);
    }
    for embed in &node.embeds {
        embedded_output(sql, embed, grouped, &mut outputs);
    }
    outputs.groups
}

/// The selected columns so far.
struct Outputs {
    count: usize,
    groups: Vec<usize>,
}

impl Outputs {
    fn begin(&mut self, sql: &mut Sql, is_group: bool) {
        if self.count > 0 {
            sql.push(", ");
        }
        self.count += 1;
        if is_group {
            self.groups.push(self.count);
        }
    }
}

fn output(sql: &mut Sql, table: &str, column: &Column, grouped: bool) {
    let compared = grouped && column.json && column.aggregate.is_none() && !column.whole_row;
    match &column.aggregate {
        None => comparable(sql, compared, |sql| casted(sql, table, column)),
        Some(aggregate) => aggregated(sql, aggregate, |sql| match column.value.field.name.as_str() {
            "*" => {
                sql.push("*");
            }
            _ => casted(sql, table, column),
        }),
    }
    let changed = column.cast.is_some() || column.value.represent.is_some() || column.aggregate.is_some();
    if let Some(alias) = column.alias.as_deref().or((changed || compared).then(|| column.name())) {
        sql.push(" AS ").name(alias);
    }
}

fn casted(sql: &mut Sql, table: &str, column: &Column) {
    if column.whole_row {
        sql.name(table);
        return;
    }
    sql.push(if column.cast.is_some() { "CAST(" } else { "" });
    represented(sql, table, &column.value);
    if let Some(cast) = &column.cast {
        sql.push(" AS ").type_name(cast).push(")");
    }
}

/// An aggregate of what `write` writes.
fn aggregated(sql: &mut Sql, aggregate: &Aggregate, write: impl FnOnce(&mut Sql)) {
    sql.push(if aggregate.cast.is_some() { "CAST(" } else { "" });
    sql.push(aggregate.function).push("(");
    write(sql);
    sql.push(")");
    if let Some(cast) = &aggregate.cast {
        sql.push(" AS ").type_name(cast).push(")");
    }
}

/// The value, by way of the function that makes JSON of its domain (CONTRACT.md N22).
fn represented(sql: &mut Sql, table: &str, value: &Value) {
    if let Some(function) = &value.represent {
        sql.qualified(function).push("(");
    }
    condition::value(sql, table, value);
    sql.push(if value.represent.is_some() { ")" } else { "" });
}

fn embedded_output(sql: &mut Sql, embed: &Embed, grouped: bool, outputs: &mut Outputs) {
    if embed.spread {
        for column in &embed.lifted {
            outputs.begin(sql, column.aggregate.is_none());
            match &column.aggregate {
                None => {
                    let compared = grouped && column.json;
                    comparable(sql, compared, |sql| {
                        sql.column(&embed.handle, &column.name);
                    });
                    if compared {
                        sql.push(" AS ").name(&column.name);
                    }
                }
                Some(aggregate) => {
                    aggregated(sql, aggregate, |sql| {
                        sql.column(&embed.handle, &column.name);
                    });
                    sql.push(" AS ").name(&column.name);
                }
            }
        }
        return;
    }
    if embed.node.is_empty() {
        return;
    }
    outputs.begin(sql, true);
    comparable(sql, grouped, |sql| {
        match embed.to_one {
            true => sql.push("row_to_json(").name(&embed.handle).push(".*)"),
            false => sql.push("COALESCE(").column(&embed.handle, ROWS).push(", '[]')"),
        };
    });
    sql.push(" AS ").name(&embed.key);
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

/// Each column as an array, in the rows' order (CONTRACT.md D04).
fn spread_rows(sql: &mut Sql, embed: &Embed) {
    sql.push("SELECT count(*) AS ").name(ROW_COUNT);
    for column in &embed.lifted {
        sql.push(", COALESCE(json_agg(").column(&embed.handle, &column.name).push("), '[]') AS ");
        sql.name(&column.name);
    }
    sql.push(" FROM (");
    embedded_select(sql, embed);
    sql.push(") AS ").name(&embed.handle);
}

/// The embedded rows that belong to the parent's row.
fn embedded_select(sql: &mut Sql, embed: &Embed) {
    let node = &embed.node;
    sql.push("SELECT ");
    let groups = outputs(sql, node);
    from(sql, node);
    junction(sql, embed);
    for embed in &node.embeds {
        join(sql, embed);
    }
    embedded_where(sql, embed, QueryKind::Joined(node));
    finish(sql, node, &groups);
}

fn junction(sql: &mut Sql, embed: &Embed) {
    if let Some((relation, alias)) = &embed.junction {
        sql.push(" CROSS JOIN ").qualified(relation).push(" AS ").name(alias);
    }
}

fn embedded_where(sql: &mut Sql, embed: &Embed, place: QueryKind<'_>) {
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
    if let QueryKind::Counted(node) = place {
        inner_embeds(sql, node, word);
    }
}

fn conditions(sql: &mut Sql, node: &Node, place: QueryKind<'_>) {
    sql.join(" AND ", &node.conditions, |sql, it| condition::condition(sql, &node.alias, it, place));
}

/// All rows of a node, without limit: inner joins and null filters become `EXISTS`
/// (CONTRACT.md R11).
pub(super) fn count(sql: &mut Sql, node: &Node) {
    sql.push("SELECT 1");
    from(sql, node);
    let mut word = " WHERE ";
    if !node.conditions.is_empty() {
        sql.push(word);
        conditions(sql, node, QueryKind::Counted(node));
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
    embedded_where(sql, embed, QueryKind::Counted(&embed.node));
}

fn range(sql: &mut Sql, node: &Node) {
    match (node.range.limit, node.most) {
        (None, None) => {}
        (None, Some(most)) => {
            sql.push(" LIMIT ").fixed(most.to_string());
        }
        (Some(limit), None) => {
            sql.push(" LIMIT ").bind(Bind::Value(limit));
        }
        (Some(limit), Some(most)) => {
            sql.push(" LIMIT ").bind(Bind::AtMost(limit, most));
        }
    }
    if let Some(offset) = node.range.offset {
        sql.push(" OFFSET ").bind(Bind::Value(offset));
    }
}
