//! The parts of a request that PostgreSQL sees as settings (CONTRACT.md G04, G06).

use http::{HeaderMap, header::COOKIE, request::Parts};
use serde_json::{Map, Value};

/// Settings of the transaction that describe the request.
#[derive(Debug, Clone)]
pub struct Context {
    /// `request.method`
    pub method: String,
    /// `request.path`: as received, without the query.
    pub path: String,
    /// `request.headers`: a JSON object, names in lower case, cookies left out.
    pub headers: String,
    /// `request.cookies`: a JSON object.
    pub cookies: String,
}

impl Context {
    pub(super) fn of(parts: &Parts) -> Self {
        Self {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            headers: headers(&parts.headers),
            cookies: cookies(&parts.headers),
        }
    }
}

fn headers(headers: &HeaderMap) -> String {
    let shown = headers.iter().filter(|(name, _)| *name != COOKIE);
    let object: Map<String, Value> = shown
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    Value::Object(object).to_string()
}

fn cookies(headers: &HeaderMap) -> String {
    let values = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    let object: Map<String, Value> =
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().into())).collect();
    Value::Object(object).to_string()
}
