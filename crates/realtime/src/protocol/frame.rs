use bytes::{BufMut, Bytes, BytesMut};

/// The opcode of text with the bit of a last fragment (RFC 6455 5.2).
const TEXT: u8 = 0x81;
/// The same of binary.
const BINARY: u8 = 0x82;

/// A whole frame of a websocket, with its head. A server masks nothing, so one frame serves every
/// socket of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame(Bytes);

impl Frame {
    /// A frame of text, which must be UTF-8.
    pub(crate) fn text(text: &[u8]) -> Self {
        Self::of(TEXT, text)
    }

    /// A frame of bytes.
    pub(crate) fn binary(bytes: &[u8]) -> Self {
        Self::of(BINARY, bytes)
    }

    /// Size in bytes, with the head.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The bytes to write.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.0
    }

    fn of(opcode: u8, payload: &[u8]) -> Self {
        let mut frame = BytesMut::with_capacity(payload.len() + 10);
        frame.put_u8(opcode);
        match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
            (Ok(length @ ..=125), _) => frame.put_u8(length),
            (_, Ok(length)) => {
                frame.put_u8(126);
                frame.put_u16(length);
            }
            _ => {
                frame.put_u8(127);
                frame.put_u64(payload.len() as u64);
            }
        }
        frame.put_slice(payload);
        Self(frame.freeze())
    }
}
