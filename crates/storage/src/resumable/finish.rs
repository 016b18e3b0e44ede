//! From the last byte to the object.
//!
//! Each step may be repeated: a process may end after any of them.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};

use super::{abort, pieces, running_md5::RunningMd5};
use crate::{
    blobs::{BlobError, BlobKey, PartId, PartsId},
    context::ServiceContext,
    domain::upload::{StoredBytes, UploadPlan, is_final},
    error::StorageError,
    model::ResumableUpload,
    request_context::RequestContext,
    store::{resumable_uploads, versions},
};

/// Joins the parts of a whole upload and writes the row of its object.
pub(super) async fn finish(
    service: &Arc<ServiceContext>,
    context: &RequestContext,
    upload: &mut ResumableUpload,
    plan: UploadPlan,
) -> Result<(), StorageError> {
    pieces::write_tail(service, upload).await?;
    join(service, upload).await?;
    commit(service, context, upload, plan).await?;
    resumable_uploads::finish(&service.own_database(), upload.version).await
}

/// Makes one blob of the parts.
async fn join(service: &ServiceContext, upload: &ResumableUpload) -> Result<(), StorageError> {
    let (key, parts_id) = (BlobKey::Object(upload.version), PartsId(upload.parts_id.clone()));
    let parts = resumable_uploads::parts(&service.own_database(), upload.version).await?;
    if parts.is_empty() {
        service.blobs.put(&key, stream::empty().boxed(), Some(0)).await?;
        return Ok(service.blobs.abort_parts((&key, &parts_id)).await?);
    }
    let parts: Vec<_> = parts.into_iter().map(|part| (part.number, PartId(part.id))).collect();
    match service.blobs.complete_parts((&key, &parts_id), &parts).await {
        Ok(_) => Ok(()),
        Err(BlobError::NotFound) => joined_before(service, upload).await,
        Err(error) => Err(error.into()),
    }
}

/// Whether the parts are gone since they were joined.
async fn joined_before(service: &ServiceContext, upload: &ResumableUpload) -> Result<(), StorageError> {
    let size = service.blobs.size(&BlobKey::Object(upload.version)).await?;
    if size == upload.received { Ok(()) } else { Err(BlobError::NotFound.into()) }
}

/// Writes the object's row. What a later request would be refused too ends the upload; what may go
/// well the next time leaves it as it is.
async fn commit(
    service: &Arc<ServiceContext>,
    context: &RequestContext,
    upload: &ResumableUpload,
    plan: UploadPlan,
) -> Result<(), StorageError> {
    let e_tag = RunningMd5::from_state(&upload.md5)?.e_tag();
    let stored = StoredBytes { version: upload.version, size: upload.received, e_tag };
    let committed = match plan.check_content(service, upload.version, upload.received).await {
        Ok(()) => plan.keeping_bytes().commit(service, context, stored).await.map(drop),
        Err(refusal) => Err(refusal),
    };
    match committed {
        Err(refusal) if is_final(&refusal) => end(service, upload, refusal).await,
        committed => committed,
    }
}

/// Ends a refused upload, unless another request has just made its object: that one may still have
/// been busy when this one became the writer, and its bytes are the same.
async fn end(
    service: &ServiceContext,
    upload: &ResumableUpload,
    refusal: StorageError,
) -> Result<(), StorageError> {
    let db = service.own_database();
    let is_made = versions::is_of_object(&db, upload.version).await?;
    if is_made || resumable_uploads::find(&db, upload.version).await?.is_finished {
        return Ok(());
    }
    abort::discard(service, upload).await;
    Err(refusal)
}
