//! Parts in memory. What all uploads hold together has a bound.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::{PutPayload, PutPayloadMut};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::blobs::{BlobError, ByteStream};

/// Unit in which memory is counted, and size of a piece of a part.
const PIECE: usize = 64 * 1024;

/// The memory that parts may take together.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    pieces: Arc<Semaphore>,
    most: u32,
}

impl Memory {
    /// `bytes` for all parts together, but room for one part of `largest` at least.
    pub(super) fn new(bytes: u64, largest: u64) -> Self {
        let most = u32::try_from(bytes.max(largest).div_ceil(PIECE as u64)).unwrap_or(u32::MAX);
        Self { pieces: Arc::new(Semaphore::new(most as usize)), most }
    }

    /// Bytes that are free.
    #[cfg(test)]
    pub(super) fn free(&self) -> usize {
        self.pieces.available_permits() * PIECE
    }

    /// Waits until `bytes` are free, in the order of asking.
    pub(super) async fn take(&self, bytes: u64) -> OwnedSemaphorePermit {
        let pieces = u32::try_from(bytes.div_ceil(PIECE as u64)).unwrap_or(u32::MAX).min(self.most);
        Arc::clone(&self.pieces).acquire_many_owned(pieces).await.expect("it is never closed")
    }
}

/// A stream that is read part by part.
pub(super) struct Source {
    stream: ByteStream,
    /// What was read beyond the end of the last part.
    rest: Bytes,
}

/// A part in memory.
pub(super) struct HeldPart {
    pub(super) payload: PutPayload,
    pub(super) size: u64,
    /// `true`: the stream has ended.
    pub(super) is_last: bool,
    /// The memory is counted until this is dropped.
    _memory: OwnedSemaphorePermit,
}

impl Source {
    pub(super) fn new(stream: ByteStream) -> Self {
        Self { stream, rest: Bytes::new() }
    }

    /// Reads a part of `size` bytes, less at the end of the stream. Its memory was taken before the
    /// first byte is read. Pieces are copied, as each may hold the larger buffer that it came in.
    pub(super) async fn part(
        &mut self,
        size: u64,
        memory: OwnedSemaphorePermit,
    ) -> Result<HeldPart, BlobError> {
        let wanted = usize::try_from(size).unwrap_or(usize::MAX);
        let mut held = PutPayloadMut::new().with_block_size(PIECE.min(wanted.max(1)));
        loop {
            let room = wanted - held.content_length();
            let piece = self.rest.split_to(self.rest.len().min(room));
            held.extend_from_slice(&piece);
            if held.content_length() == wanted && !self.rest.is_empty() {
                break;
            }
            match self.stream.next().await.transpose()? {
                Some(piece) => self.rest = piece,
                None => return Ok(HeldPart::of(held, true, memory)),
            }
        }
        Ok(HeldPart::of(held, false, memory))
    }
}

impl HeldPart {
    fn of(held: PutPayloadMut, is_last: bool, memory: OwnedSemaphorePermit) -> Self {
        let size = held.content_length() as u64;
        Self { payload: held.freeze(), size, is_last, _memory: memory }
    }
}
