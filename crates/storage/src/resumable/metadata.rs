//! The header `Upload-Metadata` (CONTRACT.md T02).

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::{
    domain::upload::{Declared, parse_user_metadata},
    error::TusRefusal,
};

/// What a client tells of the object, by key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Metadata(BTreeMap<String, String>);

impl Metadata {
    /// Reads the header: pairs of a key and a value in base64, with commas between them.
    ///
    /// # Errors
    /// `InvalidMetadata` for any other form, for keys that are no visible ASCII, and for a key that
    /// appears twice.
    pub(crate) fn parse(header: &str) -> Result<Self, TusRefusal> {
        let mut read = BTreeMap::new();
        for pair in header.split(',') {
            let (key, value) = read_pair(pair).ok_or(TusRefusal::InvalidMetadata)?;
            if read.insert(key, value).is_some() {
                return Err(TusRefusal::InvalidMetadata);
            }
        }
        Ok(Self(read))
    }

    pub(crate) fn bucket(&self) -> &str {
        self.value("bucketName").unwrap_or_default()
    }

    pub(crate) fn object(&self) -> &str {
        self.value("objectName").unwrap_or_default()
    }

    /// What is declared of an object of this length.
    pub(crate) fn declare(&self, length: Option<u64>) -> Declared {
        Declared {
            mimetype: self.value("contentType").unwrap_or("application/octet-stream").to_owned(),
            cache_control: cache_control(self.value("cacheControl")),
            size: length,
            content_length: None,
            user_metadata: self.value("metadata").and_then(parse_user_metadata),
            x_robots_tag: None,
        }
    }

    /// A value that is not empty.
    fn value(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// A key and its value, which may be left out.
fn read_pair(pair: &str) -> Option<(String, String)> {
    let (key, value) = pair.split_once(' ').unwrap_or((pair, ""));
    let fits = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    let value = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
    fits.then(|| (key.to_owned(), value))
}

/// Seconds as `max-age`; anything else is not cached.
fn cache_control(seconds: Option<&str>) -> String {
    let is_number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match seconds {
        Some(seconds) if is_number(seconds) => format!("max-age={seconds}"),
        _ => "no-cache".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn header(pairs: &[(&str, &str)]) -> String {
        let pairs = pairs.iter().map(|(key, value)| format!("{key} {}", STANDARD.encode(value)));
        pairs.collect::<Vec<_>>().join(",")
    }

    // rows: T02
    #[test]
    fn the_object_is_declared_by_the_metadata() {
        let metadata = Metadata::parse(&header(&[
            ("bucketName", "samples"),
            ("objectName", "पाठ/a.pdf"),
            ("contentType", "application/pdf"),
            ("cacheControl", "3600"),
            ("metadata", r#"{"grade": "5"}"#),
        ]))
        .expect("metadata");
        assert_eq!((metadata.bucket(), metadata.object()), ("samples", "पाठ/a.pdf"));
        let declared = metadata.declare(Some(7));
        assert_eq!((declared.mimetype.as_str(), declared.size), ("application/pdf", Some(7)));
        assert_eq!(declared.cache_control, "max-age=3600");
        assert_eq!(declared.user_metadata, json!({"grade": "5"}).as_object().cloned());
    }

    // rows: T02
    #[test]
    fn what_is_not_told_has_a_default() {
        let metadata = Metadata::parse(&header(&[("cacheControl", "soon"), ("metadata", "{broken")]));
        let metadata = metadata.expect("metadata");
        assert_eq!((metadata.bucket(), metadata.object()), ("", ""));
        let declared = metadata.declare(None);
        assert_eq!(declared.mimetype, "application/octet-stream");
        assert_eq!((declared.cache_control.as_str(), declared.user_metadata), ("no-cache", None));
        for (seconds, cached) in
            [("0", "max-age=0"), ("-1", "max-age=-1"), ("-", "no-cache"), ("1s", "no-cache")]
        {
            assert_eq!(cache_control(Some(seconds)), cached, "{seconds}");
        }
    }

    // rows: T02
    #[test]
    fn a_key_may_stand_without_a_value() {
        let metadata = Metadata::parse("is_confidential,objectName YQ==").expect("metadata");
        assert_eq!(metadata.object(), "a");
    }

    // rows: T07
    #[test]
    fn other_forms_are_refused() {
        for header in [
            "",
            ",",
            " YQ==",
            "a YQ==,a YQ==",
            "a YQ",
            "a YQ==,",
            "a YQ== YQ==",
            "a %%%%",
            "ä YQ==",
            "a  YQ==",
            "a _w==",
            "a /w==",
        ] {
            assert_eq!(Metadata::parse(header), Err(TusRefusal::InvalidMetadata), "{header}");
        }
    }
}
