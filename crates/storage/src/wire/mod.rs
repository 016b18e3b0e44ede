//! The wire: reading requests, headers of answers.

use http::{HeaderMap, header::COOKIE};
use serde_json::{Map, Value};

/// Errors as answers of REST.
mod error_body;

/// Headers and answers of TUS.
pub(crate) mod tus;

pub(crate) use error_body::error_response;

/// Headers as policies read them: a JSON object, names in lower case, cookies left out.
pub(crate) fn headers_as_json(headers: &HeaderMap) -> String {
    let shown = headers.iter().filter(|(name, _)| *name != COOKIE);
    let object: Map<String, Value> = shown
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    Value::Object(object).to_string()
}
