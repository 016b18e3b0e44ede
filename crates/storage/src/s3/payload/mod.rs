//! The body of a request, checked as it is read (CONTRACT.md X03).
//!
//! A body that is not what was signed or declared ends in an error, so that nothing of it is kept.

/// Bodies that come in chunks with signatures.
mod chunks;

/// Hashes and checksums that a body must have.
mod checks;

use std::sync::{Arc, Mutex, PoisonError};

use banyan_web::Body;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, header::CONTENT_LENGTH};

use self::chunks::{ChunkSeal, Decoder};
use super::signature::{Claim, PayloadHash, SigningKey};
use crate::{
    blobs::{BlobError, ByteStream},
    domain::upload::body_stream,
    error::StorageError,
};

/// Longest body of XML in bytes: a thousand keys, or ten thousand parts.
const LONGEST_DOCUMENT: usize = 2 << 20;

/// The bytes of a body.
pub(super) struct Payload {
    /// Taken once. Streams cannot be shared among threads without a lock.
    bytes: Mutex<ByteStream>,
    /// How many there will be, where the request tells.
    pub(super) size: Option<u64>,
    trailers: Trailers,
}

/// What follows the last chunk of a body, once it was read.
#[derive(Clone, Default)]
struct Trailers(Arc<Mutex<Vec<(String, String)>>>);

impl Trailers {
    fn push(&self, name: String, value: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((name, value));
    }

    fn get(&self, name: &str) -> Option<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(found, _)| found == name).map(|(_, value)| value.clone())
    }
}

impl Payload {
    /// Takes a body for what its signature says of it.
    ///
    /// # Errors
    /// `MissingContentLength` for chunks without a declared size, and `InvalidSignature` for a hash
    /// that cannot be read.
    pub(super) fn new(
        body: Body,
        headers: &HeaderMap,
        claim: &Claim,
        key: SigningKey,
    ) -> Result<Self, StorageError> {
        let (body, trailers) = (body_stream(body), Trailers::default());
        let hash = claim.payload_hash()?;
        let length = number(headers, CONTENT_LENGTH.as_str());
        let (bytes, size) = match hash {
            PayloadHash::Unsigned => (body, length),
            PayloadHash::Whole(sha256) => {
                (checks::checked(body, vec![checks::Check::sha256(&sha256)]), length)
            }
            PayloadHash::SignedChunks { .. } | PayloadHash::UnsignedChunks => {
                let size = number(headers, "x-amz-decoded-content-length");
                let size = size.ok_or(StorageError::MissingContentLength)?;
                let seal = ChunkSeal::of(&hash, claim, key);
                (chunks::decoded(body, Decoder::new(size, seal, trailers.clone())), Some(size))
            }
        };
        Ok(Self { bytes: Mutex::new(bytes), size, trailers })
    }

    /// The same, whose checksums in headers and trailers must be right.
    ///
    /// # Errors
    /// `InvalidRequest` for checksums that cannot be read.
    pub(super) fn checked(self, headers: &HeaderMap) -> Result<Self, StorageError> {
        let checks = checks::of_headers(headers, &self.trailers)?;
        let bytes = Mutex::new(checks::checked(self.take(), checks));
        Ok(Self { bytes, ..self })
    }

    /// Takes the bytes, once.
    pub(super) fn take(&self) -> ByteStream {
        let nothing = stream::empty().boxed();
        std::mem::replace(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner), nothing)
    }

    /// Reads a document, whole.
    pub(super) async fn document(&self) -> Result<Bytes, StorageError> {
        let collected = self.take().try_fold(BytesMut::new(), |mut whole, piece| async move {
            if whole.len() + piece.len() > LONGEST_DOCUMENT {
                return Err(BlobError::Source(Box::new(StorageError::MalformedXml)));
            }
            whole.extend_from_slice(&piece);
            Ok(whole)
        });
        Ok(collected.await?.freeze())
    }
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

fn refused(error: StorageError) -> BlobError {
    BlobError::Source(Box::new(error))
}
