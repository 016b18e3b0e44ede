//! `POST /object/list-v2/:bucket` (CONTRACT.md L10 to L14).

use banyan_web::{Body, json_response};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{Response, StatusCode};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    context::Exchange,
    error::StorageError,
    model::BucketName,
    store::lists::{self, Entry, Page},
    wire::{Fields, is_timestamp},
};

/// Most entries of a page.
const MOST: i64 = 1000;

/// Where a page begins, and its order. A cursor of the reference is read too.
#[derive(Debug, Default, PartialEq, Eq)]
struct Cursor {
    /// The last name of the page before.
    last: String,
    order: Option<&'static str>,
    column: Option<&'static str>,
    /// What the last entry has in `column`, where that is a time.
    time: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    has_next: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor_key: Option<String>,
    folders: Vec<Box<RawValue>>,
    objects: Vec<Box<RawValue>>,
}

/// Lists a page of objects, at all depths or one level deep.
pub(crate) async fn list_v2(exchange: Exchange, bucket: String) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    let prefix = fields.text("prefix")?.unwrap_or_default();
    let limit = fields.integer("limit", 1)?.unwrap_or(MOST).min(MOST).unsigned_abs();
    let cursor = start(&fields)?;
    let with_delimiter = fields.boolean("with_delimiter")? == Some(true);
    let bucket = BucketName::new(&bucket)?;
    if prefix.contains('\0') {
        return Err(StorageError::InvalidKey(prefix));
    }
    let page = Page {
        bucket: bucket.as_str(),
        prefix: &prefix,
        limit: limit + 1,
        column: cursor.column.unwrap_or("name"),
        order: cursor.order.unwrap_or("asc"),
        after: &cursor.last,
        column_after: cursor.time.as_deref(),
    };
    let db = exchange.as_caller()?;
    let entries =
        if with_delimiter { lists::shallow(db, &page).await? } else { lists::deep(db, &page).await? };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(json_response(StatusCode::OK, &answer(entries, limit, &cursor)))
}

/// The order of a cursor goes before that of the body.
fn start(fields: &Fields) -> Result<Cursor, StorageError> {
    let cursor = fields.text("cursor")?.filter(|cursor| !cursor.is_empty());
    let mut start = cursor.map(|cursor| Cursor::read(&cursor)).transpose()?.unwrap_or_default();
    if let Some(by) = fields.object("sortBy")? {
        by.require(&["column"])?;
        let column = by.choice("column", &["name", "updated_at", "created_at"])?;
        let order = by.choice("order", &["asc", "desc"])?;
        start.column = start.column.or(column);
        start.order = start.order.or(order);
    }
    Ok(start)
}

fn answer(mut entries: Vec<Entry>, limit: usize, start: &Cursor) -> Answer {
    let has_next = entries.len() > limit;
    entries.truncate(limit);
    let last = entries.last().filter(|_| has_next);
    let next_cursor = last.map(|last| start.after(last).written());
    let next_cursor_key = last.map(|last| last.name.clone());
    let (folders, objects) = entries.into_iter().partition::<Vec<_>, _>(|entry| entry.is_folder);
    let json = |entries: Vec<Entry>| entries.into_iter().map(|entry| entry.json).collect();
    Answer { has_next, next_cursor, next_cursor_key, folders: json(folders), objects: json(objects) }
}

impl Cursor {
    /// Where the page after this entry begins. By name, a folder ends with its slash: an object may
    /// have the same name without it.
    fn after(&self, entry: &Entry) -> Self {
        let is_by_time = self.column.is_some_and(|column| column != "name");
        let slash = if entry.is_folder && !is_by_time { "/" } else { "" };
        Self {
            last: format!("{}{slash}", entry.name),
            order: self.order,
            column: self.column,
            time: entry.time.clone().filter(|_| is_by_time),
        }
    }

    /// As text: lines `l:`, `o:`, `c:`, `a:` in base64.
    fn written(&self) -> String {
        let lines = [
            ("l", Some(self.last.as_str())),
            ("o", self.order),
            ("c", self.column),
            ("a", self.time.as_deref()),
        ];
        let lines = lines.into_iter().filter_map(|(key, value)| Some(format!("{key}:{}", value?)));
        STANDARD.encode(lines.collect::<Vec<_>>().join("\n"))
    }

    fn read(text: &str) -> Result<Self, StorageError> {
        let bad = || StorageError::InvalidParameter("continuation token".to_owned());
        let text = STANDARD.decode(text).map_err(|_| bad())?;
        let text = String::from_utf8(text).map_err(|_| bad())?;
        let mut cursor = Self::default();
        for line in text.split('\n') {
            let (key, value) = line.split_once(':').ok_or_else(bad)?;
            match key {
                "l" => cursor.last = value.to_owned(),
                "o" => cursor.order = Some(word(value, &["asc", "desc"]).ok_or_else(bad)?),
                "c" => {
                    let columns = ["name", "updated_at", "created_at"];
                    cursor.column = Some(word(value, &columns).ok_or_else(bad)?);
                }
                "a" if is_timestamp(value) => cursor.time = Some(value.to_owned()),
                _ => return Err(bad()),
            }
        }
        if cursor.last.contains('\0') { Err(bad()) } else { Ok(cursor) }
    }
}

fn word(text: &str, words: &[&'static str]) -> Option<&'static str> {
    words.iter().find(|word| **word == text).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: L13
    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor {
            last: "a/b:c.txt".to_owned(),
            order: Some("desc"),
            column: Some("created_at"),
            time: Some("2021-02-17T04:43:32.770Z".to_owned()),
        };
        assert_eq!(Cursor::read(&cursor.written()).unwrap(), cursor);
        for bad in
            ["x", "bm90IGEgbGluZQ==", "bzpzaWRld2F5cw==", "eDpvdGhlcg==", "gICA", "YTpub3RhdGltZQ==", "YTo="]
        {
            let error = Cursor::read(bad).expect_err(bad);
            assert!(matches!(error, StorageError::InvalidParameter(_)), "{bad}");
        }
    }
}
