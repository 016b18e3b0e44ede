//! Feeds bytes to the decoder of the log: no panic, and nothing that is longer than what came in.
//!
//! `scripts/fuzz pgoutput` runs it. An input is one message of `pgoutput`.
#![no_main]

use banyan_realtime::pgoutput::{Message, Relation, Row};
use bytes::Bytes;
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(message) = Message::decode(Bytes::copy_from_slice(bytes)) else { return Corpus::Keep };
    let size = match &message {
        Message::Relation(relation) => names(relation),
        Message::Insert { new, .. } => values(new),
        Message::Update { old, new, .. } => old.as_ref().map_or(0, |old| values(old.row())) + values(new),
        Message::Delete { old, .. } => values(old.row()),
        Message::Begin(_) | Message::Commit | Message::Other => 0,
    };
    assert!(size <= bytes.len(), "{size} bytes out of {}", bytes.len());
    Corpus::Keep
});

fn names(relation: &Relation) -> usize {
    relation.name.len() + relation.columns.iter().map(|column| column.name.len()).sum::<usize>()
}

fn values(row: &Row) -> usize {
    // Each value has a byte of its own beside its text.
    row.iter().map(|value| 1 + value.len()).sum()
}
