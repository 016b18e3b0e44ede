use axum::Json;
use serde_json::{Value, json};

/// `GET /health` (CONTRACT.md H1): the process answers. Clients know the service by the name.
pub(crate) async fn get() -> Json<Value> {
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "name": "GoTrue",
        "description": "GoTrue is a user registration and authentication API",
    }))
}
