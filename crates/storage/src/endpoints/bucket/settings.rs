//! The settings of a bucket, as bodies give them (CONTRACT.md B04, B07, B08).

use serde_json::Value;

use crate::{error::StorageError, model::read_size, store::buckets::Settings, wire::Fields};

/// Longest MIME type in bytes.
const LONGEST_MIME_TYPE: usize = 1000;

/// Reads `public`, `file_size_limit` and `allowed_mime_types`. `most` is the size limit of all
/// buckets.
pub(super) fn read(fields: &Fields, most: u64) -> Result<Settings, StorageError> {
    let public = fields.boolean("public")?;
    let file_size_limit = size_limit(fields, most)?;
    let mime_types = fields.get("allowed_mime_types").map(|_| fields.texts("allowed_mime_types"));
    let allowed_mime_types = mime_types.transpose()?.map(|types| types.map(without_empty));
    for mime_type in allowed_mime_types.iter().flatten().flatten() {
        check_mime_type(mime_type)?;
    }
    Ok(Settings { public, file_size_limit, allowed_mime_types })
}

/// None where the field is absent, `Some(None)` for no limit.
fn size_limit(fields: &Fields, most: u64) -> Result<Option<Option<u64>>, StorageError> {
    let name = "file_size_limit";
    let limit = match fields.get(name) {
        None => return Ok(None),
        Some(Value::Null) => return Ok(Some(None)),
        Some(Value::String(text)) => read_size(text).ok_or_else(no_size)?,
        Some(_) => {
            let number = fields.integer(name, 0)?.unwrap_or_default();
            u64::try_from(number).unwrap_or_default()
        }
    };
    if limit > most { Err(StorageError::EntityTooLarge) } else { Ok(Some(Some(limit))) }
}

fn no_size() -> StorageError {
    StorageError::InvalidRequest("Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B".to_owned())
}

fn without_empty(types: Vec<String>) -> Vec<String> {
    types.into_iter().filter(|mime_type| !mime_type.is_empty()).collect()
}

/// Takes `type/subtype`, `type/*`, and a parameter `charset` behind either.
fn check_mime_type(mime_type: &str) -> Result<(), StorageError> {
    let (essence, parameter) = mime_type.split_once(';').unwrap_or((mime_type, "charset=any"));
    let (group, kind) = essence.split_once('/').unwrap_or((essence, ""));
    let charset = parameter.trim_start().strip_prefix("charset=").unwrap_or_default();
    let fits = mime_type.len() <= LONGEST_MIME_TYPE
        && is_token(group, "-+.")
        && (kind == "*" || is_token(kind, "-+."))
        && is_token(charset, "-");
    if fits { Ok(()) } else { Err(StorageError::InvalidMimeType(mime_type.to_owned())) }
}

fn is_token(text: &str, others: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: B08
    #[test]
    fn a_mime_type_has_two_parts_and_may_end_in_a_star() {
        for (mime_type, fits) in [
            ("image/png", true),
            ("image/*", true),
            ("application/vnd.ms-excel", true),
            ("text/plain;charset=UTF-8", true),
            ("text/plain; charset=utf-8", true),
            ("image", false),
            ("*/*", false),
            ("*", false),
            ("image/", false),
            ("/png", false),
            ("image/png;q=1", false),
            ("image/p ng", false),
            ("image/png/x", false),
        ] {
            assert_eq!(check_mime_type(mime_type).is_ok(), fits, "{mime_type}");
        }
        let longest = format!("a/{}", "b".repeat(998));
        assert!(check_mime_type(&longest).is_ok());
        assert!(check_mime_type(&format!("{longest}b")).is_err());
    }
}
