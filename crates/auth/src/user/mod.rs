//! `/user`: the caller's own account.

/// `GET /user`.
pub(crate) mod get;

/// `PUT /user`.
pub(crate) mod put;

/// `/user/identities`.
pub(crate) mod identities;
