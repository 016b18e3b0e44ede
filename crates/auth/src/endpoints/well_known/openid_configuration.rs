use std::sync::Arc;

use axum::{Json, extract::State, response::IntoResponse};
use http::header;
use serde_json::json;

use crate::context::ServiceContext;

/// `GET /.well-known/openid-configuration` (CONTRACT.md H4): where a verifier of our tokens finds
/// issuer and keys. The endpoints of the OAuth server are named as clients expect them; it is off.
pub(crate) async fn get(State(service): State<Arc<ServiceContext>>) -> impl IntoResponse {
    let (issuer, base) = (&service.settings.jwt_issuer, &service.settings.external_url);
    let document = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{base}/oauth/authorize"),
        "token_endpoint": format!("{base}/oauth/token"),
        "jwks_uri": format!("{base}/.well-known/jwks.json"),
        "userinfo_endpoint": format!("{base}/oauth/userinfo"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "HS256", "ES256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "claims_supported": ["sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified",
            "phone_number", "phone_number_verified", "name", "picture", "preferred_username", "updated_at"],
        "code_challenge_methods_supported": ["S256", "plain"],
        "scopes_supported": ["openid", "profile", "email", "phone", "offline_access"],
    });
    ([(header::CACHE_CONTROL, "public, max-age=600")], Json(document))
}
