//! `GET` and `HEAD /object/:bucket/*` and `/object/authenticated/:bucket/*` (CONTRACT.md D02, D03).

use banyan_web::Body;
use http::Response;

use super::{
    rights,
    serving::{download_parameter, serve},
};
use crate::{context::Exchange, error::StorageError, wire::Shown};

/// Reads an object for a caller who must be somebody.
pub(crate) async fn authenticated(
    exchange: &Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    exchange.context.caller()?;
    download(exchange, bucket, name).await
}

/// Reads an object: of a public bucket for everybody, of a private one for whom the policies let
/// read it. To nobody in particular a private bucket looks like one that is not there.
pub(crate) async fn download(
    exchange: &Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    let rights = rights::of_caller(exchange, bucket).await?;
    let shown = Shown { download: download_parameter(&exchange.parts.uri), expires: None };
    serve(exchange, rights, (bucket, name), &shown).await
}
