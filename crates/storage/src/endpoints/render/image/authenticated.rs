//! `GET /render/image/authenticated/:bucket/*` (CONTRACT.md I01, D02).

use banyan_web::Body;
use http::Response;

use super::serving::{Wanted, serve};
use crate::{context::Exchange, endpoints::object::rights, error::StorageError};

/// Renders an image for a caller who must be somebody, and may read the object.
pub(crate) async fn authenticated(
    exchange: &Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    exchange.context.caller()?;
    let wanted = Wanted::of_query(exchange)?;
    let rights = rights::of_caller(exchange, bucket).await?;
    serve(exchange, rights, (bucket, name), &wanted).await
}
