//! `PUT /object/upload/sign/:bucket/*?token=` (CONTRACT.md S07).

use banyan_identity::Purpose;
use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use super::{
    incoming::{Incoming, incoming},
    signed_token,
};
use crate::{
    context::Exchange,
    domain::upload::{self, SignedUpload, UploadRequest},
    error::StorageError,
};

/// Writes the object that a signed URL is for. Whom it belongs to, and whether it replaces one,
/// says the token: whoever signed it was asked by the policies then.
pub(crate) async fn upload_signed(
    exchange: Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    let token = signed_token::check(&exchange, Purpose::Upload, bucket, name)?;
    let body = exchange.take_body();
    let Exchange { service, context, parts, patience, .. } = exchange;
    let Incoming { declared, bytes } = patience.whole(incoming(&parts.headers, body)).await?;
    let signed = SignedUpload::of(&token.claims);
    let request = UploadRequest {
        bucket: bucket.to_owned(),
        name: name.to_owned(),
        upsert: signed.upsert,
        owner: signed.owner.clone(),
        declared,
    };
    let plan = upload::plan(&service, &context, request).await?;
    let plan = plan.rehearse_signed(&service, &context, &signed).await?;
    let uploaded = plan.store(&service, &context, bytes).await?;
    Ok(json_response(StatusCode::OK, &json!({"Key": uploaded.key})))
}
