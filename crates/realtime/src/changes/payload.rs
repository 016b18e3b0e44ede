//! What a channel receives of a change (CONTRACT.md G9, G10).

use std::collections::BTreeSet;

use bytes::Bytes;
use serde_json::json;
use time::{Duration, OffsetDateTime, macros::datetime};

use super::{
    catalog::Rights,
    change::{Change, ChangedTable},
    entry::Event,
    rendered::Rendered,
    values::write_string,
};

/// PostgreSQL's time begins here.
const EPOCH: OffsetDateTime = datetime!(2000-01-01 00:00 UTC);
/// Larger values of a change that is too large are left out, in bytes of their JSON.
const LARGEST_KEPT: usize = 64;
const TOO_LARGE: &str = "Error 413: Payload Too Large";

/// What a channel receives in place of a row that its role may not be told of (CONTRACT.md G16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    NoPrimaryKey,
    Unauthorized,
}

impl Refusal {
    /// Why nobody of a role may be told of a change; none where its policies decide.
    pub(super) fn of(rights: &Rights, event: Event) -> Option<Self> {
        match event {
            Event::Delete => None,
            _ if rights.key.is_empty() => Some(Self::NoPrimaryKey),
            _ => (!rights.reads_key()).then_some(Self::Unauthorized),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::NoPrimaryKey => "Error 400: Bad Request, no primary key",
            Self::Unauthorized => "Error 401: Unauthorized",
        }
    }

    /// What is said of the change.
    pub(super) fn data(self, table: &ChangedTable, event: Event) -> Bytes {
        let data = json!({
            "schema": table.relation.schema,
            "table": table.relation.name,
            "type": event.name(),
            "columns": [],
            "commit_timestamp": null,
            "record": {},
            "old_record": {},
            "errors": [self.text()],
        });
        data.to_string().into()
    }
}

/// The payload of a message: a change for the entries with these ids.
pub(super) fn payload(ids: &[i32], data: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(data.len() + 32 + 12 * ids.len());
    out.extend_from_slice(b"{\"ids\":[");
    for (place, id) in ids.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(id.to_string().as_bytes());
    }
    out.extend_from_slice(b"],\"data\":");
    out.extend_from_slice(data);
    out.push(b'}');
    out.into()
}

/// A change as a role may see it, with the columns that are wanted.
pub(super) fn data(
    table: &ChangedTable,
    change: &Change,
    rendered: &Rendered,
    rights: &Rights,
    select: Option<&BTreeSet<String>>,
) -> Bytes {
    let is_key = |name: &str| rights.key.iter().any(|key| key == name);
    let is_shown = |name: &str| {
        rights.readable.contains(name) && select.is_none_or(|select| select.contains(name) || is_key(name))
    };
    let mut writer = Writer { table, is_too_large: change.is_too_large(), out: Vec::with_capacity(512) };
    writer.head(change);
    writer.columns(is_shown);
    if change.event != Event::Delete {
        writer.record("record", &rendered.new, is_shown);
    }
    match change.event {
        Event::Update => writer.record("old_record", &rendered.old, is_shown),
        // Nobody can be asked any more who may see the row.
        Event::Delete if rights.row_security => {
            writer.record("old_record", &rendered.old, |name| is_shown(name) && is_key(name));
        }
        Event::Delete => writer.record("old_record", &rendered.old, is_shown),
        Event::Insert | Event::All => {}
    }
    writer.end()
}

struct Writer<'t> {
    table: &'t ChangedTable,
    is_too_large: bool,
    out: Vec<u8>,
}

impl Writer<'_> {
    fn head(&mut self, change: &Change) {
        self.out.extend_from_slice(b"{\"schema\":");
        self.string(&self.table.relation.schema);
        self.out.extend_from_slice(b",\"table\":");
        self.string(&self.table.relation.name);
        let (event, committed_at) = (change.event.name(), commit_timestamp(change.committed_at));
        let rest = format!(",\"type\":\"{event}\",\"commit_timestamp\":\"{committed_at}\"");
        self.out.extend_from_slice(rest.as_bytes());
    }

    fn columns(&mut self, is_shown: impl Fn(&str) -> bool) {
        self.out.extend_from_slice(b",\"columns\":[");
        let mut is_first = true;
        for (column, of) in self.table.relation.columns.iter().zip(&self.table.types) {
            if is_shown(&column.name) {
                self.separate(&mut is_first);
                self.out.extend_from_slice(b"{\"name\":");
                self.string(&column.name);
                self.out.extend_from_slice(b",\"type\":");
                self.string(&of.name);
                self.out.push(b'}');
            }
        }
        self.out.push(b']');
    }

    fn record(&mut self, name: &str, values: &[Option<Bytes>], is_shown: impl Fn(&str) -> bool) {
        self.out.extend_from_slice(format!(",\"{name}\":{{").as_bytes());
        let mut is_first = true;
        for (column, value) in self.table.relation.columns.iter().zip(values) {
            let Some(value) = value.as_ref().filter(|_| is_shown(&column.name)) else { continue };
            if !self.is_too_large || value.len() <= LARGEST_KEPT {
                self.separate(&mut is_first);
                self.string(&column.name);
                self.out.push(b':');
                self.out.extend_from_slice(value);
            }
        }
        self.out.push(b'}');
    }

    fn end(mut self) -> Bytes {
        self.out.extend_from_slice(b",\"errors\":");
        if self.is_too_large {
            self.out.push(b'[');
            self.string(TOO_LARGE);
            self.out.push(b']');
        } else {
            self.out.extend_from_slice(b"null");
        }
        self.out.push(b'}');
        self.out.into()
    }

    fn separate(&mut self, is_first: &mut bool) {
        if !std::mem::replace(is_first, false) {
            self.out.push(b',');
        }
    }

    fn string(&mut self, text: &str) {
        write_string(text.as_bytes(), &mut self.out);
    }
}

/// `2025-11-19T00:22:40.877Z`, from microseconds since 2000.
fn commit_timestamp(microseconds: i64) -> String {
    let at = EPOCH.checked_add(Duration::microseconds(microseconds)).unwrap_or(EPOCH);
    let (date, time) = (at.date(), at.time());
    format!("{date}T{:02}:{:02}:{:02}.{:03}Z", time.hour(), time.minute(), time.second(), time.millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: G10
    #[test]
    fn the_time_of_a_commit_has_milliseconds() {
        assert_eq!(commit_timestamp(0), "2000-01-01T00:00:00.000Z");
        assert_eq!(commit_timestamp(816_826_960_877_999), "2025-11-19T00:22:40.877Z");
    }

    // rows: G9
    #[test]
    fn a_message_has_all_ids_and_the_data_once() {
        assert_eq!(payload(&[1, 22], b"{}"), r#"{"ids":[1,22],"data":{}}"#);
    }
}
