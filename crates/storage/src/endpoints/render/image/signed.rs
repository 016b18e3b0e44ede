//! `GET /render/image/sign/:bucket/*?token=` (CONTRACT.md I01, S03).

use banyan_identity::Purpose;
use banyan_web::Body;
use http::Response;
use serde_json::Value;

use super::serving::{Wanted, serve};
use crate::{
    context::Exchange,
    domain::served::Rights,
    domain::signed_urls::TRANSFORMATIONS,
    endpoints::object::{serving::download_parameter, signed_token},
    error::StorageError,
    render::RenderOptions,
    wire::Shown,
};

/// Renders the image that a signed URL is for. Its options are those of the token; the query cannot
/// change them.
pub(crate) async fn signed(
    exchange: &Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    let token = signed_token::check(exchange, Purpose::Download, bucket, name)?;
    let signed = token.claims.get(TRANSFORMATIONS).and_then(Value::as_str).unwrap_or_default();
    let download = download_parameter(&exchange.parts.uri);
    let wanted = Wanted {
        options: RenderOptions::from_signed(signed)?,
        shown: Shown { download, expires: Some(token.expires_at) },
    };
    serve(exchange, Rights::Service, (bucket, name), &wanted).await
}
