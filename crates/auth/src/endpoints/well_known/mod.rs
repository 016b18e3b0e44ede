//! `GET /.well-known/*`: how clients find the keys of the service.

/// `GET /.well-known/jwks.json`.
pub(crate) mod jwks;

/// `GET /.well-known/openid-configuration`.
pub(crate) mod openid_configuration;
