//! Unfinished uploads that nobody completes.

use time::{Duration, OffsetDateTime};

use crate::{
    blobs::{BlobKey, PartsId},
    context::ServiceContext,
    error::StorageError,
    store::multipart_uploads,
};

/// How long an upload of S3 may stay unfinished (CONTRACT.md K12).
const LIFE: Duration = Duration::days(7);

/// Uploads that are given up in a round.
const MOST: u32 = 100;

/// Gives up what is too old: the parts first, then the row by which they are found. Parts that were
/// joined are queued as garbage with it. Returns how many there were. One that cannot be given up
/// now is tried again in the next round.
pub(super) async fn abort(service: &ServiceContext, now: OffsetDateTime) -> Result<u64, StorageError> {
    let db = service.own_database();
    let mut aborted = 0;
    for upload in multipart_uploads::older_than(&db, now - LIFE, MOST).await? {
        let (key, id) = (BlobKey::Object(upload.version), PartsId(upload.id));
        if let Err(error) = service.blobs.abort_parts((&key, &id)).await {
            tracing::warn!(upload.id = id.0, %error, "storage: an unfinished upload is left for now");
            continue;
        }
        multipart_uploads::delete(&db, &id.0).await?;
        aborted += 1;
    }
    Ok(aborted)
}
