use std::{
    collections::VecDeque,
    future::poll_fn,
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::{
    metrics::Count,
    outbox::{End, Outbox},
    protocol::Frame,
};

/// Frames of one call to write.
const FRAMES: usize = 64;
/// What a client is told that does not read (CONTRACT.md LIM-OUTBOX).
const TRY_AGAIN_LATER: u16 = 1013;

/// Writes what waits in the outbox. Frames are written as they are, many in one call.
pub(super) struct Writer<W> {
    write: W,
    outbox: Outbox,
    batch: VecDeque<Frame>,
    /// Bytes of the first frame that are written.
    written: usize,
    /// All bytes that are written, of every socket.
    counted: Count,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    /// Writes to one half of a connection.
    pub(super) fn new(write: W, outbox: Outbox, counted: Count) -> Self {
        Self { write, outbox, batch: VecDeque::new(), written: 0, counted }
    }

    /// Writes until nothing more will come. Dropping the future loses nothing.
    pub(super) async fn run(&mut self) -> End {
        poll_fn(|cx| self.poll_run(cx)).await
    }

    /// Writes what waits, then the frame that says how the socket is closed, and closes it.
    pub(super) async fn finish(&mut self) {
        let code = match self.run().await {
            End::Gone => None,
            End::Closing(code) => Some(code),
            End::TooSlow => {
                // The frame that was begun is ended, so that the client can read the last one.
                self.batch.truncate(usize::from(self.written > 0));
                Some(TRY_AGAIN_LATER)
            }
        };
        self.batch.extend(code.map(Frame::close));
        if poll_fn(|cx| self.poll_batch(cx)).await.is_ok() {
            drop(self.write.shutdown().await);
        }
    }

    fn poll_run(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        loop {
            if self.batch.is_empty()
                && let Some(end) = ready!(self.outbox.poll_frames(cx, &mut self.batch))
            {
                return Poll::Ready(end);
            }
            match self.poll_batch(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(_)) => {
                    self.outbox.end(End::Gone);
                    return Poll::Ready(End::Gone);
                }
                Poll::Pending => return self.outbox.poll_too_slow(cx).map(|()| End::TooSlow),
            }
        }
    }

    fn poll_batch(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.batch.is_empty() {
            let (mut slices, write) = ([IoSlice::new(&[]); FRAMES], Pin::new(&mut self.write));
            let slices = fill(&mut slices, &self.batch, self.written);
            let written = ready!(write.poll_write_vectored(cx, slices))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.counted.add(written);
            self.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    fn advance(&mut self, written: usize) {
        self.written += written;
        while let Some(first) = self.batch.front()
            && first.len() <= self.written
        {
            self.written -= first.len();
            self.batch.pop_front();
        }
    }
}

/// The bytes of frames that are not written yet.
fn fill<'a, 'b>(
    slices: &'b mut [IoSlice<'a>; FRAMES],
    frames: &'a VecDeque<Frame>,
    written: usize,
) -> &'b [IoSlice<'a>] {
    let mut begin = written;
    for (slice, frame) in slices.iter_mut().zip(frames) {
        *slice = IoSlice::new(&frame.bytes()[begin..]);
        begin = 0;
    }
    &slices[..frames.len().min(FRAMES)]
}
