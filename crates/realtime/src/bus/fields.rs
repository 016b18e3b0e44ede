//! The fields of a message between nodes: numbers in network order, bytes behind their length.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::model::Topic;

/// Writes one message.
#[derive(Debug, Default)]
pub(crate) struct FieldWriter(BytesMut);

impl FieldWriter {
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.0.put_u64(number);
        self
    }

    pub(crate) fn byte(&mut self, byte: u8) -> &mut Self {
        self.0.put_u8(byte);
        self
    }

    /// Bytes whose number the reader knows.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.put_slice(bytes);
        self
    }

    /// Bytes behind their length, fewer than 4 GiB.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.put_u32(u32::try_from(bytes.len()).expect("messages are far below 4 GiB"));
        self.raw(bytes)
    }

    pub(crate) fn topic(&mut self, topic: &Topic) -> &mut Self {
        self.byte(u8::from(topic.is_private)).bytes(topic.name.as_bytes())
    }

    /// A list: its length, then each element.
    pub(crate) fn list<T>(&mut self, list: &[T], each: impl Fn(&mut Self, &T)) -> &mut Self {
        self.number(list.len() as u64);
        for element in list {
            each(self, element);
        }
        self
    }

    /// The message.
    pub(crate) fn finish(&mut self) -> Bytes {
        std::mem::take(&mut self.0).freeze()
    }
}

/// Reads one message. What ends early or has another form reads as none.
#[derive(Debug)]
pub(crate) struct FieldReader(Bytes);

impl FieldReader {
    pub(crate) fn new(message: Bytes) -> Self {
        Self(message)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        self.0.try_get_u64().ok()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.0.try_get_u8().ok()
    }

    pub(crate) fn raw<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let bytes = self.take(COUNT)?;
        bytes.as_ref().try_into().ok()
    }

    /// Bytes behind their length. They are shared with the message.
    pub(crate) fn bytes(&mut self) -> Option<Bytes> {
        let length = self.0.try_get_u32().ok()?;
        self.take(usize::try_from(length).ok()?)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.into()).ok()
    }

    pub(crate) fn topic(&mut self) -> Option<Topic> {
        let is_private = self.byte()? != 0;
        Some(Topic { name: self.text()?.into(), is_private })
    }

    pub(crate) fn list<T>(&mut self, each: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        // An element has a byte at least, so a false length ends early.
        (0..length).map(|_| each(self)).collect()
    }

    /// The rest, to the end of the message.
    pub(crate) fn rest(&mut self) -> Bytes {
        std::mem::take(&mut self.0)
    }

    fn take(&mut self, length: usize) -> Option<Bytes> {
        (length <= self.0.len()).then(|| self.0.split_to(length))
    }
}
