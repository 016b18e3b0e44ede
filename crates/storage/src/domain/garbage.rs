//! Bytes that no row names any more (CONTRACT.md K03, O07).

use futures_util::{StreamExt, stream};

use crate::{blobs::BlobKey, context::ServiceContext, model::Version};

/// Blobs that are deleted at a time.
const AT_ONCE: usize = 16;

/// Deletes the bytes of versions whose rows are gone. What fails is logged and left to the sweep.
pub(crate) async fn collect(service: &ServiceContext, versions: &[Version]) {
    let each = stream::iter(versions.iter().copied());
    each.for_each_concurrent(AT_ONCE, |version| async move {
        if let Err(error) = service.blobs.delete(&BlobKey::Object(version)).await {
            tracing::warn!(object.version = %version, %error, "storage: bytes are left to the sweep");
        }
    })
    .await;
}
