//! Types that a browser may be told without running what an object holds (CONTRACT.md D20).
//!
//! Objects are served from the origin of the application. A user who can upload must not be able to
//! run a script there. So nothing is served as HTML or as a script, and browsers show only types of
//! a list that hold no script. What is not on the list is a download. An SVG may still be shown by
//! `<img>`, which heeds neither. Everything but a PDF has a policy that allows no script, and what
//! is neither sound nor video is in a sandbox.

use http::HeaderValue;

/// A type as it is told to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafeType {
    pub(crate) value: HeaderValue,
    /// Whether a browser may show it. If not, the answer must be a download.
    pub(crate) is_shown: bool,
    /// The content security policy of the answer. A PDF has none, as browsers show it under none.
    pub(crate) policy: Option<HeaderValue>,
}

const SANDBOX: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

/// A player asks for the bytes itself. From a sandbox it would ask as a page of somebody else,
/// which `server/CONTRACT.md GW-PAGES` refuses.
const PLAYER: HeaderValue =
    HeaderValue::from_static("default-src 'none'; media-src 'self'; form-action 'none'");

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain");
const UNKNOWN: HeaderValue = HeaderValue::from_static("application/octet-stream");

const PDF: &str = "application/pdf";

impl SafeType {
    /// The type that stands for a stored one. Browsers disagree about which part of a malformed
    /// type counts, so every part is looked at.
    pub(crate) fn of(stored: &str) -> Self {
        let lower = stored.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split([',', ';', ' ', '\t']).filter(|part| part.contains('/')).collect();
        if lower.contains("text/html") || parts.iter().any(|part| is_script(part)) {
            return Self { value: PLAIN, is_shown: true, policy: Some(SANDBOX) };
        }
        let is_usual = parts.first().is_some_and(|first| is_essence(first) && lower.starts_with(first));
        match HeaderValue::from_str(stored).ok().filter(|_| is_usual) {
            None => Self { value: UNKNOWN, is_shown: false, policy: Some(SANDBOX) },
            Some(value) => {
                Self { value, is_shown: parts.iter().all(|part| is_shown(part)), policy: policy(&parts) }
            }
        }
    }

    /// Another type for the same bytes. It makes no download one that is shown.
    pub(crate) fn told_as(&self, asked: &str) -> Self {
        let asked = Self::of(asked);
        Self { is_shown: self.is_shown && asked.is_shown, ..asked }
    }
}

/// The policy of a type of these parts, of which there is one.
fn policy(parts: &[&str]) -> Option<HeaderValue> {
    if parts.iter().all(|part| *part == PDF) {
        return None;
    }
    let is_played =
        |part: &&str| is_shown(part) && (part.starts_with("audio/") || part.starts_with("video/"));
    Some(if parts.iter().all(is_played) { PLAYER } else { SANDBOX })
}

/// Types of scripts: `<script>` runs them whatever else the answer says.
fn is_script(essence: &str) -> bool {
    let (_, subtype) = essence.split_once('/').unwrap_or_default();
    let is_named = subtype.contains("script") && !subtype.ends_with("postscript");
    is_named || subtype == "x-component" || subtype == "cache-manifest"
}

/// Types that hold no script: pictures, sound and data.
fn is_shown(essence: &str) -> bool {
    let (kind, subtype) = essence.split_once('/').unwrap_or_default();
    let is_drawing = subtype.starts_with("svg") || subtype.ends_with("xml");
    let is_data = ["text/plain", "text/csv", "application/json", PDF].contains(&essence);
    is_data || (["image", "audio", "video"].contains(&kind) && !is_drawing)
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

    /// The type, whether it is shown, and whether it is in a sandbox.
    fn served(stored: &str) -> (String, bool, bool) {
        let safe = SafeType::of(stored);
        let is_sandboxed = safe.policy == Some(SANDBOX);
        (safe.value.to_str().expect("a text").to_owned(), safe.is_shown, is_sandboxed)
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
            assert_eq!(served(stored), ("text/plain".to_owned(), true, true), "{stored}");
        }
    }

    // rows: D20
    #[test]
    fn what_is_not_known_to_be_harmless_is_a_download_in_a_sandbox() {
        for stored in [
            "image/svg+xml",
            "IMAGE/SVG+XML",
            "application/xhtml+xml",
            "text/xml",
            "application/xml; charset=utf-8",
            "application/xml-dtd",
            "application/rss+xml",
            "application/hta",
            "text/rdf",
            "text/xsl",
            "text/css",
            "application/xslt+xml",
            "multipart/x-mixed-replace; boundary=a",
            "multipart/related",
            "message/rfc822",
            "application/x-mimearchive",
            "application/octet-stream",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "image/png, image/svg+xml",
            "application/pdf, image/svg+xml",
        ] {
            assert_eq!(served(stored), (stored.to_owned(), false, true), "{stored}");
        }
    }

    // rows: D10 D20
    #[test]
    fn documents_images_and_data_are_shown_as_they_are() {
        for stored in [
            "image/png",
            "image/avif",
            "text/plain;charset=UTF-8",
            "text/csv",
            "application/json",
            "audio/mpeg, image/png",
        ] {
            assert_eq!(served(stored), (stored.to_owned(), true, true), "{stored}");
        }
        for (stored, policy) in [
            ("application/pdf", None),
            ("Application/PDF; version=1.7", None),
            ("audio/mpeg", Some(PLAYER)),
            ("Video/MP4; codecs=avc1", Some(PLAYER)),
        ] {
            assert_eq!(served(stored), (stored.to_owned(), true, false), "{stored}");
            assert_eq!(SafeType::of(stored).policy, policy, "{stored}");
        }
        assert_eq!(served("video/x+xml"), ("video/x+xml".to_owned(), false, true));
    }

    // rows: D20 X07
    #[test]
    fn another_type_shows_no_download() {
        let is_shown = |stored: &str, asked: &str| SafeType::of(stored).told_as(asked).is_shown;
        assert!(is_shown("text/plain", "image/png"));
        assert!(!is_shown("image/png", "image/svg+xml"));
        assert!(!is_shown("image/svg+xml", "application/pdf"));
    }

    // rows: D20
    #[test]
    fn what_is_no_type_is_bytes() {
        for stored in
            ["", "x", "image", "image/", "/png", "a b/c", "image/p\u{e9}ng", "im<age/png", " image/png"]
        {
            assert_eq!(served(stored), ("application/octet-stream".to_owned(), false, true), "{stored}");
        }
        for stored in ["image/png\nx: y", "image/png\u{0}"] {
            assert_eq!(served(stored).0, "application/octet-stream", "{stored:?}");
        }
    }
}
