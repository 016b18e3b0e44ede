//! `/admin`: for the holder of a service key (CONTRACT.md H40 to H48, D1 to D14).

/// `/admin/users`: accounts.
pub(crate) mod users;

/// `GET /admin/audit`.
pub(crate) mod audit;

/// `POST /admin/generate_link`.
pub(crate) mod generate_link;

/// `/admin/oauth`.
pub(crate) mod oauth;

/// Lists by page.
mod paging;
