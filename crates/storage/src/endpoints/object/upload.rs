//! `POST` and `PUT /object/:bucket/*` (CONTRACT.md U01, U03).

use banyan_web::{Body, json_response};
use http::{Method, Response, StatusCode};
use serde_json::json;

use super::incoming::{Incoming, incoming, is_upsert};
use crate::{
    context::Exchange,
    domain::upload::{self, UploadRequest, owner_of},
    error::StorageError,
    store::Db,
};

/// Writes an object. `PUT` always replaces the one that is there.
pub(crate) async fn upload(
    exchange: Exchange,
    bucket: &str,
    name: &str,
) -> Result<Response<Body>, StorageError> {
    let body = exchange.take_body();
    let Exchange { service, context, parts, patience, .. } = exchange;
    let caller = context.caller()?;
    let Incoming { declared, bytes } = patience.whole(incoming(&parts.headers, body)).await?;
    let request = UploadRequest {
        bucket: bucket.to_owned(),
        name: name.to_owned(),
        upsert: parts.method == Method::PUT || is_upsert(&parts.headers),
        owner: owner_of(caller),
        declared,
    };
    let plan = upload::plan(&service, &context, request).await?;
    let plan = plan.rehearse(Db::new(&service.database, &context, caller)).await?;
    let uploaded = plan.store(&service, &context, bytes).await?;
    Ok(json_response(StatusCode::OK, &json!({"Id": uploaded.id, "Key": uploaded.key})))
}
