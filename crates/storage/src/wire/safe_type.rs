//! Types that a browser may be told without running what an object holds (CONTRACT.md D20).
//!
//! Objects are served from the origin of the application. A user who can upload must not be able to
//! run a script there, so nothing is served as HTML or as a script, and what may carry a script
//! (SVG, XML, archives of pages) is a download in a sandbox. An image may still be shown by
//! `<img>`, which heeds neither.

use http::HeaderValue;

/// A type as it is told to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafeType {
    pub(crate) value: HeaderValue,
    /// Whether the answer must be a download under [`SANDBOX`].
    pub(crate) is_active: bool,
}

/// The policy of what may carry a script.
pub(crate) const SANDBOX: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain");
const UNKNOWN: HeaderValue = HeaderValue::from_static("application/octet-stream");

impl SafeType {
    /// The type that stands for a stored one. Browsers disagree about which part of a malformed
    /// type counts, so every part is looked at.
    pub(crate) fn of(stored: &str) -> Self {
        let lower = stored.to_ascii_lowercase();
        let mut parts = lower.split([',', ';', ' ', '\t']).filter(|part| part.contains('/'));
        if lower.contains("text/html") || parts.clone().any(is_script) {
            return Self { value: PLAIN, is_active: false };
        }
        let is_active = parts.clone().any(is_active);
        let is_usual = parts.next().is_some_and(|first| is_essence(first) && lower.starts_with(first));
        let value = HeaderValue::from_str(stored).ok().filter(|_| is_usual);
        Self { value: value.unwrap_or(UNKNOWN), is_active }
    }
}

/// Types of scripts: `<script>` runs them whatever else the answer says.
fn is_script(essence: &str) -> bool {
    let (_, subtype) = essence.split_once('/').unwrap_or_default();
    let is_named = subtype.contains("script") && !subtype.ends_with("postscript");
    is_named || subtype == "x-component" || subtype == "cache-manifest"
}

/// Types that are pages of their own, or hold some.
fn is_active(essence: &str) -> bool {
    let (kind, subtype) = essence.split_once('/').unwrap_or_default();
    let is_markup = subtype == "xml" || subtype.ends_with("+xml") || subtype.contains("html");
    let is_style_or_drawing = subtype.starts_with("xsl") || subtype.starts_with("svg");
    let is_archive = kind == "multipart" || kind == "message" || subtype == "x-mimearchive";
    is_markup || is_style_or_drawing || is_archive
}

/// Whether it is `type/subtype`, both of letters that such names may have.
fn is_essence(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    text.split_once('/').is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(stored: &str) -> (String, bool) {
        let safe = SafeType::of(stored);
        (safe.value.to_str().expect("a text").to_owned(), safe.is_active)
    }

    // rows: D20 D10
    #[test]
    fn html_and_scripts_are_plain_text() {
        for stored in [
            "text/html",
            "TEXT/HTML; charset=utf-8",
            "image/png, text/html",
            "image/png;text/html",
            "text/javascript",
            "application/javascript;charset=utf-8",
            "application/x-ecmascript",
            "text/jscript",
            "text/vbscript",
            "text/javascript1.5",
            "text/x-component",
            "image/png, application/javascript",
        ] {
            assert_eq!(served(stored), ("text/plain".to_owned(), false), "{stored}");
        }
    }

    // rows: D20
    #[test]
    fn what_may_carry_a_script_is_a_download_in_a_sandbox() {
        for stored in [
            "image/svg+xml",
            "IMAGE/SVG+XML",
            "application/xhtml+xml",
            "text/xml",
            "application/xml; charset=utf-8",
            "application/rss+xml",
            "text/xsl",
            "application/xslt+xml",
            "multipart/x-mixed-replace; boundary=a",
            "multipart/related",
            "message/rfc822",
            "application/x-mimearchive",
        ] {
            assert_eq!(served(stored), (stored.to_owned(), true), "{stored}");
        }
        assert!(SafeType::of("image/png, image/svg+xml").is_active);
    }

    // rows: D10
    #[test]
    fn documents_images_and_data_keep_their_type() {
        for stored in [
            "image/png",
            "application/pdf",
            "text/plain;charset=UTF-8",
            "application/json",
            "text/css",
            "video/mp4",
            "application/postscript",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/octet-stream",
        ] {
            assert_eq!(served(stored), (stored.to_owned(), false), "{stored}");
        }
    }

    // rows: D20
    #[test]
    fn what_is_no_type_is_bytes() {
        for stored in
            ["", "x", "image", "image/", "/png", "a b/c", "image/p\u{e9}ng", "im<age/png", " image/png"]
        {
            assert_eq!(served(stored).0, "application/octet-stream", "{stored}");
        }
        for stored in ["image/png\nx: y", "image/png\u{0}"] {
            assert_eq!(served(stored).0, "application/octet-stream", "{stored:?}");
        }
    }
}
