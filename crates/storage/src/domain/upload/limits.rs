//! Limits of size and type.

use crate::{
    error::StorageError,
    model::{Bucket, ObjectName},
};

/// Uploads in parts that an owner may have begun and not finished (CONTRACT.md B6).
pub(crate) const MOST_UNFINISHED: u32 = 100;

/// What Studio calls the object that makes an empty folder show up.
pub(crate) const FOLDER_PLACEHOLDER: &str = ".emptyFolderPlaceholder";

/// Whether the object only makes a folder show up in Studio (CONTRACT.md U09).
pub(crate) fn is_folder_placeholder(name: &ObjectName) -> bool {
    name.as_str().ends_with(FOLDER_PLACEHOLDER)
}

/// Most bytes that an object of this name may have (CONTRACT.md U07).
pub(crate) fn size_limit(bucket: &Bucket, name: &ObjectName, of_all_buckets: u64) -> u64 {
    if is_folder_placeholder(name) {
        return 0;
    }
    bucket.file_size_limit.map_or(of_all_buckets, |limit| limit.min(of_all_buckets))
}

/// Checks whether a bucket takes objects of this type. Parameters of the type do not count
/// (CONTRACT.md U08).
pub(crate) fn check_mime_type(
    bucket: &Bucket,
    name: &ObjectName,
    mimetype: &str,
) -> Result<(), StorageError> {
    let allowed = bucket.allowed_mime_types.as_deref().unwrap_or_default();
    if allowed.is_empty() || is_folder_placeholder(name) {
        return Ok(());
    }
    let essence = essence(mimetype);
    if allowed.iter().any(|pattern| matches(pattern, &essence)) {
        return Ok(());
    }
    Err(StorageError::InvalidMimeType(mimetype.to_owned()))
}

/// A type without its parameters, in lower case.
pub(super) fn essence(mimetype: &str) -> String {
    let essence = mimetype.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Whether a pattern such as `image/*` or `image/png` takes a type.
fn matches(pattern: &str, essence: &str) -> bool {
    let pattern = self::essence(pattern);
    match (pattern.split_once('/'), essence.split_once('/')) {
        (Some((kind, "*")), Some((of_kind, _))) => kind == of_kind,
        (Some(_), Some(_)) => pattern == essence,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(limit: Option<u64>, allowed: &[&str]) -> Bucket {
        Bucket {
            id: "b".to_owned(),
            public: false,
            file_size_limit: limit,
            allowed_mime_types: Some(allowed.iter().map(ToString::to_string).collect()),
        }
    }

    fn name(name: &str) -> ObjectName {
        ObjectName::new(name, false).expect("a name")
    }

    // rows: U07 U09
    #[test]
    fn the_smallest_limit_counts_and_a_placeholder_is_empty() {
        assert_eq!(size_limit(&bucket(None, &[]), &name("a"), 50), 50);
        assert_eq!(size_limit(&bucket(Some(20), &[]), &name("a"), 50), 20);
        assert_eq!(size_limit(&bucket(Some(90), &[]), &name("a"), 50), 50);
        assert_eq!(size_limit(&bucket(Some(0), &[]), &name("a"), 50), 0);
        assert_eq!(size_limit(&bucket(None, &[]), &name("a/.emptyFolderPlaceholder"), 50), 0);
    }

    // rows: U08 U09 B1
    #[test]
    fn types_are_compared_without_their_parameters() {
        let images_and_text = bucket(None, &["image/*", "text/plain"]);
        for (mimetype, taken) in [
            ("image/png", true),
            ("IMAGE/PNG", true),
            ("image/svg+xml; charset=utf-8", true),
            ("text/plain", true),
            ("text/plain;charset=UTF-8", true),
            ("text/html", false),
            ("imagex/png", false),
            ("image", false),
            ("", false),
            ("text/plain/x", false),
            ("text/*", false),
        ] {
            let checked = check_mime_type(&images_and_text, &name("a"), mimetype);
            assert_eq!(checked.is_ok(), taken, "{mimetype}");
        }
        assert!(check_mime_type(&bucket(None, &[]), &name("a"), "anything").is_ok());
        assert!(check_mime_type(&images_and_text, &name(".emptyFolderPlaceholder"), "x").is_ok());
    }
}
