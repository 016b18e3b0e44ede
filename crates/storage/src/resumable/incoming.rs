//! The body of a request, read piece by piece.
//!
//! A piece ends when it is large or old enough, when the body ends, when the connection breaks and
//! when another request takes over: in each case what came until then is a piece like any other. A
//! body with more bytes than may come is the one case in which its last piece is lost.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use banyan_web::Body;
use bytes::Bytes;
use futures_util::{FutureExt as _, stream};
use http_body::Body as _;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::running_md5::RunningMd5;
use crate::{
    blobs::{BlobError, ByteStream},
    domain::upload::body_error,
    error::{StorageError, TusRefusal},
};

/// When a piece is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceLimit {
    /// Bytes. A piece may have a few more, as it ends where a frame of the body ends.
    pub(crate) size: u64,
    /// Time since its first byte.
    pub(crate) age: Option<Duration>,
}

/// A body on its way in. Clones share it.
#[derive(Clone)]
pub(crate) struct Incoming(Arc<Mutex<Reader>>);

struct Reader {
    body: Body,
    superseded: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Bytes that were read and belong to no piece yet.
    next: Option<Bytes>,
    /// Bytes that may still come.
    room: u64,
    md5: RunningMd5,
    piece: Piece,
    /// How the body ended.
    end: Option<Result<(), StorageError>>,
}

/// The piece that is being read.
#[derive(Default)]
struct Piece {
    size: u64,
    limit: u64,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Incoming {
    /// A body of at most `room` bytes, read until another request takes over. `md5` has the bytes
    /// before it.
    pub(crate) fn new(
        body: Body,
        room: u64,
        md5: RunningMd5,
        superseded: WaitForCancellationFutureOwned,
    ) -> Self {
        Self(Arc::new(Mutex::new(Reader {
            body,
            superseded: Box::pin(superseded),
            next: None,
            room,
            md5,
            piece: Piece::default(),
            end: None,
        })))
    }

    /// Waits for the first byte of the next piece. False when none comes.
    pub(crate) async fn has_more(&self) -> bool {
        poll_fn(|cx| self.reader().poll_peek(cx)).await
    }

    /// The next piece.
    pub(crate) fn piece(&self, limit: PieceLimit) -> ByteStream {
        self.reader().begin_piece(limit);
        let incoming = self.clone();
        Box::pin(stream::poll_fn(move |cx| incoming.reader().poll_piece(cx)))
    }

    /// The MD5 of all bytes up to the end of the newest piece.
    pub(crate) fn md5(&self) -> RunningMd5 {
        self.reader().md5.clone()
    }

    /// How the body ended, once [`Incoming::has_more`] has said that it did.
    ///
    /// # Errors
    /// `Superseded`; what a broken body means to its client.
    pub(crate) fn end(&self) -> Result<(), StorageError> {
        self.reader().end.take().unwrap_or(Ok(()))
    }

    fn reader(&self) -> MutexGuard<'_, Reader> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    fn begin_piece(&mut self, limit: PieceLimit) {
        let deadline = limit.age.map(|age| Box::pin(sleep_until(Instant::now() + age)));
        self.piece = Piece { size: 0, limit: limit.size, deadline };
    }

    fn poll_peek(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        if self.next.is_none() {
            self.next = ready!(self.poll_bytes(cx));
        }
        Poll::Ready(self.next.is_some())
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BlobError>>> {
        // The end of a body that is whole is waited for, lest more bytes come than were declared.
        if self.room > 0 && self.piece.is_done(cx) {
            return Poll::Ready(None);
        }
        let Some(bytes) = ready!(self.poll_bytes(cx)) else { return Poll::Ready(None) };
        Poll::Ready(Some(self.take(bytes)))
    }

    fn take(&mut self, bytes: Bytes) -> Result<Bytes, BlobError> {
        let size = bytes.len() as u64;
        let Some(room) = self.room.checked_sub(size) else {
            return Err(BlobError::Source(Box::new(TusRefusal::LengthExceeded.into())));
        };
        self.room = room;
        self.piece.size += size;
        self.md5.update(&bytes);
        Ok(bytes)
    }

    /// The next bytes of the body; none when it has ended in any way.
    fn poll_bytes(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(bytes) = self.next.take() {
            return Poll::Ready(Some(bytes));
        }
        while self.end.is_none() {
            if self.superseded.poll_unpin(cx).is_ready() {
                self.end = Some(Err(TusRefusal::Superseded.into()));
                break;
            }
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => {
                    if let Some(bytes) = frame.into_data().ok().filter(|bytes| !bytes.is_empty()) {
                        return Poll::Ready(Some(bytes));
                    }
                }
                Some(Err(error)) => self.end = Some(Err(body_error(&*error))),
                None => self.end = Some(Ok(())),
            }
        }
        Poll::Ready(None)
    }
}

impl Piece {
    fn is_done(&mut self, cx: &mut Context<'_>) -> bool {
        let is_old = |deadline: &mut Pin<Box<Sleep>>| deadline.poll_unpin(cx).is_ready();
        self.size >= self.limit || (self.size > 0 && self.deadline.as_mut().is_some_and(is_old))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use futures_util::{StreamExt as _, TryStreamExt as _};
    use http_body::Frame;
    use http_body_util::{BodyExt as _, StreamBody};
    use tokio_util::sync::CancellationToken;

    use super::*;

    const FOUR: PieceLimit = PieceLimit { size: 4, age: None };

    /// A body of these frames, which breaks off at its end unless it is whole.
    fn body(frames: &[&'static str], is_whole: bool) -> Body {
        let broken = (!is_whole).then(|| Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()));
        let frames: Vec<_> =
            frames.iter().map(|text| Ok(Frame::data(Bytes::from(*text)))).chain(broken).collect();
        StreamBody::new(stream::iter(frames)).boxed_unsync()
    }

    fn incoming(body: Body, room: u64, stop: &CancellationToken) -> Incoming {
        Incoming::new(body, room, RunningMd5::new(), stop.clone().cancelled_owned())
    }

    async fn pieces(incoming: &Incoming) -> Result<Vec<String>, BlobError> {
        let mut pieces = Vec::new();
        while incoming.has_more().await {
            let bytes: Vec<Bytes> = incoming.piece(FOUR).try_collect().await?;
            pieces.push(String::from_utf8(bytes.concat()).expect("text"));
        }
        Ok(pieces)
    }

    // rows: T05
    #[tokio::test]
    async fn pieces_end_at_their_size_and_with_the_body() {
        let incoming = incoming(body(&["ab", "", "cde", "f"], true), 10, &CancellationToken::new());
        assert_eq!(pieces(&incoming).await.expect("pieces"), ["abcde", "f"]);
        assert!(incoming.end().is_ok());
    }

    // rows: T05
    #[tokio::test]
    async fn what_came_before_a_break_is_a_piece() {
        let incoming = incoming(body(&["abcd", "e"], false), 10, &CancellationToken::new());
        assert_eq!(pieces(&incoming).await.expect("pieces"), ["abcd", "e"]);
        assert!(matches!(incoming.end(), Err(StorageError::Aborted)));
    }

    // rows: T11
    #[tokio::test]
    async fn a_request_that_is_superseded_keeps_what_came() {
        let stop = CancellationToken::new();
        let frames = stream::iter([Ok(Frame::data(Bytes::from("ab")))]).chain(stream::pending());
        let incoming = incoming(StreamBody::new(frames).boxed_unsync(), 10, &stop);
        assert!(incoming.has_more().await);
        let mut piece = incoming.piece(FOUR);
        assert_eq!(piece.next().await.expect("bytes").expect("bytes"), "ab");
        stop.cancel();
        assert!(piece.next().await.is_none() && !incoming.has_more().await);
        assert!(matches!(incoming.end(), Err(StorageError::Tus(TusRefusal::Superseded))));
    }

    // rows: T07
    #[tokio::test]
    async fn more_bytes_than_may_come_are_refused_with_their_piece() {
        for frames in [&["abcd", "ef", "g"][..], &["abcd", "e", "fg"], &["abcd", "efg"]] {
            let incoming = incoming(body(frames, true), 6, &CancellationToken::new());
            assert!(incoming.has_more().await);
            let first: Vec<Bytes> = incoming.piece(FOUR).try_collect().await.expect("a piece");
            assert_eq!(first.concat(), b"abcd");
            let refused = pieces(&incoming).await.expect_err("too much");
            assert!(matches!(StorageError::from(refused), StorageError::Tus(TusRefusal::LengthExceeded)));
        }
    }

    // rows: K06
    #[tokio::test]
    async fn the_md5_is_that_of_the_pieces_read() {
        let incoming = incoming(body(&["abcd", "ef"], true), 6, &CancellationToken::new());
        incoming.has_more().await;
        let _: Vec<Bytes> = incoming.piece(FOUR).try_collect().await.expect("a piece");
        let mut expected = RunningMd5::new();
        expected.update(b"abcd");
        assert_eq!(incoming.md5().e_tag(), expected.e_tag());
    }
}
