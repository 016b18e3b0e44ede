use std::sync::Arc;

use axum::{Json, extract::State, response::IntoResponse};
use http::header;

use crate::state::Inner;

/// `GET /.well-known/jwks.json` (CONTRACT.md H3): public keys only, kept ten minutes.
pub(crate) async fn get(State(inner): State<Arc<Inner>>) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "public, max-age=600")], Json(inner.keyring.public_jwks()))
}
