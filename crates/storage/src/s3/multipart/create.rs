//! `CreateMultipartUpload`.

use banyan_web::Body;
use http::{Response, header::CONTENT_TYPE};
use serde::Serialize;

use super::{planned, seal};
use crate::{
    blobs::{BlobKey, PartsId},
    domain::upload::{MOST_UNFINISHED, owner_of},
    error::StorageError,
    model::MultipartUpload,
    s3::{
        headers::{cache_control, content_type},
        request::{SignedRequest, texts, user_metadata},
        xml,
    },
    store::multipart_uploads,
};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct InitiateMultipartUploadResult {
    bucket: String,
    key: String,
    upload_id: String,
}

/// Begins an upload: in the back end first, then as a row.
pub(in crate::s3) async fn create(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let service = &request.exchange.service;
    let headers = &request.exchange.parts.headers;
    let mut upload = MultipartUpload {
        id: String::new(),
        bucket_id: request.bucket().to_owned(),
        key: request.key().to_owned(),
        version: service.new_version(),
        owner_id: owner_of(request.caller()?),
        is_of_service: request.caller()?.is_service(),
        mimetype: content_type(request.header(CONTENT_TYPE.as_str())),
        cache_control: cache_control(request.header("cache-control")),
        user_metadata: user_metadata(texts(headers)),
        signature: String::new(),
    };
    planned(&request, &upload, None).await?;
    let key = BlobKey::Object(upload.version);
    PartsId(upload.id) = service.blobs.begin_parts(&key).await?;
    upload.signature = seal::sign(service, &upload);
    let (db, quota) = (service.own_database(), service.settings.quota_per_user);
    if let Err(refusal) = multipart_uploads::insert(&db, &upload, quota, MOST_UNFINISHED).await {
        service.blobs.abort_parts((&key, &PartsId(upload.id))).await.ok();
        return Err(refusal);
    }
    let MultipartUpload { id, bucket_id, key, .. } = upload;
    let result = InitiateMultipartUploadResult { bucket: bucket_id, key, upload_id: id };
    Ok(xml::answer("InitiateMultipartUploadResult", &result))
}
