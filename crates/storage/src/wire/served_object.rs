//! An object as answers describe it: its headers, rendered once.

use http::HeaderValue;
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{http_date::http_date, safe_type::SafeType};
use crate::model::Version;

/// An object as answers describe it (CONTRACT.md D10).
#[derive(Debug, Clone)]
pub(crate) struct ServedObject {
    /// None for rows without bytes, such as those that a seed file inserted.
    pub(crate) version: Option<Version>,
    /// Bytes; none where the row does not say.
    pub(crate) size: Option<u64>,
    pub(crate) content_type: SafeType,
    /// In quotes.
    pub(crate) e_tag: Option<HeaderValue>,
    pub(crate) cache_control: Option<HeaderValue>,
    /// To the second.
    pub(crate) last_modified: Option<OffsetDateTime>,
    pub(crate) last_modified_header: Option<HeaderValue>,
    pub(crate) x_robots_tag: HeaderValue,
}

impl ServedObject {
    /// Reads the columns `version` and `metadata` of a row. Who wrote the row may have been another
    /// program, so a field of a wrong form is a field that is not there.
    pub(crate) fn of(version: Option<&str>, metadata: &Value) -> Self {
        let text = |name: &str| metadata.get(name).and_then(Value::as_str);
        let header = |name: &str| text(name).and_then(|text| HeaderValue::from_str(text).ok());
        let last_modified = text("lastModified").and_then(|text| OffsetDateTime::parse(text, &Rfc3339).ok());
        let last_modified = last_modified.and_then(|time| time.replace_nanosecond(0).ok());
        Self {
            version: version.and_then(Version::read),
            size: number(metadata, "size").or_else(|| number(metadata, "contentLength")),
            content_type: SafeType::of(text("mimetype").unwrap_or_default()),
            e_tag: header("eTag"),
            cache_control: header("cacheControl").filter(|value| !value.is_empty()),
            last_modified,
            last_modified_header: last_modified.and_then(http_date),
            x_robots_tag: header("xRobotsTag").unwrap_or(HeaderValue::from_static("none")),
        }
    }
}

/// A number, which some programs write as text.
fn number(metadata: &Value, name: &str) -> Option<u64> {
    let value = metadata.get(name)?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const VERSION: &str = "5f0c8e1e-0000-4000-8000-000000000001";

    // rows: D10 K05
    #[test]
    fn the_row_says_all_that_headers_need() {
        let object = ServedObject::of(
            Some(VERSION),
            &json!({
                "eTag": "\"abc\"", "size": 5, "mimetype": "image/png", "cacheControl": "max-age=60",
                "lastModified": "2021-02-17T04:43:32.770Z", "contentLength": 5, "xRobotsTag": "noindex",
            }),
        );
        assert_eq!(object.version.map(|version| version.to_string()).as_deref(), Some(VERSION));
        assert_eq!(object.size, Some(5));
        assert_eq!(object.e_tag.expect("a tag"), "\"abc\"");
        assert_eq!(object.last_modified_header.expect("a date"), "Wed, 17 Feb 2021 04:43:32 GMT");
        assert_eq!(object.x_robots_tag, "noindex");
    }

    // rows: D10
    #[test]
    fn rows_of_other_programs_are_read_as_far_as_they_can_be() {
        let object = ServedObject::of(Some("1"), &json!({"contentLength": "7", "eTag": "a\nb", "size": "x"}));
        assert_eq!((object.version, object.size), (None, Some(7)));
        assert!(object.e_tag.is_none());
        let object = ServedObject::of(None, &Value::Null);
        assert_eq!((object.version, object.size, object.last_modified), (None, None, None));
        assert_eq!(object.x_robots_tag, "none");
        assert_eq!(object.content_type.value, "application/octet-stream");
    }
}
