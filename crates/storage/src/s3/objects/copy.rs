//! `CopyObject`.

use banyan_web::Body;
use http::Response;
use serde::Serialize;

use crate::{
    domain::upload::{self, Declared, UploadRequest, owner_of},
    endpoints::object::copy_bytes,
    error::StorageError,
    s3::{
        copy_source::CopySource,
        headers::{cache_control, content_type},
        request::{SignedRequest, texts, user_metadata},
        xml,
    },
};

#[derive(Serialize)]
struct CopyObjectResult {
    #[serde(rename = "ETag")]
    e_tag: String,
    #[serde(rename = "LastModified")]
    last_modified: String,
}

/// Copies an object, with the caller's rights at both places, in place of what is there.
pub(in crate::s3) async fn copy(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let source = CopySource::of(&request).await?;
    let exchange = &request.exchange;
    let wanted = UploadRequest {
        bucket: request.bucket().to_owned(),
        name: request.key().to_owned(),
        upsert: true,
        owner: owner_of(request.caller()?),
        declared: declared(&request, &source)?,
    };
    let plan = upload::plan(&exchange.service, &exchange.context, wanted).await?;
    let plan = plan.rehearse(exchange.as_caller()?).await?;
    let copied = copy_bytes((&exchange.service, &exchange.context), &source.object, plan).await?;
    let result = CopyObjectResult { e_tag: copied.e_tag, last_modified: copied.last_modified };
    Ok(xml::answer("CopyObjectResult", &result))
}

/// What the copy is declared to be: as the source, or as the headers say.
fn declared(request: &SignedRequest, source: &CopySource) -> Result<Declared, StorageError> {
    let metadata = source.object.metadata.clone().unwrap_or_default();
    let size = Some(source.size());
    match request.header("x-amz-metadata-directive") {
        None | Some("COPY") => Ok(Declared {
            mimetype: metadata.mimetype,
            cache_control: metadata.cache_control,
            size,
            content_length: None,
            user_metadata: source.object.user_metadata.clone(),
            x_robots_tag: metadata.x_robots_tag,
        }),
        Some("REPLACE") => Ok(Declared {
            mimetype: content_type(request.header("content-type")),
            cache_control: cache_control(request.header("cache-control")),
            size,
            content_length: None,
            user_metadata: user_metadata(texts(&request.exchange.parts.headers)),
            x_robots_tag: None,
        }),
        Some(_) => Err(StorageError::InvalidParameter("x-amz-metadata-directive".to_owned())),
    }
}
