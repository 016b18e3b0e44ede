//! What the first bytes say of the type (CONTRACT.md B3).

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};

use super::limits::essence;
use crate::{
    blobs::{BlobError, ByteStream},
    error::StorageError,
};

/// So many bytes tell an image or a PDF from others.
pub(super) const TELLING: u64 = 64;

/// Ends a stream in `InvalidMimeType` when its first bytes are not of the declared type. Only
/// images and PDF are judged: they are what buckets list, and their first bytes are known.
pub(super) fn checked(bytes: ByteStream, is_on: bool, mimetype: &str) -> ByteStream {
    let declared = essence(mimetype);
    if !is_on || !is_judged(&declared) {
        return bytes;
    }
    Box::pin(stream::once(first_checked(bytes, declared)).flatten())
}

async fn first_checked(mut bytes: ByteStream, declared: String) -> ByteStream {
    let mut first = BytesMut::new();
    while (first.len() as u64) < TELLING {
        match bytes.next().await {
            Some(Ok(piece)) => first.extend_from_slice(&piece),
            Some(Err(error)) => return of(Err(error)),
            None => break,
        }
    }
    if !agrees(&first, &declared) {
        return of(Err(BlobError::Source(Box::new(StorageError::InvalidMimeType(declared)))));
    }
    Box::pin(of(Ok(first.freeze())).chain(bytes))
}

fn of(piece: Result<Bytes, BlobError>) -> ByteStream {
    Box::pin(stream::iter([piece]))
}

/// Types whose first bytes are known. SVG is text.
fn is_judged(declared: &str) -> bool {
    declared == "application/pdf" || (declared.starts_with("image/") && !declared.contains("xml"))
}

/// An image type that is not known here is right for any image.
fn agrees(first: &[u8], declared: &str) -> bool {
    let Some(found) = infer::get(first).map(|kind| kind.mime_type()) else { return false };
    match declared {
        "image/jpg" | "image/pjpeg" => found == "image/jpeg",
        "application/pdf" | "image/jpeg" | "image/png" | "image/gif" | "image/webp" | "image/avif" => {
            found == declared
        }
        _ => found.starts_with("image/"),
    }
}
