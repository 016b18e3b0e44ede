//! The endpoints: one file per URL, folders as in the URL.

/// `/status`, `/version`, `/health`.
pub(crate) mod health;

/// `/upload`: uploads that can be resumed.
pub(crate) mod upload;
