//! The wire: reading requests, and the headers and bodies of answers.

use http::{HeaderMap, header::COOKIE};
use serde_json::{Map, Value};

/// Errors as answers of REST.
mod error_body;

/// Headers and answers of TUS.
pub(crate) mod tus;

/// Bodies of JSON.
mod json_body;

/// Fields of a body or a query.
mod fields;

/// Times as answers write them.
mod timestamp;

/// Times as headers have them.
mod http_date;

/// Answers in JSON that the database has written.
mod written_json;

/// The headers of an answer that is an object.
mod object_headers;

/// An object as answers describe it.
mod served_object;

/// Types that a browser may be told.
mod safe_type;

pub(crate) use error_body::{error_response, log_internal};
pub(crate) use fields::Fields;
pub(crate) use http_date::{http_date, parse_http_date};
pub(crate) use json_body::{read_json, read_optional_json};
pub(crate) use object_headers::{Kind, Shown, object_headers};
pub(crate) use safe_type::SafeType;
pub(crate) use served_object::ServedObject;
pub(crate) use timestamp::{is_timestamp, timestamp};
pub(crate) use written_json::written_json;

/// Headers as policies read them: a JSON object, names in lower case, cookies left out.
pub(crate) fn headers_as_json(headers: &HeaderMap) -> String {
    let shown = headers.iter().filter(|(name, _)| *name != COOKIE);
    let object: Map<String, Value> = shown
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    Value::Object(object).to_string()
}
