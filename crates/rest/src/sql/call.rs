//! Calls of functions (CONTRACT.md SQ6).

use super::{Bind, body, checks, read, write::is_json, writer::Sql};
use crate::{
    plan::{CallPlan, CallValues, Format},
    request::preferences::Count,
    schema::{Argument, Qualified, Returns},
    settings::Settings,
};

/// The statement of a call.
pub(super) fn statement(plan: &CallPlan, settings: &Settings) -> Sql {
    let mut sql = Sql::default();
    read::explain(&mut sql, &plan.answer);
    result(&mut sql, plan, settings);
    sql
}

/// The statement without the question for its plan.
pub(super) fn result(sql: &mut Sql, plan: &CallPlan, settings: &Settings) {
    let returns = plan.function.returns();
    let page = if plan.function.returns_set { "count(*)" } else { "1::bigint" };
    // HEAD does not read the value, but the function is still called.
    let called = if plan.answer.format == Format::None { " AS MATERIALIZED (" } else { " AS (" };
    sql.push("WITH ").push(read::RESULT).push(called);
    call(sql, plan);
    sql.push(") SELECT ");
    let count = plan.count.map(|count| if count == Count::Estimated { Count::Exact } else { count });
    read::total(sql, &plan.node, count, plan.range, settings, page);
    sql.push(", ").push(page);
    body::response_settings(sql);
    sql.push(", null, null");
    checks::columns(sql, &plan.checks);
    sql.push(", ");
    body::of_result(sql, &plan.answer.format, returns);
    sql.push(" FROM (");
    read::select(sql, &plan.node);
    sql.push(") AS ").push(body::ROW);
}

fn call(sql: &mut Sql, plan: &CallPlan) {
    sql.push("SELECT ");
    match (plan.returns_values(), plan.returning.as_deref()) {
        (true, _) => sql.push("pgrst_call.").push(body::SCALAR),
        (false, None) => sql.push("pgrst_call.*"),
        (false, Some(columns)) => sql.join(", ", columns, |sql, name| {
            sql.column("pgrst_call", name);
        }),
    };
    sql.push(" FROM ");
    match &plan.values {
        CallValues::Members { arguments, object } => {
            members(sql, arguments, *object);
            sql.push(", LATERAL ");
        }
        CallValues::Fields(fields) => {
            line(sql, fields);
            sql.push(", LATERAL ");
        }
        CallValues::None | CallValues::Named(_) | CallValues::Body(_) => {}
    }
    match plan.function.returns() {
        Returns::Void | Returns::Scalar | Returns::Scalars => {
            sql.push("(SELECT ");
            invocation(sql, plan);
            sql.push(" AS ").push(body::SCALAR).push(")");
        }
        Returns::Row | Returns::Rows => invocation(sql, plan),
    }
    sql.push(" AS pgrst_call");
}

/// The arguments out of the JSON body; of an array its first element (CONTRACT.md C02).
fn members(sql: &mut Sql, arguments: &[Argument], object: bool) {
    let function = if object { "json_to_record(" } else { "json_to_recordset(" };
    sql.push("(SELECT * FROM ").push(function).bind(Bind::Body).push("::json) AS _(");
    sql.join(", ", arguments, |sql, it| {
        sql.name(&it.name).push(" ").push(&it.wide_type);
    });
    sql.push(") LIMIT 1) AS pgrst_body");
}

/// The arguments out of the first line of a table.
fn line(sql: &mut Sql, fields: &[(usize, Argument)]) {
    sql.push("(SELECT ").join(", ", fields, |sql, (place, it)| {
        let json = is_json(&it.data_type);
        sql.push(if json { "CAST(" } else { "" }).name(&place.to_string());
        sql.push(if json { " AS " } else { "" }).push(if json { &it.data_type } else { "" });
        sql.push(if json { ")" } else { "" }).push(" AS ").name(&it.name);
    });
    sql.push(" FROM json_to_recordset(").bind(Bind::Body).push("::json) AS _(");
    sql.join(", ", fields, |sql, (place, it)| {
        let data_type = if is_json(&it.data_type) { "text" } else { it.wide_type.as_str() };
        sql.name(&place.to_string()).push(" ").push(data_type);
    });
    sql.push(") LIMIT 1) AS pgrst_body");
}

fn invocation(sql: &mut Sql, plan: &CallPlan) {
    let function = &plan.function;
    sql.qualified(&Qualified::new(&function.schema, &function.name)).push("(");
    match &plan.values {
        CallValues::None => {}
        CallValues::Named(values) => {
            sql.join(", ", values, |sql, (argument, slots)| {
                name(sql, argument);
                let bind = if argument.variadic { Bind::Array(slots.clone()) } else { Bind::Value(slots[0]) };
                sql.bind(bind).push("::").push(&argument.wide_type);
            });
        }
        CallValues::Members { arguments, .. } => of_body(sql, arguments),
        CallValues::Fields(fields) => of_body(sql, fields.iter().map(|(_, argument)| argument)),
        CallValues::Body(argument) => {
            let bind = if argument.data_type == "bytea" { Bind::ByteBody } else { Bind::Body };
            sql.bind(bind).push("::").push(&argument.data_type);
        }
    }
    sql.push(")");
}

fn of_body<'a>(sql: &mut Sql, arguments: impl IntoIterator<Item = &'a Argument>) {
    sql.join(", ", arguments, |sql, argument| {
        name(sql, argument);
        sql.column("pgrst_body", &argument.name);
    });
}

fn name(sql: &mut Sql, argument: &Argument) {
    sql.push(if argument.variadic { "VARIADIC " } else { "" });
    if !argument.name.is_empty() {
        sql.name(&argument.name).push(" := ");
    }
}
