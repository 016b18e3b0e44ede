use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio_websockets::{Error, Limits, ServerBuilder, WebSocketStream, proto::ProtocolError};

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
    /// What breaks the rules of websockets, and the code that the socket is closed with.
    Wrong(u16),
}

impl<R: AsyncRead + Unpin> Messages<R> {
    /// The messages that come from `read`.
    pub(super) fn new(read: R, outbox: Outbox) -> Self {
        let half = ReadHalf { read, outbox, answers: BytesMut::new() };
        Self(ServerBuilder::new().limits(Limits::default().max_payload_len(Some(LARGEST))).serve(half))
    }

    /// What comes next; none at the end of the connection. Nothing is read after
    /// [`Received::Wrong`].
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Received>> {
        let message = match ready!(Pin::new(&mut self.0).poll_next(cx)) {
            None => return Poll::Ready(None),
            Some(Err(error)) => return Poll::Ready(close_code(&error).map(Received::Wrong)),
            Some(Ok(message)) => message,
        };
        let (is_text, is_binary) = (message.is_text(), message.is_binary());
        let payload = Bytes::from(message.into_payload());
        Poll::Ready(Some(match (is_text, is_binary) {
            (true, _) => Received::Text(payload),
            (_, true) => Received::Binary(payload),
            _ => Received::Control,
        }))
    }

    /// Reads to the end of the connection, and forgets what comes.
    pub(super) async fn discard(&mut self) {
        let mut buffer = [0; 1024];
        while matches!(self.0.get_mut().read.read(&mut buffer).await, Ok(1..)) {}
    }
}

/// The code that tells a client what it did (RFC 6455 7.4.1); none where the connection is gone.
fn close_code(error: &Error) -> Option<u16> {
    tracing::info!(%error, "realtime: a socket is closed for what it sent");
    match error {
        Error::PayloadTooLong { .. } => Some(1009),
        Error::Protocol(ProtocolError::InvalidUtf8) => Some(1007),
        Error::Protocol(_) => Some(1002),
        _ => None,
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
