//! A request whose signature was checked.

use banyan_identity::Caller;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::{payload::Payload, query::Query, target::Target};
use crate::{context::Exchange, error::StorageError, model::ObjectPath};

/// Headers of user metadata begin so.
const METADATA_PREFIX: &str = "x-amz-meta-";

/// A request whose signature was checked. Its exchange has the caller that the signature proves.
pub(super) struct SignedRequest {
    pub(super) exchange: Exchange,
    pub(super) target: Target,
    pub(super) query: Query,
    pub(super) payload: Payload,
}

impl SignedRequest {
    pub(super) fn bucket(&self) -> &str {
        self.target.bucket()
    }

    pub(super) fn key(&self) -> &str {
        self.target.key()
    }

    /// The object that it is about.
    pub(super) fn path(&self) -> Result<ObjectPath, StorageError> {
        ObjectPath::new(self.bucket(), self.key(), self.exchange.service.settings.unicode_names)
    }

    pub(super) fn caller(&self) -> Result<&Caller, StorageError> {
        self.exchange.context.caller()
    }

    /// A header that is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.exchange.header(name)
    }

    /// A parameter that is a number of a range, or `default` where it is missing.
    pub(super) fn number(&self, name: &'static str, default: u32) -> Result<u32, StorageError> {
        let Some(text) = self.query.text(name) else { return Ok(default) };
        text.parse().map_err(|_| StorageError::InvalidParameter(name.to_owned()))
    }

    /// A parameter that must be there.
    pub(super) fn needed(&self, name: &'static str) -> Result<&str, StorageError> {
        self.query.text(name).ok_or(StorageError::MissingParameter(name))
    }
}

/// User metadata of headers or of the fields of a form (CONTRACT.md X09).
pub(super) fn user_metadata<'a>(
    fields: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<Map<String, Value>> {
    let metadata: Map<String, Value> = fields
        .filter_map(|(name, value)| Some((name.strip_prefix(METADATA_PREFIX)?.to_owned(), value.into())))
        .collect();
    (!metadata.is_empty()).then_some(metadata)
}

/// Headers as names and texts.
pub(super) fn texts(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
}

/// The headers of user metadata. What no header can hold is counted in `x-amz-missing-meta`, as S3
/// does it.
pub(super) fn metadata_headers(metadata: &Map<String, Value>) -> Vec<(HeaderName, HeaderValue)> {
    let mut headers: Vec<_> = metadata.iter().filter_map(metadata_header).collect();
    let missing = metadata.len() - headers.len();
    if missing > 0 {
        headers.push((HeaderName::from_static("x-amz-missing-meta"), missing.into()));
    }
    headers
}

fn metadata_header((name, value): (&String, &Value)) -> Option<(HeaderName, HeaderValue)> {
    let value = value.as_str().filter(|value| !name.is_empty() && value.is_ascii())?;
    let name = format!("{METADATA_PREFIX}{}", name.to_ascii_lowercase());
    Some((name.parse().ok()?, HeaderValue::from_str(value).ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: X09
    #[test]
    fn user_metadata_is_headers_and_what_is_no_header_is_counted() {
        let sent = [("x-amz-meta-school", "St. Mary"), ("content-type", "text/plain")];
        let metadata = user_metadata(sent.into_iter()).expect("metadata");
        assert_eq!(Value::Object(metadata), json!({"school": "St. Mary"}));
        assert!(user_metadata([("content-type", "text/plain")].into_iter()).is_none());

        let stored = json!({"School": "A", "n": 7, "हिंदी": "x", "line": "a\nb", "name": "é"});
        let headers = metadata_headers(stored.as_object().expect("an object"));
        let texts: Vec<_> =
            headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        assert_eq!(texts, [("x-amz-meta-school", "A"), ("x-amz-missing-meta", "4")]);
    }
}
