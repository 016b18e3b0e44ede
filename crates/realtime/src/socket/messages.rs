use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio_websockets::{Limits, ServerBuilder, WebSocketStream};

use crate::{outbox::Outbox, protocol::Frame};

/// Bytes of a message (CONTRACT.md C12).
const LARGEST: usize = 5_000_000;

/// The messages of a client. Pings and closes are answered through the outbox.
pub(super) struct Messages<R>(WebSocketStream<ReadHalf<R>>);

/// What came.
pub(super) enum Received {
    Text(Bytes),
    Binary(Bytes),
    /// A frame that is no message.
    Control,
}

impl<R: AsyncRead + Unpin> Messages<R> {
    /// The messages that come from `read`.
    pub(super) fn new(read: R, outbox: Outbox) -> Self {
        let half = ReadHalf { read, outbox, answers: BytesMut::new() };
        Self(ServerBuilder::new().limits(Limits::default().max_payload_len(Some(LARGEST))).serve(half))
    }

    /// The next message; none at the end. An error is one, after which the outbox has the frame that
    /// says why.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Received>> {
        loop {
            return match ready!(Pin::new(&mut self.0).poll_next(cx)) {
                None => Poll::Ready(None),
                Some(Ok(message)) => {
                    let (is_text, is_binary) = (message.is_text(), message.is_binary());
                    let payload = Bytes::from(message.into_payload());
                    Poll::Ready(Some(match (is_text, is_binary) {
                        (true, _) => Received::Text(payload),
                        (_, true) => Received::Binary(payload),
                        _ => Received::Control,
                    }))
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "realtime: a socket is closed for what it sent");
                    continue;
                }
            };
        }
    }

    /// Reads to the end of the connection, and forgets what comes.
    pub(super) async fn discard(&mut self) {
        let mut buffer = [0; 1024];
        while matches!(self.0.get_mut().read.read(&mut buffer).await, Ok(1..)) {}
    }
}

/// The half of a connection that is read. What the library writes are answers to control frames:
/// they go to the outbox, so that they never stand inside of another frame.
struct ReadHalf<R> {
    read: R,
    outbox: Outbox,
    answers: BytesMut,
}

impl<R: AsyncRead + Unpin> AsyncRead for ReadHalf<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.read).poll_read(cx, buf)
    }
}

impl<R: Unpin> AsyncWrite for ReadHalf<R> {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.answers.extend_from_slice(buf);
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let answers = std::mem::take(&mut self.answers);
        if !answers.is_empty() {
            self.outbox.push(Frame::encoded(answers.freeze()));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}
