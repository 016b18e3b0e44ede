//! Rows as JSON: numbers, booleans and json are what they are, all else is its text (CONTRACT.md
//! CLI-DB-QUERY).

use std::collections::BTreeMap;

use banyan_db::Column;
use serde::Serialize;
use serde_json::value::RawValue;

/// One row, by the names of its columns.
pub(super) type Object = BTreeMap<String, Cell>;

/// One value.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Cell {
    /// The text of PostgreSQL is already JSON: no digit of an `int8` or a `numeric` is lost.
    Json(Box<RawValue>),
    Text(Option<String>),
}

pub(super) fn object(columns: &[Column], row: Vec<Option<String>>) -> Object {
    let cells = columns.iter().zip(row);
    cells.map(|(column, value)| (column.name.clone(), cell(column.type_oid, value))).collect()
}

fn cell(type_oid: u32, value: Option<String>) -> Cell {
    let json = value.as_deref().and_then(|text| match (type_oid, text) {
        (BOOL, "t") => Some("true"),
        (BOOL, "f") => Some("false"),
        // `NaN` and `Infinity` are no JSON.
        _ if WRITTEN_AS_JSON.contains(&type_oid) => Some(text),
        _ => None,
    });
    match json.and_then(|json| RawValue::from_string(json.to_owned()).ok()) {
        Some(json) => Cell::Json(json),
        None => Cell::Text(value),
    }
}

const BOOL: u32 = 16;

/// `int8`, `int2`, `int4`, `oid`, `json`, `float4`, `float8`, `numeric` and `jsonb`.
const WRITTEN_AS_JSON: [u32; 9] = [20, 21, 23, 26, 114, 700, 701, 1700, 3802];

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-DB-QUERY
    #[test]
    fn rows_as_json_have_numbers_booleans_and_json_as_what_they_are() {
        for (type_oid, text, json) in [
            (20, "9007199254740993", "9007199254740993"),
            (1700, "1.10000000000000000001", "1.10000000000000000001"),
            (701, "1e-07", "1e-07"),
            (701, "NaN", "\"NaN\""),
            (16, "t", "true"),
            (16, "f", "false"),
            (3802, "{\"a\": [1, null]}", "{\"a\": [1, null]}"),
            (114, " \"x\" ", "\"x\""),
            (25, "1", "\"1\""),
            (1007, "{1,2}", "\"{1,2}\""),
        ] {
            let columns = [Column { name: "x".to_owned(), type_oid }];
            let row = object(&columns, vec![Some(text.to_owned())]);
            assert_eq!(serde_json::to_string(&row).expect("JSON"), format!("{{\"x\":{json}}}"));
        }
        let null = object(&[Column { name: "x".to_owned(), type_oid: 20 }], vec![None]);
        assert_eq!(serde_json::to_string(&null).expect("JSON"), "{\"x\":null}");
    }
}
