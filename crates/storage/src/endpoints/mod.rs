//! The endpoints: one file per URL, folders as in the URL.

/// `/status`, `/version`, `/health`.
pub(crate) mod health;

/// Objects, at `/object`.
pub(crate) mod object;
