//! `/admin/oauth`.

/// `/admin/oauth/clients`.
pub(crate) mod clients;
