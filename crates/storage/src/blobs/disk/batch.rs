//! Bytes of a stream, gathered for one write.

use bytes::Bytes;
use futures_util::StreamExt;

use crate::blobs::{BlobError, ByteStream};

/// Bytes that are written at once. 200 uploads at a time hold 12.5 MiB in batches.
const BATCH: usize = 64 * 1024;

/// Pieces that are written at once. A client may send them as small as a byte.
const MOST_PIECES: usize = 256;

/// Bytes that are written at once.
pub(super) struct Batch {
    pub(super) pieces: Vec<Bytes>,
    /// `true`: the stream has ended.
    pub(super) is_last: bool,
}

impl Batch {
    /// Reads the stream until there is enough for a write.
    pub(super) async fn gather(stream: &mut ByteStream) -> Result<Self, BlobError> {
        let (mut pieces, mut size) = (Vec::new(), 0);
        while size < BATCH && pieces.len() < MOST_PIECES {
            match stream.next().await.transpose()? {
                Some(piece) => {
                    size += piece.len();
                    pieces.push(piece);
                }
                None => return Ok(Self { pieces, is_last: true }),
            }
        }
        Ok(Self { pieces, is_last: false })
    }
}
