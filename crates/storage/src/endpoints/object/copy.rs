//! `POST /object/copy` (CONTRACT.md O03).

use std::sync::Arc;

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::{Map, Value};

use super::two_places::TwoPlaces;
use crate::{
    blobs::BlobKey,
    context::{Exchange, ServiceContext},
    domain::upload::{
        self, Declared, StoredBytes, UploadPlan, UploadRequest, Uploaded, decode_user_metadata, owner_of,
    },
    error::StorageError,
    model::{Object, ObjectPath},
    request_context::RequestContext,
    store::objects,
    wire::Fields,
};

/// Copies an object, with the caller's rights at both places.
pub(crate) async fn copy(exchange: Exchange) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    let TwoPlaces { from, to } = TwoPlaces::read(&exchange, &fields)?;
    let declared = Declaration::read(&exchange, &fields)?;
    let source = objects::find(exchange.as_caller()?, &from).await?.ok_or(StorageError::NoSuchKey)?;
    let request = request(&exchange, &to, declared.of(&source))?;
    let plan = upload::plan(&exchange.service, &exchange.context, request).await?;
    let plan = plan.rehearse(exchange.as_caller()?).await?;
    let copied = copy_bytes((&exchange.service, &exchange.context), &source, plan).await?;
    // Who may write the copy need not be able to read it, so the service reads its row.
    let row = objects::row(exchange.as_service(), &to).await?;
    Ok(answer(&copied, row.unwrap_or_default()))
}

/// What the copy is declared to be.
struct Declaration {
    /// Whether all is as at the source.
    as_source: bool,
    cache_control: Option<String>,
    mimetype: Option<String>,
    user_metadata: Option<Map<String, Value>>,
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
fn request(exchange: &Exchange, to: &ObjectPath, declared: Declared) -> Result<UploadRequest, StorageError> {
    Ok(UploadRequest {
        bucket: to.bucket.as_str().to_owned(),
        name: to.name.as_str().to_owned(),
        upsert: exchange.header("x-upsert") == Some("true"),
        owner: owner_of(exchange.context.caller()?),
        declared,
    })
}

/// Copies the bytes to a new version, and writes the row.
pub(crate) async fn copy_bytes(
    (service, context): (&Arc<ServiceContext>, &RequestContext),
    source: &Object,
    plan: UploadPlan,
) -> Result<Uploaded, StorageError> {
    let from = source.version.ok_or(StorageError::NoBytes)?;
    let version = service.new_version();
    service.blobs.copy(&BlobKey::Object(from), &BlobKey::Object(version)).await?;
    let metadata = source.metadata.clone().unwrap_or_default();
    let stored = StoredBytes { version, size: metadata.size, e_tag: metadata.e_tag };
    plan.commit(service, context, stored).await
}

/// `Id` and `Key` beside the row.
fn answer(copied: &Uploaded, row: Value) -> Response<Body> {
    let mut body = Map::from_iter([
        ("Id".to_owned(), copied.id.to_string().into()),
        ("Key".to_owned(), copied.key.as_str().into()),
    ]);
    if let Value::Object(row) = row {
        body.extend(row);
    }
    json_response(StatusCode::OK, &body)
}
