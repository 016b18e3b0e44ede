//! Begins an upload.

use super::running_md5::RunningMd5;
use crate::{
    blobs::{BlobKey, PartsId},
    context::ServiceContext,
    domain::upload::MOST_UNFINISHED,
    error::StorageError,
    model::ResumableUpload,
    request_context::RequestContext,
    store::resumable_uploads::{self, Bound},
};

/// An upload that a request asks for, checked.
#[derive(Debug, Clone)]
pub(crate) struct NewUpload {
    pub(crate) bucket: String,
    pub(crate) object: String,
    pub(crate) owner: Option<String>,
    /// Whether `service_role` begins it.
    pub(crate) is_of_service: bool,
    /// Whether it counts to what its owner may have.
    pub(crate) is_bounded: bool,
    pub(crate) upsert: bool,
    /// Bytes; none if the client will tell later.
    pub(crate) length: Option<u64>,
    /// The header `Upload-Metadata`.
    pub(crate) metadata: String,
}

/// Begins an upload: in the back end first, then as a row.
///
/// # Errors
/// `TooManyUploads`, `QuotaExceeded`, those of the back end and of the database. Nothing is left.
pub(crate) async fn begin(
    service: &ServiceContext,
    context: &RequestContext,
    new: NewUpload,
) -> Result<ResumableUpload, StorageError> {
    let version = service.new_version();
    let key = BlobKey::Object(version);
    let PartsId(parts_id) = service.blobs.begin_parts(&key).await?;
    let upload = ResumableUpload {
        version,
        bucket_id: new.bucket,
        name: new.object,
        owner_id: new.owner,
        is_of_service: new.is_of_service,
        upsert: new.upsert,
        length: new.length,
        received: 0,
        metadata: new.metadata,
        parts_id,
        tail: None,
        md5: RunningMd5::new().state(),
        generation: 0,
        expires_at: context.now + service.settings.resumable_upload_life,
        is_finished: false,
    };
    let bound = Bound { most: MOST_UNFINISHED, quota: service.settings.quota_per_user };
    let bound = new.is_bounded.then_some(bound);
    if let Err(error) = resumable_uploads::insert(&service.own_database(), &upload, bound).await {
        service.blobs.abort_parts((&key, &PartsId(upload.parts_id))).await.ok();
        return Err(error);
    }
    Ok(upload)
}
