//! The headers of an answer that is an object (CONTRACT.md D10, D14, D15).

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
        EXPIRES, IF_NONE_MATCH, LAST_MODIFIED, X_CONTENT_TYPE_OPTIONS,
    },
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use time::OffsetDateTime;

use super::{ServedObject, http_date};

/// How an answer shows an object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    /// The query's `download`: the name that the file is saved under, or the empty text.
    pub(crate) download: Option<String>,
    /// When the signed URL ends; it takes the place of `Cache-Control` (CONTRACT.md S03).
    pub(crate) expires: Option<OffsetDateTime>,
}

/// Whether bytes follow the headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Get,
    Head,
}

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The headers of an answer but for those that depend on the range.
pub(crate) fn object_headers(
    object: &ServedObject,
    request: &HeaderMap,
    kind: Kind,
    shown: &Shown,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(CONTENT_TYPE, object.content_type.value.clone());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(X_ROBOTS_TAG, object.x_robots_tag.clone());
    insert(&mut headers, ETAG, object.e_tag.clone());
    insert(&mut headers, LAST_MODIFIED, object.last_modified_header.clone());
    match shown.expires {
        Some(time) => insert(&mut headers, EXPIRES, http_date(time)),
        None => insert(&mut headers, CACHE_CONTROL, cache_control(object, request, kind)),
    }
    insert(&mut headers, CONTENT_DISPOSITION, disposition(object, shown.download.as_deref()));
    insert(&mut headers, CONTENT_SECURITY_POLICY, object.content_type.policy.clone());
    headers
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: Option<HeaderValue>) {
    if let Some(value) = value {
        headers.insert(name, value);
    }
}

/// As stored; a client that has another version is told how to ask again (CONTRACT.md D15).
fn cache_control(object: &ServedObject, request: &HeaderMap, kind: Kind) -> Option<HeaderValue> {
    let stored = object.cache_control.clone();
    let known = request.get(IF_NONE_MATCH);
    if known.is_none() || known == object.e_tag.as_ref() {
        return stored;
    }
    let addition = match kind {
        Kind::Get => "stale-while-revalidate=30",
        Kind::Head => "must-revalidate",
    };
    match stored {
        None => Some(HeaderValue::from_static(addition)),
        Some(stored) => HeaderValue::from_str(&format!("{}, {addition}", stored.to_str().ok()?)).ok(),
    }
}

/// What `encodeURIComponent` escapes.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// A download where the query asks for one (CONTRACT.md D14), and where the type is not known to be
/// harmless (CONTRACT.md D20).
fn disposition(object: &ServedObject, download: Option<&str>) -> Option<HeaderValue> {
    match download {
        Some("") => Some(HeaderValue::from_static("attachment;")),
        Some(name) => {
            let name = utf8_percent_encode(name, COMPONENT);
            HeaderValue::from_str(&format!("attachment; filename={name}; filename*=UTF-8''{name}")).ok()
        }
        None => (!object.content_type.is_shown).then(|| HeaderValue::from_static("attachment")),
    }
}
