//! Request targets with `"`, `<` and `>` in them, as PostgREST's documentation and its users write them
//! (`select=data->>name`, `in.("a,b")`). RFC 9112 wants these signs escaped, and hyper refuses them; so they are escaped
//! on their way in.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// No header that matters here is longer.
const LONGEST_LINE: usize = 64;

/// A connection whose request targets arrive escaped; everything else passes as it is.
pub(crate) struct Escaping<S> {
    stream: S,
    heads: Heads,
    /// Rest of an escape that found no room.
    pending: Vec<u8>,
}

impl<S> Escaping<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, heads: Heads::default(), pending: Vec::new() }
    }
}

/// Where in its requests a connection is.
#[derive(Debug, Default)]
struct Heads {
    place: Place,
    /// The header line so far, as far as it matters.
    line: Vec<u8>,
    length: Option<u64>,
    /// Whether it is left open how long the body is.
    is_open: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Method,
    Target,
    Version,
    Header,
    /// So many bytes of it are to come.
    Body(u64),
    /// Nothing is known any more: all that follows passes as it is.
    Anywhere,
}

impl Heads {
    /// Follows bytes; gives the places of those to be escaped.
    fn follow(&mut self, bytes: &[u8]) -> Vec<usize> {
        let (mut at, mut found) = (0, Vec::new());
        while at < bytes.len() {
            match &mut self.place {
                Place::Anywhere => break,
                Place::Body(left) => {
                    let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len() - at);
                    at += here;
                    *left -= here as u64;
                    if *left == 0 {
                        self.place = Place::Method;
                    }
                }
                _ => {
                    if self.step(bytes[at]) {
                        found.push(at);
                    }
                    at += 1;
                }
            }
        }
        found
    }

    /// Follows one byte of a head; true when it is to be escaped.
    fn step(&mut self, byte: u8) -> bool {
        match (self.place, byte) {
            (Place::Method, b' ') => self.place = Place::Target,
            (Place::Target, b' ') => self.place = Place::Version,
            (Place::Target, b'\r' | b'\n') => self.place = Place::Anywhere,
            (Place::Target, b'"' | b'<' | b'>') => return true,
            (Place::Version, b'\n') => self.place = Place::Header,
            (Place::Header, b'\n') => self.end_line(),
            (Place::Header, byte) if self.line.len() < LONGEST_LINE => self.line.push(byte),
            _ => {}
        }
        false
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii_end();
        if !line.is_empty() {
            return self.judge(line);
        }
        self.place = match self.length.take() {
            _ if self.is_open => Place::Anywhere,
            None | Some(0) => Place::Method,
            Some(length) => Place::Body(length),
        };
    }

    fn judge(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        if name.eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(value).ok().and_then(|value| value[1..].trim().parse().ok());
            self.is_open |= value.is_none() || self.length.is_some_and(|length| Some(length) != value);
            self.length = value;
        }
        let ends_elsewhere: [&[u8]; 2] = [b"transfer-encoding", b"upgrade"];
        self.is_open |= ends_elsewhere.iter().any(|other| name.eq_ignore_ascii_case(other));
        self.is_open |= line[0].is_ascii_whitespace();
    }

    /// How much to read where there is room for `room` bytes: each byte of a head may become three.
    fn most(&self, room: usize) -> usize {
        match self.place {
            Place::Anywhere => room,
            Place::Body(left) if left >= room as u64 => room,
            _ => (room / 3).max(1),
        }
    }
}

fn escape(byte: u8) -> [u8; 3] {
    match byte {
        b'"' => *b"%22",
        b'<' => *b"%3C",
        _ => *b"%3E",
    }
}

/// Bytes with those at `places` escaped.
fn escaped(bytes: &[u8], places: &[usize]) -> Vec<u8> {
    let mut all = Vec::with_capacity(bytes.len() + 2 * places.len());
    let mut from = 0;
    for place in places {
        all.extend_from_slice(&bytes[from..*place]);
        all.extend_from_slice(&escape(bytes[*place]));
        from = place + 1;
    }
    all.extend_from_slice(&bytes[from..]);
    all
}

impl<S: AsyncRead + Unpin> AsyncRead for Escaping<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let me = self.get_mut();
        if !me.pending.is_empty() {
            let here = me.pending.len().min(buf.remaining());
            buf.put_slice(&me.pending[..here]);
            me.pending.drain(..here);
            return Poll::Ready(Ok(()));
        }
        let most = me.heads.most(buf.remaining());
        let mut piece = ReadBuf::new(buf.initialize_unfilled_to(most.min(buf.remaining())));
        ready!(Pin::new(&mut me.stream).poll_read(cx, &mut piece))?;
        let places = me.heads.follow(piece.filled());
        let length = piece.filled().len();
        if places.is_empty() {
            buf.advance(length);
            return Poll::Ready(Ok(()));
        }
        let all = escaped(piece.filled(), &places);
        let here = all.len().min(buf.remaining());
        buf.put_slice(&all[..here]);
        me.pending.extend_from_slice(&all[here..]);
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
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    /// Gives so many bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl AsyncRead for Drip<'_> {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let here = self.1.min(self.0.len()).min(buf.remaining());
            let (now, later) = self.0.split_at(here);
            buf.put_slice(now);
            self.0 = later;
            Poll::Ready(Ok(()))
        }
    }

    async fn read(sent: &str, pieces: usize, room: usize) -> String {
        let mut stream = Escaping::new(Drip(sent.as_bytes(), pieces));
        let (mut all, mut piece) = (Vec::new(), vec![0; room]);
        loop {
            let length = stream.read(&mut piece).await.expect("reads");
            if length == 0 {
                return String::from_utf8(all).expect("text");
            }
            all.extend_from_slice(&piece[..length]);
        }
    }

    #[tokio::test]
    async fn targets_are_escaped_and_bodies_and_headers_are_not_however_the_bytes_arrive() {
        let sent = "GET /a?b=\"<>->>c HTTP/1.1\r\nX: \"<>\"\r\n\r\n\
                    POST /p?x=\"y\" HTTP/1.1\r\nContent-Length: 14\r\n\r\nGET /\"<> HT\r\n\r\
                    GET /q?\"z\" HTTP/1.1\r\n\r\n";
        let wanted = "GET /a?b=%22%3C%3E-%3E%3Ec HTTP/1.1\r\nX: \"<>\"\r\n\r\n\
                      POST /p?x=%22y%22 HTTP/1.1\r\nContent-Length: 14\r\n\r\nGET /\"<> HT\r\n\r\
                      GET /q?%22z%22 HTTP/1.1\r\n\r\n";
        for pieces in [1, 2, 3, 7, 50, 1000] {
            for room in [1, 2, 3, 4, 16, 4096] {
                assert_eq!(
                    read(sent, pieces, room).await,
                    wanted,
                    "{pieces} bytes at a time, room for {room}"
                );
            }
        }
    }

    #[tokio::test]
    async fn nothing_changes_behind_a_body_whose_end_is_not_known() {
        for header in
            ["Transfer-Encoding: chunked", "Content-Length: 1\r\nContent-Length: 2", "Upgrade: x", " folded"]
        {
            let sent = format!("POST /\"a\" HTTP/1.1\r\n{header}\r\n\r\nGET /\"b\" HTTP/1.1\r\n\r\n");
            let wanted = sent.replace("\"a\"", "%22a%22");
            assert_eq!(read(&sent, 1000, 4096).await, wanted, "{header}");
        }
    }
}
