//! Gives uploads up.

use time::OffsetDateTime;

use super::pieces::delete_tail;
use crate::{
    blobs::{BlobKey, PartsId},
    context::ServiceContext,
    error::StorageError,
    model::{ResumableUpload, Version},
    store::resumable_uploads,
};

/// Deletes the bytes of an upload, then its row: so what is not deleted is tried again.
pub(super) async fn abort(service: &ServiceContext, upload: &ResumableUpload) -> Result<(), StorageError> {
    let (key, parts_id) = (BlobKey::Object(upload.version), PartsId(upload.parts_id.clone()));
    service.blobs.abort_parts((&key, &parts_id)).await?;
    if let Some(tail) = upload.tail {
        delete_tail(service, tail).await;
    }
    resumable_uploads::delete(&service.own_database(), upload.version).await
}

/// Deletes the row of a whole upload that becomes no object, and its bytes. If that fails, the
/// upload expires, and the sweep collects the bytes.
pub(super) async fn discard(service: &ServiceContext, upload: &ResumableUpload) {
    let forgotten = resumable_uploads::delete(&service.own_database(), upload.version).await;
    let deleted = match forgotten {
        Ok(()) => service.blobs.delete(&BlobKey::Object(upload.version)).await.map_err(StorageError::from),
        Err(error) => Err(error),
    };
    if let Err(error) = deleted {
        tracing::warn!(error.message = %error, storage.version = %upload.version, "storage: an upload that was refused is left to the sweep");
    }
}

/// Gives up what has expired at `now`, and forgets uploads that became objects (CONTRACT.md T10).
/// Returns how many there were, a hundred at most.
///
/// Parts that were joined into a blob without a row are left to the sweep of blobs.
///
/// # Errors
/// Those of the database. An upload that cannot be given up now is tried again the next time.
pub(crate) async fn abort_expired(
    service: &ServiceContext,
    now: OffsetDateTime,
) -> Result<u64, StorageError> {
    let mut ended = 0;
    for version in resumable_uploads::expired(&service.own_database(), now).await? {
        match end(service, version).await {
            Ok(()) => ended += 1,
            Err(error) => {
                tracing::warn!(error.message = %error, storage.version = %version, "storage: an expired upload is left for now");
            }
        }
    }
    Ok(ended)
}

/// Ends an upload as its newest writer, so that one which still receives stops.
async fn end(service: &ServiceContext, version: Version) -> Result<(), StorageError> {
    let _writer = service.writers.take_over(version).await?;
    let upload = resumable_uploads::take(&service.own_database(), version).await?;
    if upload.is_finished {
        return resumable_uploads::delete(&service.own_database(), version).await;
    }
    abort(service, &upload).await
}
