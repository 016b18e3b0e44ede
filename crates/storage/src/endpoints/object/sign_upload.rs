//! `POST /object/upload/sign/:bucket/*` (CONTRACT.md S06).

use banyan_identity::Purpose;
use banyan_web::{Body, json_response};
use http::{
    Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use serde_json::{Map, Value, json};

use crate::{
    context::Exchange,
    domain::{
        signed_urls::Grant,
        upload::{SignedUpload, decode_user_metadata, owner_of},
    },
    error::StorageError,
    model::ObjectPath,
    store::uploads::{self, NewRow},
};

/// Signs a URL that writes one object. The policies are asked now, and not when it is used.
pub(crate) async fn sign_upload(
    exchange: Exchange,
    path: ObjectPath,
) -> Result<Response<Body>, StorageError> {
    let caller = exchange.context.caller()?;
    let owner = owner_of(caller);
    let upsert = exchange.header("x-upsert") == Some("true");
    let user_metadata = exchange.header("x-metadata").and_then(decode_user_metadata);
    let row = NewRow {
        bucket: path.bucket.as_str(),
        name: path.name.as_str(),
        owner: owner.as_deref(),
        user_metadata: user_metadata.as_ref(),
        upsert,
    };
    let declared = declared(&exchange);
    let met = uploads::rehearse(exchange.as_caller()?, row, &declared).await.map_err(without_bucket)?;
    let url = path.to_string();
    let claims = SignedUpload::new(owner, upsert, &met, caller.is_service()).claims();
    let expires_at = exchange.context.now + exchange.service.settings.signed_upload_life;
    let grant = Grant { purpose: Purpose::Upload, url: url.clone(), claims, expires_at };
    let token = grant.sign(&exchange.service, &exchange.context)?;
    let url = format!("/object/upload/sign/{url}?token={token}");
    Ok(json_response(StatusCode::OK, &json!({"url": url, "token": token})))
}

/// An object whose bucket is not there has no parent.
fn without_bucket(error: StorageError) -> StorageError {
    match error {
        StorageError::ParentMissing => StorageError::NoSuchBucket,
        other => other,
    }
}

/// What policies are told of the object. The headers are those of this request, which has no bytes.
fn declared(exchange: &Exchange) -> Value {
    let mut metadata = Map::new();
    let mimetype = exchange.header(CONTENT_TYPE.as_str());
    metadata.extend(mimetype.map(|mimetype| ("mimetype".to_owned(), mimetype.into())));
    let length = exchange.header(CONTENT_LENGTH.as_str()).and_then(|length| length.parse::<u64>().ok());
    metadata.extend(length.map(|length| ("contentLength".to_owned(), length.into())));
    Value::Object(metadata)
}
