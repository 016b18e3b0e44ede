//! `/render`.

/// `/render/image`.
pub(crate) mod image;
