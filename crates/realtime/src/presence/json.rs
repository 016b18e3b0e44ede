//! What sockets are told of presence, as JSON. Payloads of members are copied as they came.

use bytes::Bytes;

use super::{
    diff::Diff,
    meta::{Meta, MetaId, Metas},
};

/// The payload of `presence_state` (CONTRACT.md R5).
pub(super) fn state(metas: &Metas) -> Bytes {
    let mut json = Vec::with_capacity(64 * metas.len() + 2);
    write_keys(metas, &mut json);
    json.into()
}

/// The payload of `presence_diff` (CONTRACT.md R6).
pub(super) fn diff(diff: &Diff) -> Bytes {
    let mut json = Vec::with_capacity(64 * (diff.joins.len() + diff.leaves.len()) + 32);
    json.extend_from_slice(b"{\"joins\":");
    write_keys(&diff.joins, &mut json);
    json.extend_from_slice(b",\"leaves\":");
    write_keys(&diff.leaves, &mut json);
    json.push(b'}');
    json.into()
}

/// Writes `{key: {"metas": [meta, …]}, …}`.
fn write_keys(metas: &Metas, json: &mut Vec<u8>) {
    json.push(b'{');
    let mut key = None;
    for (id, meta) in metas {
        if key == Some(&id.key) {
            json.push(b',');
        } else {
            if key.is_some() {
                json.extend_from_slice(b"]},");
            }
            serde_json::to_writer(&mut *json, &*id.key).expect("a vector takes all that is written");
            json.extend_from_slice(b":{\"metas\":[");
            key = Some(&id.key);
        }
        write_meta(id, meta, json);
    }
    json.extend_from_slice(if key.is_some() { b"]}}" } else { b"}" });
}

/// Writes a payload with its ref. The ref stands last: of two equal names a reader takes the last.
fn write_meta(id: &MetaId, meta: &Meta, json: &mut Vec<u8>) {
    let fields = meta.payload.trim_ascii().strip_suffix(b"}").unwrap_or(b"{").trim_ascii_end();
    json.extend_from_slice(fields);
    if fields != b"{" {
        json.push(b',');
    }
    if let Some(previous) = meta.previous {
        json.extend_from_slice(format!("\"phx_ref_prev\":\"{previous}\",").as_bytes());
    }
    json.extend_from_slice(format!("\"phx_ref\":\"{}\"}}", id.phx_ref).as_bytes());
}
