//! `GET` and `HEAD /object/sign/:bucket/*?token=` (CONTRACT.md S03, S05).

use banyan_identity::Purpose;
use banyan_web::Body;
use http::Response;

use super::{
    serving::{download_parameter, serve},
    signed_token,
};
use crate::{context::Exchange, domain::served::Rights, error::StorageError, wire::Shown};

/// Reads the object that a signed URL is for.
pub(crate) async fn signed(
    exchange: &Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    let token = signed_token::check(exchange, Purpose::Download, bucket, name)?;
    let download = download_parameter(&exchange.parts.uri);
    let shown = Shown { download, expires: Some(token.expires_at) };
    serve(exchange, Rights::Service, (bucket, name), &shown).await
}
