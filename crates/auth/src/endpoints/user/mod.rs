//! `/user`: the caller's own account.

/// `GET /user`.
pub(crate) mod get;

/// `PUT /user`.
pub(crate) mod put;

/// A new password.
mod password;

/// `/user/identities`.
pub(crate) mod identities;

/// `/user/sessions`.
pub(crate) mod sessions;
