//! Request targets with `"`, `<` and `>` in them, as PostgREST's documentation and its users write
//! them (`select=data->>name`, `in.("a,b")`). RFC 9112 wants these signs escaped, and hyper refuses
//! them; so they are escaped on their way in.
//!
//! An escape makes a message longer, so it must never fall into a body. Where a head ends, nothing
//! more is handed to hyper until hyper itself has said, by calling its service, how the body is
//! framed. No header is read here.

/// Where each message of a connection begins and ends.
mod messages;

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker, ready},
};

use bytes::{Buf, BytesMut};
use http::{Method, Request, header::UPGRADE};
use http_body::Body;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use self::messages::{Framing, Messages};

/// A connection whose request targets arrive escaped; everything else passes as it is.
pub(crate) struct Escaping<S> {
    stream: S,
    messages: Messages,
    parser: Parser,
    /// Bytes that were read and not followed yet.
    held: BytesMut,
    /// Bytes that were followed, and found no room.
    ready: BytesMut,
}

/// Through this, the service of a connection says what hyper has read of a head.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parser(Arc<Mutex<Said>>);

#[derive(Debug, Default)]
struct Said {
    framing: Option<Framing>,
    waiting: Option<Waker>,
}

impl Parser {
    /// Says how the body of a request is framed. To be called once for each, before its body is
    /// read.
    pub(crate) fn has_read<B: Body>(&self, request: &Request<B>) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        said.framing = Some(framing(request));
        if let Some(waiting) = said.waiting.take() {
            waiting.wake();
        }
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<Framing> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match said.framing.take() {
            Some(framing) => Poll::Ready(framing),
            None => {
                said.waiting = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

fn framing<B: Body>(request: &Request<B>) -> Framing {
    let body = request.body();
    if *request.method() == Method::CONNECT || request.headers().contains_key(UPGRADE) {
        Framing::Unknown
    } else if body.is_end_stream() {
        Framing::Length(0)
    } else {
        body.size_hint().exact().map_or(Framing::Chunked, Framing::Length)
    }
}

impl<S> Escaping<S> {
    /// The connection, and what its service has to call.
    pub(crate) fn new(stream: S) -> (Self, Parser) {
        let parser = Parser::default();
        let (messages, held, ready) = (Messages::default(), BytesMut::new(), BytesMut::new());
        (Self { stream, messages, parser: parser.clone(), held, ready }, parser)
    }
}

fn escape(byte: u8) -> [u8; 3] {
    match byte {
        b'"' => *b"%22",
        b'<' => *b"%3C",
        _ => *b"%3E",
    }
}

/// Appends bytes, with those at `places` escaped.
fn put_escaped(out: &mut BytesMut, bytes: &[u8], places: &[usize]) {
    let mut from = 0;
    for place in places {
        out.extend_from_slice(&bytes[from..*place]);
        out.extend_from_slice(&escape(bytes[*place]));
        from = place + 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

impl<S: AsyncRead + Unpin> Escaping<S> {
    /// Reads from the stream. Nearly always all that comes passes as it is, without being copied.
    fn poll_stream(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let bytes = &buf.filled()[before..];
        let (passed, places) = self.messages.follow(bytes);
        if passed == bytes.len() && places.is_empty() {
            return Poll::Ready(Ok(()));
        }
        put_escaped(&mut self.ready, &bytes[..passed], &places);
        self.held.extend_from_slice(&bytes[passed..]);
        buf.set_filled(before);
        self.give(buf);
        Poll::Ready(Ok(()))
    }

    /// Follows what is held.
    fn follow_held(&mut self) {
        let (passed, places) = self.messages.follow(&self.held);
        put_escaped(&mut self.ready, &self.held[..passed], &places);
        self.held.advance(passed);
    }

    fn give(&mut self, buf: &mut ReadBuf<'_>) {
        let here = self.ready.len().min(buf.remaining());
        buf.put_slice(&self.ready[..here]);
        self.ready.advance(here);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Escaping<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let me = self.get_mut();
        if me.ready.is_empty() {
            if me.messages.is_at_end_of_head() {
                me.messages.body_is(ready!(me.parser.poll(cx)));
            }
            if me.held.is_empty() {
                return me.poll_stream(cx, buf);
            }
            me.follow_held();
        }
        me.give(buf);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Escaping<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests;
