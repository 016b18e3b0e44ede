//! Conditional requests (CONTRACT.md D12, B4).

use http::{
    HeaderMap,
    header::{IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE},
};

use crate::wire::{ServedObject, parse_http_date};

/// Whether the client has the object already: its tag is in `If-None-Match`, or else it was not
/// written after `If-Modified-Since`.
pub(crate) fn is_known(headers: &HeaderMap, object: &ServedObject) -> bool {
    if headers.contains_key(IF_NONE_MATCH) {
        let tag = object.e_tag.as_ref().and_then(|tag| tag.to_str().ok());
        return headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .any(|list| names(list.to_str().unwrap_or_default(), tag));
    }
    let since = headers.get(IF_MODIFIED_SINCE).and_then(|value| parse_http_date(value.to_str().ok()?));
    matches!((since, object.last_modified), (Some(since), Some(modified)) if modified <= since)
}

/// Whether the header `Range` counts: `If-Range` must name the object as it is.
pub(crate) fn range_counts(headers: &HeaderMap, object: &ServedObject) -> bool {
    let Some(condition) = headers.get(IF_RANGE) else { return true };
    if condition.as_bytes().starts_with(b"\"") {
        return object.e_tag.as_ref() == Some(condition);
    }
    let date = condition.to_str().ok().and_then(parse_http_date);
    date.is_some() && date == object.last_modified
}

/// Whether a list of tags names this one. Weak tags count as strong ones do: the bytes of a tag
/// never differ.
pub(crate) fn names(list: &str, tag: Option<&str>) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    list.trim() == "*" || tag.is_some_and(|tag| tags(list).any(|named| strong(named) == strong(tag)))
}

/// The tags of a list. A comma within quotes belongs to a tag.
fn tags(list: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    list.split(move |c| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn object() -> ServedObject {
        let metadata = json!({"eTag": "\"a,b\"", "lastModified": "2021-02-17T04:43:32.770Z"});
        ServedObject::of(None, &metadata)
    }

    fn headers(all: &[(HeaderName, &'static str)]) -> HeaderMap {
        all.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    // rows: D12 B4
    #[test]
    fn a_tag_is_found_in_lists_and_though_it_is_weak() {
        for (list, known) in [
            ("\"a,b\"", true),
            ("W/\"a,b\"", true),
            ("\"x\", \"a,b\"", true),
            ("\"x\",W/\"a,b\" , \"y\"", true),
            ("*", true),
            ("\"a\"", false),
            ("a,b", false),
            ("\"x\"", false),
            ("", false),
        ] {
            assert_eq!(is_known(&headers(&[(IF_NONE_MATCH, list)]), &object()), known, "{list}");
        }
    }

    // rows: D12
    #[test]
    fn a_date_counts_only_without_tags() {
        let at = "Wed, 17 Feb 2021 04:43:32 GMT";
        let before = "Wed, 17 Feb 2021 04:43:31 GMT";
        for (all, known) in [
            (vec![(IF_MODIFIED_SINCE, at)], true),
            (vec![(IF_MODIFIED_SINCE, before)], false),
            (vec![(IF_MODIFIED_SINCE, "never")], false),
            (vec![(IF_MODIFIED_SINCE, at), (IF_NONE_MATCH, "\"x\"")], false),
            (vec![(IF_MODIFIED_SINCE, before), (IF_NONE_MATCH, "\"a,b\"")], true),
            (vec![], false),
        ] {
            assert_eq!(is_known(&headers(&all), &object()), known, "{all:?}");
        }
        let unknown = ServedObject::of(None, &json!({}));
        assert!(!is_known(&headers(&[(IF_MODIFIED_SINCE, at)]), &unknown));
        assert!(!is_known(&headers(&[(IF_NONE_MATCH, "\"x\"")]), &unknown));
    }

    // rows: B4
    #[test]
    fn a_range_counts_only_for_the_object_that_if_range_names() {
        for (condition, counts) in [
            ("\"a,b\"", true),
            ("W/\"a,b\"", false),
            ("\"x\"", false),
            ("Wed, 17 Feb 2021 04:43:32 GMT", true),
            ("Wed, 17 Feb 2021 04:43:33 GMT", false),
            ("x", false),
        ] {
            assert_eq!(range_counts(&headers(&[(IF_RANGE, condition)]), &object()), counts, "{condition}");
        }
        assert!(range_counts(&HeaderMap::new(), &object()));
        assert!(!range_counts(&headers(&[(IF_RANGE, "x")]), &ServedObject::of(None, &json!({}))));
    }
}
