//! Pages of objects and of unfinished uploads, where names with a delimiter are folders.

use banyan_db::{Param, Rows, Statement};

use super::{Db, optional, text};
use crate::error::StorageError;

/// Which entries are wanted.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) bucket: &'a str,
    /// What names begin with; may be empty.
    pub(crate) prefix: &'a str,
    /// What ends a folder; an empty one makes no folders.
    pub(crate) delimiter: &'a str,
    /// The entry before the first one; empty for the beginning. A folder ends with the delimiter.
    pub(crate) after: &'a str,
    pub(crate) limit: u32,
}

/// An entry of a page.
#[derive(Debug)]
pub(crate) enum Entry<T> {
    /// All that lies in a folder; its name ends with the delimiter.
    Folder(String),
    Item(T),
}

/// An object of a page.
#[derive(Debug)]
pub(crate) struct ListedObject {
    pub(crate) name: String,
    /// Such as `2021-02-17T04:43:32.770Z`.
    pub(crate) updated_at: String,
    /// In quotes.
    pub(crate) e_tag: String,
    /// Bytes.
    pub(crate) size: u64,
}

/// An unfinished upload of a page.
#[derive(Debug)]
pub(crate) struct ListedUpload {
    pub(crate) key: String,
    pub(crate) id: String,
    /// Such as `2021-02-17T04:43:32.770Z`.
    pub(crate) created_at: String,
}

const OBJECTS: &str = "
select name, id is null,
       to_char(updated_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
       metadata ->> 'eTag', metadata ->> 'size'
from storage.list_objects_with_delimiter($1, $2, $3, $4::integer, '', $5, 'asc')";

const UPLOADS: &str = "
select key, id is null,
       to_char(created_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
       id
from storage.list_multipart_uploads_with_delimiter($1, $2, $3, $4::integer, $5, $6)";

/// The objects of a page that the caller may see (CONTRACT.md X06).
pub(crate) async fn objects(db: Db<'_>, page: &Page<'_>) -> Result<Vec<Entry<ListedObject>>, StorageError> {
    let rows = db.read(&Statement::new(OBJECTS, params(page))).await?;
    let entry = |row| {
        let name = rows.text(row, 0)?.to_owned();
        if rows.text(row, 1) == Some("t") {
            return Some(Entry::Folder(name + page.delimiter));
        }
        Some(Entry::Item(ListedObject {
            name,
            updated_at: or_empty(&rows, row, 2),
            e_tag: or_empty(&rows, row, 3),
            size: rows.text(row, 4).and_then(|size| size.parse().ok()).unwrap_or_default(),
        }))
    };
    Ok((0..rows.rows.len()).filter_map(entry).collect())
}

/// The unfinished uploads of a page that the caller may see (CONTRACT.md X08). `after_id` is the
/// last upload of the key `after`, if the page before ended with one.
pub(crate) async fn uploads(
    db: Db<'_>,
    page: &Page<'_>,
    after_id: &str,
) -> Result<Vec<Entry<ListedUpload>>, StorageError> {
    let mut params = params(page);
    params.push(text(after_id));
    let rows = db.read(&Statement::new(UPLOADS, params)).await?;
    let entry = |row| {
        let key = rows.text(row, 0)?.to_owned();
        if rows.text(row, 1) == Some("t") {
            return Some(Entry::Folder(key));
        }
        let (created_at, id) = (or_empty(&rows, row, 2), or_empty(&rows, row, 3));
        Some(Entry::Item(ListedUpload { key, id, created_at }))
    };
    Ok((0..rows.rows.len()).filter_map(entry).collect())
}

fn params(page: &Page<'_>) -> Vec<Param> {
    let Page { bucket, prefix, delimiter, after, limit } = page;
    vec![text(bucket), text(prefix), text(delimiter), optional(Some(limit)), text(after)]
}

fn or_empty(rows: &Rows, row: usize, column: usize) -> String {
    rows.text(row, column).unwrap_or_default().to_owned()
}
