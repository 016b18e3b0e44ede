//! What a request declares of an object.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::StoredBytes;

/// What a request declares of the object that it wants to write.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    /// The type, as it will be stored.
    pub(crate) mimetype: String,
    /// The header `Cache-Control` of answers.
    pub(crate) cache_control: String,
    /// Bytes of the object, where the request tells.
    pub(crate) size: Option<u64>,
    /// Bytes that policies are told in `contentLength`, where the size is not known: the length of
    /// a form is not that of its file.
    pub(crate) content_length: Option<u64>,
    pub(crate) user_metadata: Option<Map<String, Value>>,
    /// Checked by [`super::check_x_robots_tag`].
    pub(crate) x_robots_tag: Option<String>,
}

impl Declared {
    /// The column `metadata` as policies see it before the bytes are there (CONTRACT.md U10).
    pub(super) fn as_rehearsed(&self) -> Value {
        let mut metadata = json!({"mimetype": self.mimetype});
        if let Some(length) = self.size.or(self.content_length) {
            metadata["contentLength"] = length.into();
        }
        metadata
    }

    /// The column `metadata` but for `lastModified`, which the commit writes (CONTRACT.md U12).
    pub(super) fn as_committed(&self, stored: &StoredBytes) -> Value {
        let mut metadata = json!({
            "eTag": stored.e_tag,
            "size": stored.size,
            "mimetype": self.mimetype,
            "cacheControl": self.cache_control,
            "contentLength": stored.size,
            "httpStatusCode": 200,
        });
        if let Some(tag) = &self.x_robots_tag {
            metadata["xRobotsTag"] = tag.as_str().into();
        }
        metadata
    }
}

/// Reads user metadata from the header `x-metadata`: base64 of a JSON object. What is no such
/// object is ignored (CONTRACT.md U05).
pub(crate) fn decode_user_metadata(header: &str) -> Option<Map<String, Value>> {
    let unpadded = header.trim().trim_end_matches('=');
    let padded = format!("{unpadded}{}", &"==="[..(4 - unpadded.len() % 4) % 4]);
    parse_user_metadata(std::str::from_utf8(&STANDARD.decode(padded).ok()?).ok()?)
}

/// Reads user metadata from JSON; what is no object is ignored (CONTRACT.md U04).
pub(crate) fn parse_user_metadata(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: U05
    #[test]
    fn user_metadata_is_base64_of_an_object_and_else_ignored() {
        let object = json!({"a": 1}).as_object().cloned();
        for (header, read) in [
            ("eyJhIjoxfQ==", object.clone()),
            ("eyJhIjoxfQ", object.clone()),
            (" eyJhIjoxfQ== ", object),
            ("WzFd", None),
            ("e30=", Some(Map::new())),
            ("%%%", None),
            ("", None),
            ("/////w==", None),
        ] {
            assert_eq!(decode_user_metadata(header), read, "{header}");
        }
    }
}
