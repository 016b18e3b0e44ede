//! The body, built by PostgreSQL and passed through untouched (CONTRACT.md SQ2).

use super::writer::Sql;
use crate::{
    plan::Format,
    schema::{MediaHandler, Returns},
};

/// The rows that the body is built of.
pub(super) const ROW: &str = "pgrst_row";

/// The column of a function's values.
pub(super) const SCALAR: &str = "pgrst_scalar";

/// The body of rows.
pub(super) fn of_rows(sql: &mut Sql, format: &Format) {
    of_result(sql, format, Returns::Rows);
}

/// The body of a function's result (CONTRACT.md C20 to C25).
pub(super) fn of_result(sql: &mut Sql, format: &Format, returns: Returns) {
    let rows = match returns {
        Returns::Row | Returns::Rows => ROW.to_owned() + ".*",
        Returns::Void | Returns::Scalar | Returns::Scalars => format!("{ROW}.{SCALAR}"),
    };
    match format {
        Format::None => sql.push("''"),
        Format::Json { strip_nulls } => match returns {
            Returns::Rows | Returns::Scalars => json(sql, &rows, *strip_nulls, "", "[]"),
            Returns::Void | Returns::Scalar | Returns::Row => json(sql, &rows, *strip_nulls, "->0", "null"),
        },
        Format::Object { strip_nulls } => json(sql, &rows, *strip_nulls, "->0", "null"),
        Format::Custom(handler) => custom(sql, handler, returns),
        Format::Csv => csv(sql),
        Format::GeoJson => sql.push(&format!(
            "json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON({ROW}.*)::json), '[]'))"
        )),
    };
}

/// The body that a function or an aggregate of the database makes (CONTRACT.md N14, N15).
fn custom<'a>(sql: &'a mut Sql, handler: &MediaHandler, returns: Returns) -> &'a mut Sql {
    if !handler.aggregate {
        return sql.push(&format!("(array_agg({ROW}.{SCALAR}))[1]"));
    }
    sql.qualified(&handler.function).push("(").push(ROW);
    match (returns, &handler.target) {
        (Returns::Void | Returns::Scalar | Returns::Scalars, _) => sql.push(".").push(SCALAR),
        (Returns::Row | Returns::Rows, None) => sql,
        (Returns::Row | Returns::Rows, Some(relation)) => sql.push("::").qualified(relation),
    };
    sql.push(")")
}

fn json<'a>(sql: &'a mut Sql, rows: &str, strip_nulls: bool, element: &str, nothing: &str) -> &'a mut Sql {
    let aggregate = format!("json_agg({rows})");
    let aggregate = if strip_nulls { format!("json_strip_nulls({aggregate})") } else { aggregate };
    sql.push(&format!("coalesce(({aggregate}{element})::text, '{nothing}')"))
}

/// A line of keys, and a line for each row, as RFC 4180 has them (CONTRACT.md N08).
fn csv(sql: &mut Sql) -> &mut Sql {
    sql.push("coalesce((SELECT string_agg(CASE WHEN key ~ E'[\",\\r\\n]' THEN '\"' || replace(key, '\"', '\"\"') || '\"' ELSE key END, ',')")
        .push(&format!(" FROM json_object_keys(json_agg({ROW}.*)->0) AS key), '') || E'\\n' || "))
        .push("coalesce(string_agg((SELECT CASE WHEN line = '()' THEN 'NULL'")
        .push(" WHEN strpos(line, 'NULL') = 0 THEN ")
        .push(&unescaped(FIELDS))
        .push(" ELSE ")
        .push(&unescaped(&format!("(SELECT string_agg({TEXT}, ',' ORDER BY place) FROM {SPLIT})")))
        .push(&format!(" END FROM (SELECT {ROW}::text AS line OFFSET 0) AS _), E'\\n'), '')"))
}

/// The fields of a row in PostgreSQL's own row text.
const FIELDS: &str = "substr(line, 2, length(line) - 2)";

/// Its fields one by one.
const SPLIT: &str = "regexp_matches(',' || substr(line, 2, length(line) - 2), ',(\"(?:[^\"]|\"\")*\"|[^,\"]*)', 'g') \
                     WITH ORDINALITY AS _ (field, place)";

/// A field. The text `NULL` stands in quotes, since it would be read as null without.
const TEXT: &str = "CASE field[1] WHEN 'NULL' THEN '\"NULL\"' ELSE field[1] END";

/// Row text writes a backslash twice, CSV once. All else it writes as CSV does: a null is empty, an
/// empty text is `""`.
fn unescaped(fields: &str) -> String {
    format!("replace({fields}, E'\\\\\\\\', E'\\\\')")
}

/// Status and headers that functions and triggers set (CONTRACT.md G12, G14); read after everything
/// else.
pub(super) fn response_settings(sql: &mut Sql) {
    sql.push(
        ", nullif(current_setting('response.headers', true), ''), nullif(current_setting('response.status', true), '')",
    );
}
