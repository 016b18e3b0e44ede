//! Bytes that no row names any more (CONTRACT.md K03, O07).

use futures_util::{StreamExt, stream};

use crate::{
    blobs::BlobKey,
    context::ServiceContext,
    error::StorageError,
    model::Version,
    store::{
        garbage::{self, Queued},
        versions,
    },
};

/// Versions whose bytes are deleted at a time.
const AT_ONCE: usize = 16;

/// Deletes the bytes of those versions that are in the queue and that no row names, and takes them
/// off the queue: a column may hold the version of another object. What fails is logged and left to
/// the sweep.
pub(crate) async fn collect(service: &ServiceContext, versions: &[Version]) -> usize {
    if versions.is_empty() {
        return 0;
    }
    match garbage::unused(&service.own_database(), versions).await {
        Ok(unused) => delete_all(service, unused).await,
        Err(error) => {
            tracing::warn!(%error, "storage: bytes are left to the sweep");
            0
        }
    }
}

/// Deletes the bytes of a version that nobody can give to an object any more, unless one has it.
pub(crate) async fn discard(service: &ServiceContext, version: Version) {
    match versions::is_of_object(&service.own_database(), version).await {
        Ok(true) => {}
        Ok(false) => {
            delete_all(service, vec![version]).await;
        }
        Err(error) => tracing::warn!(%error, "storage: bytes are left to the sweep"),
    }
}

async fn delete_all(service: &ServiceContext, versions: Vec<Version>) -> usize {
    let each = stream::iter(versions);
    let deleted = each.map(|version| async move {
        match service.blobs.delete(&BlobKey::Object(version)).await {
            Ok(()) => Some(version),
            Err(error) => {
                tracing::warn!(object.version = %version, %error, "storage: bytes are left to the sweep");
                None
            }
        }
    });
    let deleted: Vec<Version> =
        deleted.buffer_unordered(AT_ONCE).filter_map(async |version| version).collect().await;
    forget(service, &deleted).await;
    deleted.len()
}

/// Deletes the bytes of the oldest versions of the queue, at most `most`. `now` is in seconds.
/// Returns how many are off the queue.
///
/// # Errors
/// Those of the database.
pub(crate) async fn drain(service: &ServiceContext, now: i64, most: u32) -> Result<usize, StorageError> {
    let queued = garbage::queued(&service.own_database(), now, most).await?;
    let (named, gone): (Vec<Queued>, Vec<Queued>) = queued.into_iter().partition(|queued| queued.is_named);
    let [named, gone] =
        [named, gone].map(|queued| queued.iter().map(|queued| queued.version).collect::<Vec<_>>());
    forget(service, &named).await;
    Ok(named.len() + collect(service, &gone).await)
}

async fn forget(service: &ServiceContext, versions: &[Version]) {
    if versions.is_empty() {
        return;
    }
    if let Err(error) = garbage::forget(&service.own_database(), versions).await {
        tracing::warn!(%error, "storage: versions stay in the queue of garbage");
    }
}
