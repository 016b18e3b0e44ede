//! The endpoints: one file per URL, folders as in the URL.

/// `/bucket`.
pub(crate) mod bucket;

/// `/object`.
pub(crate) mod object;

/// `/cdn`.
pub(crate) mod cdn;

/// `/status`, `/version`, `/health`.
pub(crate) mod health;

/// `/render`.
pub(crate) mod render;
/// `/upload`: uploads that can be resumed.
pub(crate) mod upload;
