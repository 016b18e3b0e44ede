//! Hashes and checksums that a body must have.

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use crc_fast::{CrcAlgorithm, Digest as Crc};
use futures_util::{StreamExt, stream};
use http::HeaderMap;
use md5::{Digest as _, Md5};
use ring::digest::{Context as Sha, SHA1_FOR_LEGACY_USE_ONLY, SHA256};

use super::{Trailers, refused};
use crate::{
    blobs::{BlobError, ByteStream},
    error::StorageError,
};

/// A sum of bytes as they pass.
enum Sum {
    Md5(Md5),
    Sha(Sha),
    Crc32(Crc),
    Crc64(Crc),
}

impl Sum {
    /// The sum that a header or a trailer of this name holds.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "content-md5" => Self::Md5(Md5::new()),
            "x-amz-checksum-crc32" => Self::Crc32(Crc::new(CrcAlgorithm::Crc32IsoHdlc)),
            "x-amz-checksum-crc32c" => Self::Crc32(Crc::new(CrcAlgorithm::Crc32Iscsi)),
            "x-amz-checksum-crc64nvme" => Self::Crc64(Crc::new(CrcAlgorithm::Crc64Nvme)),
            "x-amz-checksum-sha1" => Self::Sha(Sha::new(&SHA1_FOR_LEGACY_USE_ONLY)),
            "x-amz-checksum-sha256" => Self::Sha(Sha::new(&SHA256)),
            _ => return None,
        })
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Md5(md5) => md5.update(bytes),
            Self::Sha(sha) => sha.update(bytes),
            Self::Crc32(crc) | Self::Crc64(crc) => crc.update(bytes),
        }
    }

    fn finish(self) -> Vec<u8> {
        match self {
            Self::Md5(md5) => md5.finalize().to_vec(),
            Self::Sha(sha) => sha.finish().as_ref().to_vec(),
            // A sum of 32 bits is the lower half.
            Self::Crc32(crc) => crc.finalize().to_be_bytes()[4..].to_vec(),
            Self::Crc64(crc) => crc.finalize().to_be_bytes().to_vec(),
        }
    }
}

/// Where the sum that a body must have is found.
enum Expected {
    Known(Vec<u8>),
    /// In the trailer of this name, after the body.
    Trailer(String, Trailers),
}

/// A sum, and what it must be.
pub(super) struct Check {
    sum: Sum,
    expected: Expected,
    refusal: fn() -> StorageError,
}

impl Check {
    /// The hash that was signed.
    pub(super) fn sha256(expected: &[u8; 32]) -> Self {
        let refusal = || StorageError::ContentHashMismatch;
        Self { sum: Sum::Sha(Sha::new(&SHA256)), expected: Expected::Known(expected.to_vec()), refusal }
    }

    fn verify(self) -> Result<(), StorageError> {
        let expected = match self.expected {
            Expected::Known(expected) => expected,
            Expected::Trailer(name, trailers) => decoded(&trailers.get(&name).unwrap_or_default())?,
        };
        if self.sum.finish() == expected { Ok(()) } else { Err((self.refusal)()) }
    }
}

/// The checksums that the headers of a request hold, or announce for its trailer.
pub(super) fn of_headers(headers: &HeaderMap, trailers: &Trailers) -> Result<Vec<Check>, StorageError> {
    let text = |value: &http::HeaderValue| value.to_str().map(str::trim).unwrap_or_default().to_owned();
    let mut checks = Vec::new();
    for (name, value) in headers {
        if let Some(sum) = Sum::named(name.as_str()) {
            checks.push(check(sum, Expected::Known(decoded(&text(value))?)));
        }
    }
    for value in headers.get_all("x-amz-trailer") {
        for name in text(value).split(',').map(|name| name.trim().to_ascii_lowercase()) {
            if let Some(sum) = Sum::named(&name) {
                checks.push(check(sum, Expected::Trailer(name, trailers.clone())));
            }
        }
    }
    Ok(checks)
}

fn check(sum: Sum, expected: Expected) -> Check {
    Check { sum, expected, refusal: || StorageError::InvalidChecksum }
}

fn decoded(base64: &str) -> Result<Vec<u8>, StorageError> {
    let bytes = BASE64_STANDARD.decode(base64).ok().filter(|bytes| !bytes.is_empty());
    bytes.ok_or_else(|| StorageError::InvalidRequest("a checksum cannot be read".to_owned()))
}

/// The same bytes; they end in an error when one of the sums is another.
pub(super) fn checked(bytes: ByteStream, checks: Vec<Check>) -> ByteStream {
    if checks.is_empty() {
        return bytes;
    }
    let state = (bytes, checks);
    Box::pin(stream::try_unfold(state, |(mut bytes, mut checks): (ByteStream, Vec<Check>)| async move {
        let piece: Option<Bytes> = bytes.next().await.transpose()?;
        let Some(piece) = piece else {
            checks.into_iter().try_for_each(Check::verify).map_err(refused)?;
            return Ok(None);
        };
        checks.iter_mut().for_each(|check| check.sum.update(&piece));
        Ok::<_, BlobError>(Some((piece, (bytes, checks))))
    }))
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt;

    use super::*;

    async fn check(name: &'static str, value: &str) -> Option<StorageError> {
        let headers = HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
        let checks = match of_headers(&headers, &Trailers::default()) {
            Ok(checks) => checks,
            Err(refusal) => return Some(refusal),
        };
        assert_eq!(checks.len(), 1, "{name}");
        let pieces = ["1234", "56789"].map(|piece| Ok::<_, BlobError>(Bytes::from(piece)));
        let bytes: Result<Vec<Bytes>, _> =
            checked(Box::pin(stream::iter(pieces)), checks).try_collect().await;
        bytes.err().map(StorageError::from)
    }

    // rows: X03
    #[tokio::test]
    async fn every_kind_of_checksum_is_verified() {
        for (name, right) in [
            ("content-md5", "JfnnlDI7RTiF9RgfG2JNCw=="),
            ("x-amz-checksum-crc32", "y/Q5Jg=="),
            ("x-amz-checksum-crc32c", "4waSgw=="),
            ("x-amz-checksum-crc64nvme", "rosUhgp5mIg="),
            ("x-amz-checksum-sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="),
            ("x-amz-checksum-sha256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="),
        ] {
            assert!(check(name, right).await.is_none(), "{name}");
            let wrong = BASE64_STANDARD.encode(vec![7; BASE64_STANDARD.decode(right).unwrap().len()]);
            assert!(matches!(check(name, &wrong).await, Some(StorageError::InvalidChecksum)), "{name}");
            for broken in ["", "%"] {
                assert!(matches!(check(name, broken).await, Some(StorageError::InvalidRequest(_))), "{name}");
            }
        }
    }
}
