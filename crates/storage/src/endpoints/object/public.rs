//! `GET` and `HEAD /object/public/:bucket/*` (CONTRACT.md D01).

use banyan_web::Body;
use http::Response;

use super::serving::{download_parameter, serve};
use crate::{
    context::Exchange,
    error::StorageError,
    store::served::{self, Rights},
    wire::Shown,
};

/// Reads an object of a public bucket. A private bucket looks like one that is not there.
pub(crate) async fn public(
    exchange: &Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    let found = served::bucket(&exchange.service, &exchange.context, bucket).await?;
    if !found.is_some_and(|bucket| bucket.public) {
        return Err(StorageError::NoSuchBucket);
    }
    let shown = Shown { download: download_parameter(&exchange.parts.uri), expires: None };
    serve(exchange, Rights::Service, (bucket, name), &shown).await
}
