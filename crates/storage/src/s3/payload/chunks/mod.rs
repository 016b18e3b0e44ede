//! Bodies that come in chunks with signatures: the encoding `aws-chunked`.
//!
//! A chunk is `<size>[;chunk-signature=<signature>]\r\n<bytes>\r\n`; one of no bytes is the last.
//! The trailer follows it, line by line, then an empty line. A signature covers a chunk and the
//! signature before it, so bytes are given on before they are known to be right, and the stream
//! ends in an error if they were not.

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use ring::digest::{Context as Sha, SHA256, digest};

use super::{Trailers, refused};
use crate::{
    blobs::{BlobError, ByteStream},
    error::StorageError,
    s3::signature::{Claim, PayloadHash, SigningKey},
};

/// Longest line that is no chunk's bytes.
const LONGEST_LINE: usize = 1024;

/// Most lines of a trailer.
const MOST_TRAILERS: usize = 20;

/// Checks the signatures of chunks, each of which covers the one before.
pub(super) struct ChunkSeal {
    key: SigningKey,
    /// Date and scope, as every text that is signed has them.
    preamble: String,
    previous: String,
    hash: Sha,
    trailer: bool,
}

impl ChunkSeal {
    /// The check of a body; none for a body without signatures.
    pub(super) fn of(hash: &PayloadHash, claim: &Claim, key: SigningKey) -> Option<Self> {
        let PayloadHash::SignedChunks { trailer } = *hash else { return None };
        Some(Self {
            key,
            preamble: format!("{}\n{}", claim.date, claim.scope.text()),
            previous: claim.signature.clone(),
            hash: Sha::new(&SHA256),
            trailer,
        })
    }

    fn end_chunk(&mut self, signature: &str) -> Result<(), StorageError> {
        let hash = std::mem::replace(&mut self.hash, Sha::new(&SHA256)).finish();
        let nothing = hex::encode(digest(&SHA256, b""));
        self.verify("PAYLOAD", &format!("{nothing}\n{}", hex::encode(hash)), signature)
    }

    fn end_trailer(&mut self, lines: &str, signature: &str) -> Result<(), StorageError> {
        self.verify("TRAILER", &hex::encode(digest(&SHA256, lines.as_bytes())), signature)
    }

    fn verify(&mut self, kind: &str, hashes: &str, signature: &str) -> Result<(), StorageError> {
        let Self { key, preamble, previous, .. } = self;
        let text = format!("AWS4-HMAC-SHA256-{kind}\n{preamble}\n{previous}\n{hashes}");
        if !key.signed(&text, signature) {
            return Err(StorageError::SignatureDoesNotMatch);
        }
        signature.clone_into(&mut self.previous);
        Ok(())
    }
}

/// What comes next in the body.
enum State {
    /// The line that begins a chunk.
    Head,
    /// So many bytes of a chunk.
    Data(u64),
    /// The line break behind a chunk.
    DataEnd,
    /// Lines of the trailer, or the empty one behind it.
    Trailer,
    Done,
}

/// Takes the chunks off a body.
pub(super) struct Decoder {
    state: State,
    /// Bytes of the body that are not read yet.
    input: Bytes,
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// The signature of the chunk that is being read.
    signature: String,
    /// Bytes that are still to come.
    left: u64,
    seal: Option<ChunkSeal>,
    trailers: Trailers,
    /// The trailer as it is signed.
    trailer_text: String,
    trailer_lines: usize,
}

impl Decoder {
    /// A decoder of a body that will have `size` bytes.
    pub(super) fn new(size: u64, seal: Option<ChunkSeal>, trailers: Trailers) -> Self {
        Self {
            state: State::Head,
            input: Bytes::new(),
            line: Vec::new(),
            signature: String::new(),
            left: size,
            seal,
            trailers,
            trailer_text: String::new(),
            trailer_lines: 0,
        }
    }

    /// The next bytes; none where more of the body is needed, or it has ended.
    fn next(&mut self) -> Result<Option<Bytes>, StorageError> {
        loop {
            match self.state {
                State::Data(left) if left > 0 => return self.data(left),
                State::Data(_) => self.state = State::DataEnd,
                State::Done if self.input.is_empty() => return Ok(None),
                State::Done => return Err(malformed()),
                State::Head | State::DataEnd | State::Trailer => {
                    let Some(line) = self.take_line()? else { return Ok(None) };
                    self.read(&line)?;
                }
            }
        }
    }

    fn data(&mut self, left: u64) -> Result<Option<Bytes>, StorageError> {
        let length = self.input.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if length == 0 {
            return Ok(None);
        }
        let bytes = self.input.split_to(length);
        self.left = self.left.checked_sub(length as u64).ok_or(StorageError::IncompleteBody)?;
        self.state = State::Data(left - length as u64);
        if let Some(seal) = &mut self.seal {
            seal.hash.update(&bytes);
        }
        Ok(Some(bytes))
    }

    fn read(&mut self, line: &str) -> Result<(), StorageError> {
        match self.state {
            State::Head => self.read_head(line),
            State::DataEnd if line.is_empty() => {
                self.state = State::Head;
                self.end_chunk()
            }
            State::Trailer if line.is_empty() => self.end(),
            State::Trailer => self.read_trailer(line),
            State::DataEnd | State::Data(_) | State::Done => Err(malformed()),
        }
    }

    fn read_head(&mut self, line: &str) -> Result<(), StorageError> {
        let (size, extension) = line.split_once(';').unwrap_or((line, ""));
        let size = u64::from_str_radix(size.trim(), 16).map_err(|_| malformed())?;
        extension.trim().strip_prefix("chunk-signature=").unwrap_or_default().clone_into(&mut self.signature);
        if size > 0 {
            self.state = State::Data(size);
            return Ok(());
        }
        self.state = State::Trailer;
        self.end_chunk()
    }

    fn end_chunk(&mut self) -> Result<(), StorageError> {
        self.seal.as_mut().map_or(Ok(()), |seal| seal.end_chunk(&self.signature))
    }

    fn read_trailer(&mut self, line: &str) -> Result<(), StorageError> {
        let (name, value) = line.split_once(':').ok_or_else(malformed)?;
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        self.trailer_lines += 1;
        if self.trailer_lines > MOST_TRAILERS {
            return Err(malformed());
        }
        match &mut self.seal {
            Some(seal) if name == "x-amz-trailer-signature" => {
                seal.trailer = false;
                seal.end_trailer(&self.trailer_text, value)
            }
            // What follows the signature is not signed.
            Some(seal) if !seal.trailer => Err(malformed()),
            Some(_) | None => {
                self.trailer_text.push_str(&format!("{name}:{value}\n"));
                self.trailers.push(name, value.to_owned());
                Ok(())
            }
        }
    }

    /// The body has ended. All announced bytes must have come, and the signature of the trailer.
    fn end(&mut self) -> Result<(), StorageError> {
        if self.left > 0 {
            return Err(StorageError::IncompleteBody);
        }
        if self.seal.as_ref().is_some_and(|seal| seal.trailer) {
            return Err(StorageError::SignatureDoesNotMatch);
        }
        self.state = State::Done;
        Ok(())
    }

    /// Whether the body may end here. Some clients leave the last line break out.
    fn end_of_body(&mut self) -> Result<(), StorageError> {
        match self.state {
            State::Trailer if self.line.is_empty() => self.end(),
            State::Done => Ok(()),
            State::Head | State::Data(_) | State::DataEnd | State::Trailer => {
                Err(StorageError::IncompleteBody)
            }
        }
    }

    /// The next line without its line break; none where its end has not come.
    fn take_line(&mut self) -> Result<Option<String>, StorageError> {
        let end = self.input.iter().position(|byte| *byte == b'\n');
        let part = self.input.split_to(end.map_or(self.input.len(), |end| end + 1));
        self.line.extend_from_slice(&part);
        if self.line.len() > LONGEST_LINE {
            return Err(malformed());
        }
        if end.is_none() {
            return Ok(None);
        }
        let line = String::from_utf8(std::mem::take(&mut self.line)).map_err(|_| malformed())?;
        Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
    }
}

/// The bytes of the chunks of a body.
pub(super) fn decoded(body: ByteStream, decoder: Decoder) -> ByteStream {
    Box::pin(stream::try_unfold((body, decoder), |(mut body, mut decoder)| async move {
        loop {
            if let Some(bytes) = decoder.next().map_err(refused)? {
                return Ok(Some((bytes, (body, decoder))));
            }
            match body.next().await.transpose()? {
                Some(piece) => decoder.input = piece,
                None => {
                    decoder.end_of_body().map_err(refused)?;
                    return Ok::<_, BlobError>(None);
                }
            }
        }
    }))
}

fn malformed() -> StorageError {
    StorageError::InvalidRequest("The chunks of the body cannot be read".to_owned())
}

#[cfg(test)]
mod tests;
