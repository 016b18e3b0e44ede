//! `DELETE /cdn`, `/cdn/:bucket`, `/cdn/:bucket/*` (CONTRACT.md M01).

use banyan_web::Body;
use http::Response;

use crate::{context::Exchange, error::StorageError};

/// Refuses to purge: there is no cache before the stack that it could purge.
pub(crate) fn purge(exchange: &Exchange) -> Result<Response<Body>, StorageError> {
    exchange.service_caller()?;
    Err(StorageError::MissingParameter("CDN_PURGE_ENDPOINT_URL is not set"))
}
