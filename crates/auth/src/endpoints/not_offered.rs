//! Servers that the reference has and this one keeps off (CONTRACT.md H60 to H65): answered as the
//! reference answers when they are off, so that clients can tell them from paths that do not exist.

use axum::{Router, routing::any};

use crate::{
    context::RouterContext,
    guards::bearer::{Admin, Bearer},
    wire::error::{AuthError, ClientError},
};

/// Their routes.
pub(crate) fn routes() -> Router<RouterContext> {
    Router::new()
        .route("/.well-known/oauth-authorization-server", any(async || off(ClientError::ServerOff)))
        .route("/oauth/authorize", any(async || off(ClientError::ServerOff)))
        .route("/oauth/token", any(async || off(ClientError::ServerOff)))
        .route("/oauth/userinfo", any(async || off(ClientError::ServerOff)))
        .route("/oauth/clients/register", any(async || off(ClientError::ServerOff)))
        .route("/oauth/authorizations/{id}", any(async |_: Bearer| off(ClientError::ServerOff)))
        .route("/oauth/authorizations/{id}/consent", any(async |_: Bearer| off(ClientError::ServerOff)))
        .route("/user/oauth/grants", any(async |_: Bearer| off(ClientError::ServerOff)))
        .route("/sso", any(async || off(ClientError::SamlOff)))
        .route("/sso/saml/metadata", any(async || off(ClientError::SamlOff)))
        .route("/sso/saml/acs", any(async || off(ClientError::SamlOff)))
        .route("/admin/sso/providers", any(async |_: Admin| off(ClientError::SamlOff)))
        .route("/admin/sso/providers/{id}", any(async |_: Admin| off(ClientError::SamlOff)))
        .route("/admin/custom-providers", any(async |_: Admin| off(ClientError::CustomProvidersOff)))
        .route("/admin/custom-providers/{id}", any(async |_: Admin| off(ClientError::CustomProvidersOff)))
        .route("/scim/v2/{*rest}", any(async || off(ClientError::ScimOff)))
}

fn off(error: ClientError) -> AuthError {
    error.into()
}
