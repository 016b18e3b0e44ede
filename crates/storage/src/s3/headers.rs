//! What headers say of an object that is written.

/// The type of an object.
pub(super) fn content_type(header: Option<&str>) -> String {
    header.filter(|value| !value.is_empty()).unwrap_or("application/octet-stream").to_owned()
}

/// The header `Cache-Control` of answers.
pub(super) fn cache_control(header: Option<&str>) -> String {
    header.filter(|value| !value.is_empty()).unwrap_or("no-cache").to_owned()
}
