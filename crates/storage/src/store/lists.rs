//! Pages of objects, by the functions of schema `storage` that run with the caller's rights
//! (CONTRACT.md L07).

use banyan_db::{Rows, Statement};
use bytes::Bytes;
use serde_json::value::RawValue;

use super::{Db, optional, text, written};
use crate::error::StorageError;

/// One level of a folder (CONTRACT.md L01).
#[derive(Debug)]
pub(crate) struct Level<'a> {
    pub(crate) bucket: &'a str,
    /// A folder with its final slash, or empty.
    pub(crate) prefix: &'a str,
    pub(crate) search: &'a str,
    pub(crate) limit: i64,
    pub(crate) offset: i64,
    /// `name`, `updated_at`, `created_at` or `last_accessed_at`.
    pub(crate) column: &'a str,
    /// `asc` or `desc`.
    pub(crate) order: &'a str,
}

/// The files and folders of a level that the caller may see, as JSON.
pub(crate) async fn level(db: Db<'_>, level: &Level<'_>) -> Result<Bytes, StorageError> {
    let slashes = level.prefix.matches('/').count() + level.search.matches('/').count();
    let params = vec![
        text(level.prefix),
        text(level.bucket),
        optional(Some(level.limit)),
        optional(Some(1 + slashes)),
        optional(Some(level.offset)),
        text(level.search),
        text(level.column),
        text(level.order),
    ];
    let rows = db.read(&Statement::new(LEVEL, params)).await?;
    written(&rows).ok_or(StorageError::Internal("a list of objects has no row"))
}

const LEVEL: &str = "
select coalesce(json_agg(json_build_object(
  'name', name, 'id', id,
  'updated_at', to_char(updated_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'created_at', to_char(created_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'last_accessed_at', to_char(last_accessed_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'metadata', metadata
)), '[]')
from storage.search($1, $2, $3::int, $4::int, $5::int, $6, $7, $8)";

/// A page of the second list (CONTRACT.md L10).
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) bucket: &'a str,
    /// Any beginning of names.
    pub(crate) prefix: &'a str,
    pub(crate) limit: u64,
    /// `name`, `updated_at` or `created_at`.
    pub(crate) column: &'a str,
    /// `asc` or `desc`.
    pub(crate) order: &'a str,
    /// The last name of the page before; empty for the first page.
    pub(crate) after: &'a str,
    /// What the last entry of the page before has in `column`, where that is a time.
    pub(crate) column_after: Option<&'a str>,
}

/// An entry of a page.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Whether it stands for all names that begin with its own.
    pub(crate) is_folder: bool,
    /// The time in the column that the page is sorted by.
    pub(crate) time: Option<String>,
    pub(crate) json: Box<RawValue>,
}

/// The entries of a page: names at all depths.
pub(crate) async fn deep(db: Db<'_>, page: &Page<'_>) -> Result<Vec<Entry>, StorageError> {
    let params = vec![
        text(page.bucket),
        text(page.prefix),
        optional(Some(page.limit)),
        text(page.after),
        optional(page.column_after),
    ];
    Ok(entries(&db.read(&Statement::new(deep_text(page), params)).await?))
}

/// One text for each order, made of fixed words alone. By name, no `or` stands between the cursor
/// and the index (CONTRACT.md L14).
fn deep_text(page: &Page<'_>) -> String {
    let name = "name collate \"C\"";
    let order = if page.order == "desc" { "desc" } else { "asc" };
    let (time, begin) = match (page.column, order) {
        (column @ ("created_at" | "updated_at"), order) => {
            let time = format!("coalesce(date_trunc('milliseconds', {column}), 'epoch')");
            let operator = if order == "desc" { "<" } else { ">" };
            let begin =
                format!("$4 = '' or ({time}, {name}) {operator} (coalesce($5::timestamptz, 'epoch'), $4)");
            (Some(time), begin)
        }
        (_, "desc") => (None, format!("{name} < case $4 when '' then $2 || chr(1114111) else $4 end")),
        (_, _) => (None, format!("{name} > $4")),
    };
    let order = match &time {
        Some(time) => format!("{time} {order}, {name} {order}"),
        None => format!("{name} {order}"),
    };
    format!(
        "
select name, false, {time_text}, {json}
from storage.objects
where bucket_id = $1
  and {name} between $2 and $2 || chr(1114111)
  and ({begin})
order by {order}
limit $3::bigint",
        time_text = TIME.replace("TIME", time.as_deref().unwrap_or("$5::timestamptz")),
        json = ENTRY.replace("KEY", ""),
    )
}

/// A time as text (CONTRACT.md C08).
const TIME: &str = "to_char((TIME) at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')";

/// An entry as JSON.
const ENTRY: &str = "json_build_object(
  KEY'id', id, 'name', name, 'metadata', metadata,
  'updated_at', to_char(updated_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'created_at', to_char(created_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
  'last_accessed_at', to_char(last_accessed_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
)";

/// The entries of a page: what lies directly below the last slash of the prefix. Names below a
/// further slash are one folder. By name, `after` has the slash of a folder, which tells it from an
/// object of its name.
pub(crate) async fn shallow(db: Db<'_>, page: &Page<'_>) -> Result<Vec<Entry>, StorageError> {
    let mut params = vec![
        text(page.prefix),
        text(page.bucket),
        optional(Some(page.limit)),
        optional(Some(1 + page.prefix.matches('/').count())),
        text(page.after),
        text(page.order),
    ];
    let is_by_time = page.column != "name";
    if is_by_time {
        params.extend([text(page.column), optional(page.column_after)]);
    }
    Ok(entries(&db.read(&Statement::new(shallow_text(is_by_time), params)).await?))
}

fn shallow_text(is_by_time: bool) -> String {
    let (time, key, source) = if is_by_time {
        let time = "case $7 when 'created_at' then created_at else updated_at end";
        (TIME.replace("TIME", time), "key", "storage.search_v2($1, $2, $3::int, $4::int, $5, $6, $7, $8)")
    } else {
        let source = "storage.list_objects_with_delimiter($2, $1, '/', $3::int, '', $5, $6)";
        ("null".to_owned(), "split_part(name, '/', $4::int)", source)
    };
    format!(
        "
select raw, id is null, {time}, {json}
from (
  select {key} as key, name as raw, case when id is null then name || '/' else name end as name,
         id, metadata, updated_at, created_at, last_accessed_at
  from {source}
) as page",
        json = ENTRY.replace("KEY", "'key', key, "),
    )
}

fn entries(rows: &Rows) -> Vec<Entry> {
    let entry = |row| {
        Some(Entry {
            name: rows.text(row, 0)?.to_owned(),
            is_folder: rows.text(row, 1)? == "t",
            time: rows.text(row, 2).map(str::to_owned),
            json: RawValue::from_string(rows.text(row, 3)?.to_owned()).ok()?,
        })
    };
    (0..rows.rows.len()).filter_map(entry).collect()
}
