//! `GET /render/image/public/:bucket/*` (CONTRACT.md I01, D01).

use banyan_web::Body;
use http::Response;

use super::serving::{Wanted, serve};
use crate::{context::Exchange, endpoints::object::rights, error::StorageError};

/// Renders an image of a public bucket. A private bucket looks like one that is not there.
pub(crate) async fn public(
    exchange: &Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    let wanted = Wanted::of_query(exchange)?;
    let rights = rights::of_everybody(exchange, bucket).await?;
    serve(exchange, rights, (bucket, name), &wanted).await
}
