//! `POST /object/copy` (CONTRACT.md O03).

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use super::two_places::TwoPlaces;
use crate::{
    blobs::BlobKey,
    context::Exchange,
    domain::upload::{
        self, Declared, StoredBytes, UploadPlan, UploadRequest, Uploaded, decode_user_metadata, owner_of,
    },
    error::StorageError,
    model::{Object, ObjectPath},
    store::objects,
    wire::Fields,
};

/// Copies an object, with the caller's rights at both places.
pub(crate) async fn copy(mut exchange: Exchange) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    let TwoPlaces { from, to } = TwoPlaces::read(&exchange, &fields)?;
    let declared = Declaration::read(&exchange, &fields)?;
    let source = objects::find(exchange.as_caller()?, &from).await?.ok_or(StorageError::NoSuchKey)?;
    let plan = plan(&exchange, &to, declared.of(&source)).await?;
    plan.rehearse(exchange.as_caller()?).await?;
    let copied = copy_bytes(&exchange, &source, plan).await?;
    answer(&exchange, &to, &copied).await
}

/// What the copy is declared to be.
struct Declaration {
    /// Whether all is as at the source.
    as_source: bool,
    cache_control: Option<String>,
    mimetype: Option<String>,
    user_metadata: Option<serde_json::Map<String, serde_json::Value>>,
}

impl Declaration {
    fn read(exchange: &Exchange, fields: &Fields) -> Result<Self, StorageError> {
        let metadata = fields.object("metadata")?;
        let text = |name| metadata.as_ref().map_or(Ok(None), |metadata| metadata.text(name));
        Ok(Self {
            as_source: fields.boolean("copyMetadata")?.unwrap_or(true),
            cache_control: text("cacheControl")?,
            mimetype: text("mimetype")?,
            user_metadata: exchange.header("x-metadata").and_then(decode_user_metadata),
        })
    }

    fn of(self, source: &Object) -> Declared {
        let metadata = source.metadata.clone().unwrap_or_default();
        let size = Some(metadata.size);
        let x_robots_tag = metadata.x_robots_tag;
        let (mimetype, cache_control) = (metadata.mimetype, metadata.cache_control);
        let (mimetype, cache_control, user_metadata) = match self.as_source {
            true => (mimetype, cache_control, source.user_metadata.clone()),
            false => (
                self.mimetype.unwrap_or(mimetype),
                self.cache_control.unwrap_or(cache_control),
                self.user_metadata,
            ),
        };
        Declared { mimetype, cache_control, size, content_length: None, user_metadata, x_robots_tag }
    }
}

/// The limits of the other bucket count as for any upload.
async fn plan(exchange: &Exchange, to: &ObjectPath, declared: Declared) -> Result<UploadPlan, StorageError> {
    let request = UploadRequest {
        bucket: to.bucket.as_str().to_owned(),
        name: to.name.as_str().to_owned(),
        upsert: exchange.header("x-upsert") == Some("true"),
        owner: owner_of(exchange.context.caller()?),
        declared,
    };
    upload::plan(&exchange.service, &exchange.context, request).await
}

async fn copy_bytes(
    exchange: &Exchange,
    source: &Object,
    plan: UploadPlan,
) -> Result<Uploaded, StorageError> {
    let from = source.version.ok_or(StorageError::NoBytes)?;
    let version = exchange.service.new_version();
    exchange.service.blobs.copy(&BlobKey::Object(from), &BlobKey::Object(version)).await?;
    let metadata = source.metadata.clone().unwrap_or_default();
    let stored = StoredBytes { version, size: metadata.size, e_tag: metadata.e_tag };
    plan.commit(&exchange.service, &exchange.context, stored).await
}

/// The row of the copy, as the service sees it: who may write it need not be able to read it.
async fn answer(
    exchange: &Exchange,
    to: &ObjectPath,
    copied: &Uploaded,
) -> Result<Response<Body>, StorageError> {
    let mut body = json!({"Id": copied.id, "Key": copied.key});
    let row = objects::row(exchange.as_service(), to).await?;
    if let (Some(body), Some(serde_json::Value::Object(row))) = (body.as_object_mut(), row) {
        body.extend(row);
    }
    Ok(json_response(StatusCode::OK, &body))
}
