//! What a request passes before its endpoint.

/// Captcha: proof that a person asks.
pub(crate) mod captcha;

/// The bearer check: who calls.
pub(crate) mod bearer;

/// The header that names a refused redirect.
pub(crate) mod refused_redirect;
