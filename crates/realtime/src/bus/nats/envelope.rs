//! What stands around a message on a subject: who sent it, and which part of it this is. A server
//! takes 1 MiB at a time unless it is told otherwise, and a broadcast may be larger.

use std::collections::HashMap;

use bytes::{Bytes, BytesMut};

use crate::{
    bus::{FieldReader, FieldWriter, Kind},
    model::NodeId,
};

/// The form of all this. Nodes of another form are not heard.
const FORMAT: u8 = 1;
/// Bytes around a part.
const OVERHEAD: usize = 1 + 16 + 1 + 8 + 8;
/// Bytes of the largest message that is put together.
const LARGEST: usize = 64 << 20;
/// Nodes whose large messages may be under way at a time.
const MOST_PARTIAL: usize = 8;

/// Splits a message into envelopes of at most `largest` bytes each, in order.
pub(super) fn seal(from: NodeId, kind: Kind, message: &Bytes, largest: usize) -> impl Iterator<Item = Bytes> {
    let room = largest.saturating_sub(OVERHEAD).max(1);
    let count = message.len().div_ceil(room).max(1);
    (0..count).map(move |part| {
        let bytes = message.slice(part * room..message.len().min((part + 1) * room));
        let mut fields = FieldWriter::default();
        fields
            .byte(FORMAT)
            .raw(&from.0)
            .byte(kind as u8)
            .number(part as u64)
            .number(count as u64)
            .raw(&bytes);
        fields.finish()
    })
}

/// Puts the messages of one subject together again.
#[derive(Debug, Default)]
pub(super) struct Assembly(HashMap<NodeId, Partial>);

#[derive(Debug)]
struct Partial {
    next: u64,
    bytes: BytesMut,
}

impl Assembly {
    /// Takes an envelope. Returns the message that it completes. An envelope of another form, and
    /// the rest of a message that lost a part, are dropped.
    pub(super) fn open(&mut self, envelope: Bytes) -> Option<(NodeId, Kind, Bytes)> {
        let mut fields = FieldReader::new(envelope);
        (fields.byte()? == FORMAT).then_some(())?;
        let (from, kind) = (NodeId(fields.raw()?), Kind::of(fields.byte()?)?);
        let (part, count) = (fields.number()?, fields.number()?);
        let bytes = fields.rest();
        if count == 1 {
            return Some((from, kind, bytes));
        }
        let message = self.add(from, (part, count), &bytes)?;
        Some((from, kind, message))
    }

    fn add(&mut self, from: NodeId, (part, count): (u64, u64), bytes: &[u8]) -> Option<Bytes> {
        let mut partial = match (part, self.0.remove(&from)) {
            (0, _) => Partial { next: 0, bytes: BytesMut::new() },
            (_, before) => before.filter(|before| before.next == part)?,
        };
        partial.bytes.extend_from_slice(bytes);
        partial.next += 1;
        if partial.next == count {
            return Some(partial.bytes.freeze());
        }
        if partial.bytes.len() <= LARGEST && self.0.len() < MOST_PARTIAL {
            self.0.insert(from, partial);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: NodeId = NodeId([7; 16]);

    fn parts(message: &[u8], largest: usize) -> Vec<Bytes> {
        seal(NODE, Kind::Broadcast, &Bytes::copy_from_slice(message), largest).collect()
    }

    // rows: N1
    #[test]
    fn a_message_of_any_size_is_put_together_from_parts_of_a_bounded_size() {
        for (length, expected) in [(0, 1), (6, 1), (7, 2), (60, 10), (61, 11)] {
            let message: Vec<u8> = (0..length).collect();
            let parts = parts(&message, OVERHEAD + 6);
            assert_eq!(parts.len(), expected);
            assert!(parts.iter().all(|part| part.len() <= OVERHEAD + 6));
            let mut assembly = Assembly::default();
            let mut opened: Vec<_> = parts.into_iter().filter_map(|part| assembly.open(part)).collect();
            let (from, kind, bytes) = opened.pop().unwrap();
            assert_eq!((from, kind, &*bytes, opened.len()), (NODE, Kind::Broadcast, &*message, 0));
        }
    }

    // rows: N1 X3
    #[test]
    fn a_message_that_lost_a_part_is_dropped_and_the_next_one_is_whole() {
        let mut assembly = Assembly::default();
        let [first, _, third] = <[Bytes; 3]>::try_from(parts(b"abcdef", OVERHEAD + 2)).unwrap();
        assert!(assembly.open(first.clone()).is_none() && assembly.open(third.clone()).is_none());
        assert!(assembly.open(third).is_none());
        let all = parts(b"uvwxyz", OVERHEAD + 2);
        assembly.open(first);
        let opened: Vec<_> = all.into_iter().filter_map(|part| assembly.open(part)).collect();
        assert_eq!(opened[0].2, "uvwxyz");
    }

    // rows: N1
    #[test]
    fn an_envelope_of_another_form_is_ignored() {
        let mut assembly = Assembly::default();
        let envelope = parts(b"a", 100).remove(0);
        for length in 0..OVERHEAD {
            assert!(assembly.open(envelope.slice(..length)).is_none());
        }
        let mut other = envelope.to_vec();
        other[0] = 9;
        assert!(assembly.open(other.into()).is_none());
    }
}
