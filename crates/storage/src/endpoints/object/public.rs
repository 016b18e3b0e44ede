//! `GET` and `HEAD /object/public/:bucket/*` (CONTRACT.md D01).

use banyan_web::Body;
use http::Response;

use super::{
    rights,
    serving::{download_parameter, serve},
};
use crate::{context::Exchange, error::StorageError, wire::Shown};

/// Reads an object of a public bucket. A private bucket looks like one that is not there.
pub(crate) async fn public(
    exchange: &Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    let rights = rights::of_everybody(exchange, bucket).await?;
    let shown = Shown { download: download_parameter(&exchange.parts.uri), expires: None };
    serve(exchange, rights, (bucket, name), &shown).await
}
