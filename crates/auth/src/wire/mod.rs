//! The wire: reading requests, cookies, errors, redirects and pages.

/// What is read from a request before its endpoint sees it.
pub(crate) mod request;

/// The cookie by which a browser is recognised at an address.
pub(crate) mod device_cookie;

/// Which address a request comes from.
pub(crate) mod client_address;

/// Code challenges (PKCE).
pub(crate) mod pkce;

/// E-mail addresses.
pub(crate) mod email;

/// Phone numbers.
pub(crate) mod phone;

/// Redirects that carry parameters.
pub(crate) mod redirect;

/// Pages for a browser that has nowhere to go back to.
pub(crate) mod page;

/// What can go wrong, and its wire form.
pub(crate) mod error;
