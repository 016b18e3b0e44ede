//! Blobs as a stream of pieces, each read ahead of its use.

use std::{
    fs::File,
    io,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use rustix::buffer::spare_capacity;
use tokio::task::{JoinHandle, spawn_blocking};

use super::{folder::Folder, location::Location};
use crate::blobs::{BlobError, ByteStream};

/// Bytes that are read at once while few read.
const PIECE: usize = 256 * 1024;

/// Bytes that are read at once while many read.
const SMALL_PIECE: usize = 64 * 1024;

/// With more readers than this the pieces are small, and none is read ahead: a slow client would
/// hold it.
const FEW: usize = 32;

/// Counts the streams that are open.
#[derive(Debug, Clone, Default)]
pub(super) struct Readers(Arc<AtomicUsize>);

impl Readers {
    /// Counts one more stream.
    pub(super) fn begin(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    fn are_few(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= FEW
    }

    fn piece(&self) -> usize {
        if self.are_few() { PIECE } else { SMALL_PIECE }
    }
}

/// A stream that is counted until this is dropped.
pub(super) struct Counted(Readers);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Counted {
    /// Opens a blob and reads its first piece. A range that ends behind the blob ends with it.
    pub(super) fn open(self, root: &Folder, key: &str, range: Range<u64>) -> io::Result<(Reader, Bytes)> {
        let at = Location::of(key)?;
        let file = at.open(root)?.file(at.name)?;
        let end = range.end.min(file.metadata()?.len());
        let part = Part { file: Arc::new(file), next: range.start, end };
        let first = part.read(self.0.piece())?;
        Ok((Reader { part: part.behind(&first), counted: self }, first))
    }
}

/// What is still to be read of a blob.
pub(super) struct Reader {
    part: Part,
    counted: Counted,
}

impl Reader {
    /// The pieces from the first one on.
    pub(super) fn into_stream(self, first: Bytes) -> ByteStream {
        if first.is_empty() {
            return stream::empty().boxed();
        }
        if self.part.is_read() {
            return stream::iter([Ok(first)]).boxed();
        }
        let ahead = self.ahead();
        let start = Pieces { reader: self, current: Some(first), ahead };
        stream::try_unfold(start, Pieces::next).boxed()
    }

    /// Begins to read the next piece, if few read.
    fn ahead(&self) -> Option<JoinHandle<io::Result<Bytes>>> {
        (self.counted.0.are_few() && !self.part.is_read()).then(|| self.read())
    }

    fn read(&self) -> JoinHandle<io::Result<Bytes>> {
        let (part, piece) = (self.part.clone(), self.counted.0.piece());
        spawn_blocking(move || part.read(piece))
    }
}

/// A stream on its way: the piece that is at hand, and the one that is being read.
struct Pieces {
    reader: Reader,
    current: Option<Bytes>,
    ahead: Option<JoinHandle<io::Result<Bytes>>>,
}

impl Pieces {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, BlobError> {
        if let Some(piece) = self.current.take() {
            return Ok(Some((piece, self)));
        }
        if self.reader.part.is_read() {
            return Ok(None);
        }
        let reading = self.ahead.take().unwrap_or_else(|| self.reader.read());
        let piece = reading.await.map_err(io::Error::other)??;
        self.reader.part = self.reader.part.behind(&piece);
        self.ahead = self.reader.ahead();
        Ok(Some((piece, self)))
    }
}

/// A part of an open file.
#[derive(Clone)]
struct Part {
    file: Arc<File>,
    next: u64,
    end: u64,
}

impl Part {
    fn is_read(&self) -> bool {
        self.next >= self.end
    }

    /// What is left behind a piece.
    fn behind(&self, piece: &Bytes) -> Self {
        Self { next: self.next + piece.len() as u64, ..self.clone() }
    }

    /// Reads a piece into memory that is not cleared before. A file that has become shorter is an
    /// error.
    fn read(&self, most: usize) -> io::Result<Bytes> {
        let size = usize::try_from(self.end.saturating_sub(self.next)).unwrap_or(most).min(most);
        let mut piece = Vec::with_capacity(size);
        while piece.len() < size {
            let at = self.next + piece.len() as u64;
            match rustix::io::pread(&self.file, spare_capacity(&mut piece), at) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        piece.truncate(size);
        Ok(piece.into())
    }
}
