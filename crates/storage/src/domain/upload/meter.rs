//! Measures bytes as they pass: size and MD5.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use banyan_web::{Body, BodyError};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use http_body_util::BodyExt as _;
use md5::{Digest as _, Md5};

use crate::{
    blobs::{BlobError, ByteStream},
    error::StorageError,
    patience::TooSlow,
};

/// What bytes were, once all have passed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Receipt {
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) md5: [u8; 16],
}

impl Receipt {
    /// The MD5 in hexadecimal digits, in quotes (CONTRACT.md D11, K06).
    pub(crate) fn e_tag(&self) -> String {
        format!("\"{}\"", hex::encode(self.md5))
    }
}

/// Reads what a measured stream was.
#[derive(Clone)]
pub(crate) struct Meter(Arc<Mutex<Receipt>>);

impl Meter {
    /// The receipt. It is empty as long as the stream has not ended well.
    pub(crate) fn receipt(&self) -> Receipt {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Measures a stream. It ends in `EntityTooLarge` above `limit` bytes (CONTRACT.md U07, B1).
pub(crate) fn measured(bytes: ByteStream, limit: u64) -> (ByteStream, Meter) {
    let meter = Meter(Arc::default());
    let stream = Measured { bytes, limit, size: 0, md5: Md5::new(), meter: meter.clone() };
    (Box::pin(stream), meter)
}

/// The bytes of a body.
pub(crate) fn body_stream(body: Body) -> ByteStream {
    let pieces = body.into_data_stream();
    Box::pin(pieces.map(|piece| piece.map_err(|error| BlobError::Source(Box::new(body_error(&*error))))))
}

/// What a body that was not read to its end means to its client (CONTRACT.md U15).
pub(crate) fn body_error(error: &(dyn std::error::Error + 'static)) -> StorageError {
    if error.is::<TooSlow>() {
        return StorageError::RequestTimeout;
    }
    match BodyError::of(error) {
        BodyError::TooLarge => StorageError::EntityTooLarge,
        BodyError::EndedEarly => StorageError::Aborted,
    }
}

struct Measured {
    bytes: ByteStream,
    limit: u64,
    size: u64,
    md5: Md5,
    meter: Meter,
}

impl Stream for Measured {
    type Item = Result<Bytes, BlobError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(match ready!(self.bytes.poll_next_unpin(cx)) {
            Some(Ok(piece)) => Some(self.measure(piece)),
            Some(Err(error)) => Some(Err(error)),
            None => {
                self.finish();
                None
            }
        })
    }
}

impl Measured {
    fn measure(&mut self, piece: Bytes) -> Result<Bytes, BlobError> {
        self.size += piece.len() as u64;
        if self.size > self.limit {
            return Err(refused(StorageError::EntityTooLarge));
        }
        self.md5.update(&piece);
        Ok(piece)
    }

    fn finish(&mut self) {
        let receipt = Receipt { size: self.size, md5: self.md5.finalize_reset().into() };
        *self.meter.0.lock().unwrap_or_else(PoisonError::into_inner) = receipt;
    }
}

fn refused(error: StorageError) -> BlobError {
    BlobError::Source(Box::new(error))
}

#[cfg(test)]
mod tests {
    use futures_util::{TryStreamExt as _, stream};

    use super::*;

    fn pieces(pieces: &'static [&'static str]) -> ByteStream {
        Box::pin(stream::iter(pieces).map(|piece| Ok(Bytes::from_static(piece.as_bytes()))))
    }

    // rows: K06 D11
    #[tokio::test]
    async fn the_tag_is_the_md5_of_the_whole() {
        let (stream, meter) = measured(pieces(&["1234", "", "56789"]), 9);
        assert_eq!(meter.receipt().size, 0);
        let passed: Vec<Bytes> = stream.try_collect().await.expect("it fits");
        assert_eq!(passed.concat(), b"123456789");
        let receipt = meter.receipt();
        assert_eq!(receipt.size, 9);
        assert_eq!(receipt.e_tag(), "\"25f9e794323b453885f5181f1b624d0b\"");
    }

    // rows: U07 B1
    #[tokio::test]
    async fn a_stream_ends_at_the_limit_and_none_of_the_piece_above_it_passes() {
        let (mut stream, meter) = measured(pieces(&["1234", "56789"]), 8);
        assert_eq!(stream.next().await.expect("a piece").expect("it fits"), "1234");
        let refused = stream.next().await.expect("an error").expect_err("it is above the limit");
        assert!(matches!(StorageError::from(refused), StorageError::EntityTooLarge));
        assert_eq!(meter.receipt().size, 0, "there is no receipt for what was cut");
    }
}
