use std::sync::Arc;

use axum::{Json, extract::State, response::IntoResponse};
use http::header;

use crate::context::ServiceContext;

/// `GET /.well-known/jwks.json` (CONTRACT.md H3): public keys only, kept ten minutes.
pub(crate) async fn get(State(service): State<Arc<ServiceContext>>) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "public, max-age=600")], Json(service.keyring.public_jwks()))
}
