//! `/status`, `/version`, `/health` (CONTRACT.md M02 to M04).

use banyan_db::Statement;
use banyan_web::{Body, empty, full, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use crate::{context::Exchange, error::StorageError};

/// Says that the service runs.
pub(crate) fn status() -> Response<Body> {
    Response::new(empty())
}

/// Says which version runs.
pub(crate) fn version() -> Response<Body> {
    Response::new(full(env!("CARGO_PKG_VERSION")))
}

/// Says whether the database answers. It needs a token.
pub(crate) async fn health(exchange: Exchange) -> Result<Response<Body>, StorageError> {
    exchange.as_caller()?.read(&Statement::new("select 1", vec![])).await?;
    Ok(json_response(StatusCode::OK, &json!({"healthy": true})))
}
