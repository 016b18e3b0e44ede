use bytes::{BufMut, Bytes, BytesMut};

/// The opcode of text with the bit of a last fragment (RFC 6455 5.2).
const TEXT: u8 = 0x81;
/// The same of binary.
const BINARY: u8 = 0x82;
/// The same of a close.
const CLOSE: u8 = 0x88;

/// A whole frame of a websocket, with its head. A server masks nothing, so one frame serves every
/// socket of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame(Bytes);

impl Frame {
    /// A frame of text, in parts that make UTF-8 together.
    pub(crate) fn text(parts: &[&[u8]]) -> Self {
        Self::of(TEXT, parts)
    }

    /// A frame of bytes, in parts.
    pub(crate) fn binary(parts: &[&[u8]]) -> Self {
        Self::of(BINARY, parts)
    }

    /// The frame that ends a socket with a code.
    pub(crate) fn close(code: u16) -> Self {
        Self::of(CLOSE, &[&code.to_be_bytes()])
    }

    /// Frames that somebody else has encoded.
    pub(crate) fn encoded(bytes: Bytes) -> Self {
        Self(bytes)
    }

    /// Size in bytes, with the head.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The bytes to write.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.0
    }

    fn of(opcode: u8, parts: &[&[u8]]) -> Self {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let mut frame = BytesMut::with_capacity(length + 10);
        frame.put_u8(opcode);
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(length @ ..=125), _) => frame.put_u8(length),
            (_, Ok(length)) => {
                frame.put_u8(126);
                frame.put_u16(length);
            }
            _ => {
                frame.put_u8(127);
                frame.put_u64(length as u64);
            }
        }
        for part in parts {
            frame.put_slice(part);
        }
        Self(frame.freeze())
    }
}
