//! From the durable bytes to the row.

use std::sync::Arc;

use uuid::Uuid;

use super::UploadPlan;
use crate::{
    blobs::BlobKey,
    context::ServiceContext,
    error::StorageError,
    model::Version,
    request_context::RequestContext,
    store::{
        Db, multipart_uploads,
        uploads::{self, Committed, CommittedRow},
    },
};

/// How often the row is tried while others write the same name.
const MOST_TRIES: usize = 32;

/// Bytes that are durable in the back end and have no row yet.
#[derive(Debug, Clone)]
pub(crate) struct StoredBytes {
    pub(crate) version: Version,
    /// Bytes.
    pub(crate) size: u64,
    /// In quotes.
    pub(crate) e_tag: String,
}

/// An object that was written.
#[derive(Debug, Clone)]
pub(crate) struct Uploaded {
    pub(crate) id: Uuid,
    /// `bucket/name`.
    pub(crate) key: String,
    /// In quotes.
    pub(crate) e_tag: String,
    /// Such as `2021-02-17T04:43:32.770Z`.
    pub(crate) last_modified: String,
}

/// Commits in a task of its own, so that a client which goes away now cannot leave the row half
/// decided: the bytes must only be deleted when the row is certainly not there.
pub(super) async fn in_a_task(
    plan: UploadPlan,
    service: &Arc<ServiceContext>,
    context: &RequestContext,
    stored: StoredBytes,
) -> Result<Uploaded, StorageError> {
    let (service, context) = (Arc::clone(service), context.clone());
    let task = tokio::spawn(async move { commit(&plan, &service, &context, stored).await });
    task.await.map_err(|_| StorageError::Internal("the task of a commit ended early"))?
}

async fn commit(
    plan: &UploadPlan,
    service: &Arc<ServiceContext>,
    context: &RequestContext,
    stored: StoredBytes,
) -> Result<Uploaded, StorageError> {
    match write_row(plan, service, context, &stored).await {
        Ok(committed) => {
            service.caches.rows.forget_object(&plan.bucket.id, plan.name.as_str());
            Ok(Uploaded {
                id: committed.id,
                key: plan.key(),
                e_tag: stored.e_tag,
                last_modified: committed.last_modified,
            })
        }
        Err(refusal) => {
            if is_certain(&refusal) && !plan.keeps_bytes {
                delete_bytes(service, stored.version).await;
            }
            Err(refusal)
        }
    }
}

/// Writes the row. Policies were not asked of a row that came or changed since the rehearsal, so
/// they are asked once more then; a signed URL lets nobody replace it.
async fn write_row(
    plan: &UploadPlan,
    service: &ServiceContext,
    context: &RequestContext,
    stored: &StoredBytes,
) -> Result<Committed, StorageError> {
    let metadata = plan.declared.as_committed(stored);
    let mut replaceable = plan.replaceable.clone();
    for _ in 0..MOST_TRIES {
        let row = CommittedRow {
            version: stored.version,
            metadata: &metadata,
            quota: service.settings.quota_per_user,
            replaceable: &replaceable,
            multipart: plan.multipart.as_deref(),
        };
        let db = Db::as_service(&service.database, context);
        if let Some(committed) = uploads::commit(db, plan.row(), row).await? {
            return Ok(committed);
        }
        if let Some(id) = &plan.multipart
            && !multipart_uploads::exists(db, id).await?
        {
            return Err(StorageError::NoSuchUpload);
        }
        if plan.is_signed {
            return Err(StorageError::KeyAlreadyExists);
        }
        replaceable = plan.ask(Db::new(&service.database, context, context.caller()?)).await?;
    }
    Err(StorageError::ResourceLocked)
}

/// Whether a refusal says that the row was not written.
fn is_certain(refusal: &StorageError) -> bool {
    !matches!(refusal, StorageError::Database(error) if error.may_have_committed())
}

/// Whether a commit that was refused so would be refused again: its upload is over.
pub(crate) fn is_final(refusal: &StorageError) -> bool {
    matches!(
        refusal,
        StorageError::KeyAlreadyExists
            | StorageError::ResourceAlreadyExists
            | StorageError::AccessDenied(_)
            | StorageError::InvalidMimeType(_)
            | StorageError::ParentMissing
            | StorageError::NoSuchBucket
            | StorageError::NoSuchUpload
            | StorageError::QuotaExceeded
    )
}

/// Deletes bytes that no row will name. What cannot be deleted now, the sweep collects.
async fn delete_bytes(service: &ServiceContext, version: Version) {
    if let Err(error) = service.blobs.delete(&BlobKey::Object(version)).await {
        tracing::warn!(error.message = %error, storage.version = %version, "storage: bytes without a row are left to the sweep");
    }
}
