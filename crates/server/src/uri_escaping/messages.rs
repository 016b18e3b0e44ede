//! Where each message of a connection begins and ends. Heads are followed line by line, as hyper's
//! parser splits them; whatever it would refuse, or could read in another way, ends the following
//! for good.

/// How a body is framed, as hyper has read its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// So many bytes, or none.
    Length(u64),
    /// In chunks.
    Chunked,
    /// The connection may become another protocol.
    Unknown,
}

/// Where in its messages a connection is.
#[derive(Debug, Default)]
pub(super) struct Messages(ParserState);

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ParserState {
    /// Before a request; empty lines are skipped there.
    #[default]
    Start,
    Method,
    Target,
    Version,
    /// At the beginning of a line.
    Line,
    /// In a line that is not empty.
    Header,
    /// Behind the CR of an empty line.
    EmptyLine,
    /// Behind a head whose body is not known yet.
    EndOfHead,
    /// So many bytes of the body are to come.
    Body(u64),
    Chunk(Chunk),
    /// Nothing is known any more: all that follows passes as it is.
    Anywhere,
}

/// The plainest form of chunks, which nobody can read in two ways. Extensions and trailers are not
/// followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunk {
    /// The number so far, and its digits.
    Size(u64, u8),
    SizeLf(u64),
    Data(u64),
    DataCr,
    DataLf,
    LastCr,
    LastLf,
}

/// More digits of a chunk's size are not followed.
const MOST_DIGITS: u8 = 15;

impl Messages {
    /// Whether nothing may be passed on before [`Messages::body_is`].
    pub(super) fn is_at_end_of_head(&self) -> bool {
        self.0 == ParserState::EndOfHead
    }

    /// Goes on behind a head.
    pub(super) fn body_is(&mut self, framing: Framing) {
        self.0 = match framing {
            Framing::Length(0) => ParserState::Start,
            Framing::Length(bytes) => ParserState::Body(bytes),
            Framing::Chunked => ParserState::Chunk(Chunk::Size(0, 0)),
            Framing::Unknown => ParserState::Anywhere,
        };
    }

    /// Follows bytes, no further than to the end of a head. Gives how many, and the places of those
    /// to be escaped.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> (usize, Vec<usize>) {
        let (mut at, mut found) = (0, Vec::new());
        while at < bytes.len() && self.0 != ParserState::EndOfHead {
            let left = bytes.len() - at;
            match self.0 {
                ParserState::Anywhere => at = bytes.len(),
                ParserState::Body(size) => {
                    let (here, rest) = part(size, left);
                    at += here;
                    self.0 = if rest == 0 { ParserState::Start } else { ParserState::Body(rest) };
                }
                ParserState::Chunk(Chunk::Data(size)) => {
                    let (here, rest) = part(size, left);
                    at += here;
                    self.0 = ParserState::Chunk(if rest == 0 { Chunk::DataCr } else { Chunk::Data(rest) });
                }
                place => {
                    if place == ParserState::Target && matches!(bytes[at], b'"' | b'<' | b'>') {
                        found.push(at);
                    } else {
                        self.0 = next(place, bytes[at]);
                    }
                    at += 1;
                }
            }
        }
        (at, found)
    }
}

/// How much of `size` bytes is in a piece of so many, and how much is left.
fn part(size: u64, piece: usize) -> (usize, u64) {
    let here = usize::try_from(size).unwrap_or(usize::MAX).min(piece);
    (here, size - here as u64)
}

/// The place behind one byte.
fn next(place: ParserState, byte: u8) -> ParserState {
    match (place, byte) {
        (ParserState::Start, b'\r' | b'\n') => ParserState::Start,
        (ParserState::Method | ParserState::Target, b'\r' | b'\n') => ParserState::Anywhere,
        (ParserState::Start | ParserState::Method, b' ') => ParserState::Target,
        (ParserState::Start, _) => ParserState::Method,
        (ParserState::Target, b' ') => ParserState::Version,
        (ParserState::Version | ParserState::Header, b'\n') => ParserState::Line,
        (ParserState::Line, b'\r') => ParserState::EmptyLine,
        (ParserState::Line | ParserState::EmptyLine, b'\n') => ParserState::EndOfHead,
        (ParserState::Line, _) => ParserState::Header,
        (ParserState::EmptyLine, _) => ParserState::Anywhere,
        (ParserState::Chunk(chunk), byte) => chunk_after(chunk, byte).unwrap_or(ParserState::Anywhere),
        (place, _) => place,
    }
}

fn chunk_after(chunk: Chunk, byte: u8) -> Option<ParserState> {
    let next = match (chunk, byte) {
        (Chunk::Size(size, digits @ 1..), b'\r') if digits <= MOST_DIGITS => Chunk::SizeLf(size),
        (Chunk::Size(size, digits), byte) if digits < MOST_DIGITS => {
            let digit = char::from(byte).to_digit(16)?;
            Chunk::Size(size * 16 + u64::from(digit), digits + 1)
        }
        (Chunk::SizeLf(0), b'\n') => Chunk::LastCr,
        (Chunk::SizeLf(size), b'\n') => Chunk::Data(size),
        (Chunk::DataCr, b'\r') => Chunk::DataLf,
        (Chunk::DataLf, b'\n') => Chunk::Size(0, 0),
        (Chunk::LastCr, b'\r') => Chunk::LastLf,
        (Chunk::LastLf, b'\n') => return Some(ParserState::Start),
        _ => return None,
    };
    Some(ParserState::Chunk(next))
}
