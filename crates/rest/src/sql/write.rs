//! Changes of relations (CONTRACT.md SQ5).

use super::{
    Bind, body, checks,
    condition::{self, QueryKind},
    read,
    writer::Sql,
};
use crate::{
    plan::{Conflict, Format, WriteKind, WritePlan},
    request::action::Mutation,
    schema::relations::Column,
};

/// The rows of the body.
const BODY: &str = "pgrst_body";

/// The statement of a write.
pub(super) fn statement(plan: &WritePlan) -> Sql {
    let mut sql = Sql::default();
    read::explain(&mut sql, &plan.answer);
    change(&mut sql, plan);
    sql
}

/// The statement without the question for its plan.
pub(super) fn change(sql: &mut Sql, plan: &WritePlan) {
    sql.push("WITH ").push(read::RESULT).push(" AS (");
    match &plan.kind {
        WriteKind::Insert(conflict) => insert(sql, plan, conflict.as_ref()),
        WriteKind::Update if plan.columns.is_empty() => nothing(sql, plan),
        WriteKind::Update => update(sql, plan),
        WriteKind::Delete => delete(sql, plan),
    }
    sql.push(") SELECT null::bigint, count(*)");
    body::response_settings(sql);
    location(sql, plan);
    sql.push(if counts_inserted(plan) { ", " } else { ", null" });
    if counts_inserted(plan) {
        sql.push(INSERTED);
    }
    checks::columns(sql, &plan.checks);
    sql.push(", ");
    body::of_rows(sql, &plan.answer.format);
    sql.push(" FROM (");
    if plan.answer.format == Format::None {
        sql.push("SELECT * FROM ").push(read::RESULT);
    } else {
        read::select(sql, &plan.node);
    }
    sql.push(") AS ").push(body::ROW);
}

/// Rows that were new to an upsert, as the statement counts them.
const INSERTED: &str = "nullif(current_setting('pgrst.inserted', true), '')::int";

fn counts_inserted(plan: &WritePlan) -> bool {
    matches!(&plan.kind, WriteKind::Insert(Some(Conflict { merge: true, .. })))
}

/// One more row, or, where it met a row of its key, one less. Always true.
fn count_inserted(sql: &mut Sql, one: &str, never: &str) {
    sql.push("set_config('pgrst.inserted', (coalesce(").push(INSERTED).push(", 0) ").push(one);
    sql.push(")::text, true) <> '").push(never).push("'");
}

fn insert(sql: &mut Sql, plan: &WritePlan, conflict: Option<&Conflict>) {
    sql.push("INSERT INTO ").qualified(&plan.relation).push(" AS ").name(&plan.relation.name);
    if !plan.columns.is_empty() {
        sql.push(" (").join(", ", &plan.columns, |sql, it| {
            sql.name(&it.name);
        });
        sql.push(")");
    }
    sql.push(" SELECT ").join(", ", &plan.columns, |sql, it| {
        sql.column(BODY, &it.name);
    });
    sql.push(" FROM ");
    rows(sql, plan);
    if counts_inserted(plan) {
        sql.push(" WHERE ");
        count_inserted(sql, "+ 1", "0");
    }
    for condition in &plan.conditions {
        sql.push(" AND ");
        condition::condition(sql, BODY, condition, QueryKind::Written);
    }
    if let Some(conflict) = conflict {
        on_conflict(sql, plan, conflict);
    }
    returning(sql, plan);
}

fn on_conflict(sql: &mut Sql, plan: &WritePlan, conflict: &Conflict) {
    sql.push(" ON CONFLICT (").join(", ", &conflict.target, |sql, it| {
        sql.name(it);
    });
    if !conflict.merge || plan.columns.is_empty() {
        sql.push(") DO NOTHING");
        return;
    }
    sql.push(") DO UPDATE SET ").join(", ", &plan.columns, |sql, it| {
        sql.name(&it.name).push(" = EXCLUDED.").name(&it.name);
    });
    sql.push(" WHERE ");
    count_inserted(sql, "- 1", "-1");
}

/// No columns to set: no row is changed, and none comes back (CONTRACT.md M03).
fn nothing(sql: &mut Sql, plan: &WritePlan) {
    sql.push("SELECT ");
    returned_columns(sql, plan);
    sql.push(" FROM ").qualified(&plan.relation).push(" AS ").name(&plan.relation.name).push(" WHERE false");
}

fn update(sql: &mut Sql, plan: &WritePlan) {
    sql.push("UPDATE ").qualified(&plan.relation).push(" AS ").name(&plan.relation.name).push(" SET ");
    sql.join(", ", &plan.columns, |sql, it| {
        sql.name(&it.name).push(" = ").column(BODY, &it.name);
    });
    sql.push(" FROM ");
    rows(sql, plan);
    conditions(sql, plan);
    returning(sql, plan);
}

fn delete(sql: &mut Sql, plan: &WritePlan) {
    sql.push("DELETE FROM ").qualified(&plan.relation).push(" AS ").name(&plan.relation.name);
    conditions(sql, plan);
    returning(sql, plan);
}

fn conditions(sql: &mut Sql, plan: &WritePlan) {
    if plan.conditions.is_empty() {
        return;
    }
    sql.push(" WHERE ").join(" AND ", &plan.conditions, |sql, it| {
        condition::condition(sql, &plan.relation.name, it, QueryKind::Written);
    });
}

fn returning(sql: &mut Sql, plan: &WritePlan) {
    sql.push(" RETURNING ");
    returned_columns(sql, plan);
}

fn returned_columns(sql: &mut Sql, plan: &WritePlan) {
    let table = &plan.relation.name;
    match plan.returning.as_deref() {
        None => sql.column(table, "*"),
        Some([]) => sql.push("1"),
        Some(columns) => sql.join(", ", columns, |sql, it| {
            sql.column(table, it);
        }),
    };
}

/// The body as rows of typed columns. Domains that say how they are read from JSON are read by
/// their own function (CONTRACT.md N22).
fn rows(sql: &mut Sql, plan: &WritePlan) {
    if plan.table {
        return lines(sql, plan);
    }
    if plan.columns.iter().all(|it| it.from_json.is_none()) {
        return typed_rows(sql, plan);
    }
    sql.push("(SELECT ").join(", ", &plan.columns, |sql, it| {
        if let Some(reads) = &it.from_json {
            sql.qualified(reads).push("(").column(BODY, &it.name).push(") AS ").name(&it.name);
        } else {
            sql.column(BODY, &it.name);
        }
    });
    sql.push(" FROM ");
    typed_rows(sql, plan);
    sql.push(") AS ").push(BODY);
}

/// The lines of a table. The key of each column is its number. A text that is JSON is read as JSON.
fn lines(sql: &mut Sql, plan: &WritePlan) {
    sql.push("(SELECT ");
    sql.join(", ", plan.columns.iter().enumerate(), |sql, (place, it)| {
        let key = place.to_string();
        match &it.from_json {
            Some(reads) => sql.qualified(reads).push("(").column(BODY, &key).push(")"),
            None if is_json(&it.base_type) => {
                sql.push("CAST(").column(BODY, &key).push(" AS ").push(&it.data_type).push(")")
            }
            None => sql.column(BODY, &key),
        };
        sql.push(" AS ").name(&it.name);
    });
    sql.push(" FROM json_to_recordset(").bind(Bind::Body).push("::json) AS pgrst_body(");
    sql.join(", ", plan.columns.iter().enumerate(), |sql, (place, it)| {
        let data_type = match &it.from_json {
            Some(_) => "json",
            None if is_json(&it.base_type) => "text",
            None => it.data_type.as_str(),
        };
        sql.name(&place.to_string()).push(" ").push(data_type);
    });
    sql.push(")) AS ").push(BODY);
}

/// Returns whether a type is JSON. The text of a CSV field is then JSON itself, not a string in it.
pub(super) fn is_json(data_type: &str) -> bool {
    matches!(data_type, "json" | "jsonb")
}

fn typed_rows(sql: &mut Sql, plan: &WritePlan) {
    if plan.columns.is_empty() {
        match plan.object {
            true => sql.push("(VALUES (1)) AS pgrst_body"),
            false => sql.push("json_array_elements(").bind(Bind::Body).push("::json) AS pgrst_body"),
        };
        return;
    }
    match (plan.defaults, plan.object) {
        (false, true) => sql.push("json_to_record(").bind(Bind::Body).push("::json)"),
        (false, false) => sql.push("json_to_recordset(").bind(Bind::Body).push("::json)"),
        (true, true) => {
            sql.push("jsonb_to_record(");
            defaults(sql, &plan.columns);
            sql.push(" || ").bind(Bind::Body).push("::jsonb)")
        }
        (true, false) => {
            sql.push("jsonb_to_recordset((SELECT jsonb_agg(");
            defaults(sql, &plan.columns);
            sql.push(" || element) FROM jsonb_array_elements(").bind(Bind::Body).push("::jsonb) AS element))")
        }
    };
    sql.push(" AS pgrst_body(").join(", ", &plan.columns, |sql, it| {
        let data_type = if it.from_json.is_some() { "json" } else { it.data_type.as_str() };
        sql.name(&it.name).push(" ").push(data_type);
    });
    sql.push(")");
}

/// Values of the columns that the body leaves out (CONTRACT.md I10).
fn defaults(sql: &mut Sql, columns: &[Column]) {
    let known = columns.iter().filter_map(|it| it.default.as_ref().map(|default| (&it.name, default)));
    sql.push("jsonb_build_object(").join(", ", known, |sql, (name, default)| {
        sql.literal(name).push(", ").push(default);
    });
    sql.push(")");
}

/// The key of the one row, as texts (CONTRACT.md I15).
fn location(sql: &mut Sql, plan: &WritePlan) {
    let Some(key) = plan.location.as_ref().filter(|_| plan.mutation == Mutation::Insert) else {
        sql.push(", null");
        return;
    };
    sql.push(", CASE WHEN count(*) = 1 THEN json_agg(json_build_array(").join(", ", key, |sql, name| {
        sql.push("to_jsonb(").column(body::ROW, name).push(") #>> '{}'");
    });
    sql.push("))->0 END");
}
