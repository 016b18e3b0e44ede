//! The log for other nodes: the one that reads it sends the messages on, and each node decides
//! about its own subscribers (CONTRACT.md N2, N4).

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;

use crate::bus::{Bus, FieldReader, FieldWriter, Kind, Subject};

/// A packet of about so many bytes is sent before its transaction is complete.
const LARGEST: usize = 512 << 10;
/// The first byte of a message that begins, ends, or describes a table.
const BEGIN: u8 = b'B';
const COMMIT: u8 = b'C';
const RELATION: u8 = b'R';

/// A part of the log, as it goes from node to node.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// Which stream it is of.
    pub(super) stream: u64,
    /// Its place in the stream; each packet but an empty one has the next.
    pub(super) place: u64,
    pub(super) parts: Vec<Part>,
}

/// A message of the log in a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Of a table's description: the number of descriptions before it, by which a node knows one
    /// that it has. Else 0.
    pub(super) version: u64,
    pub(super) message: Bytes,
}

impl Packet {
    fn encode(&self) -> Bytes {
        let mut writer = FieldWriter::default();
        writer.number(self.stream).number(self.place);
        writer.list(&self.parts, |writer, part| {
            writer.number(part.version).bytes(&part.message);
        });
        writer.finish()
    }

    /// None where it is none.
    pub(super) fn decode(bytes: Bytes) -> Option<Self> {
        let mut reader = FieldReader::new(bytes);
        let (stream, place) = (reader.number()?, reader.number()?);
        let part =
            |reader: &mut FieldReader| Some(Part { version: reader.number()?, message: reader.bytes()? });
        Some(Self { stream, place, parts: reader.list(part)? })
    }
}

/// Sends a stream to the other nodes. Each packet can be understood by itself: it begins with how
/// its transaction began, and describes its tables.
#[derive(Debug)]
pub(super) struct Sender {
    bus: Arc<dyn Bus>,
    stream: u64,
    place: u64,
    /// The newest description of each table, by its OID.
    descriptions: HashMap<[u8; 4], Part>,
    described: u64,
    begin: Option<Bytes>,
    packet: Vec<Part>,
    bytes: usize,
}

impl Sender {
    pub(super) fn new(bus: Arc<dyn Bus>, stream: u64) -> Self {
        let (descriptions, packet) = (HashMap::new(), vec![]);
        Self { bus, stream, place: 0, descriptions, described: 0, begin: None, packet, bytes: 0 }
    }

    /// Says that the stream runs.
    pub(super) fn beat(&self) {
        self.publish(vec![]);
    }

    /// Takes the next message of the log.
    pub(super) fn take(&mut self, message: &Bytes) {
        match message.first() {
            Some(&BEGIN) => self.begin = Some(message.clone()),
            Some(&RELATION) => {
                self.described += 1;
                let part = Part { version: self.described, message: message.clone() };
                if let Some(table) = table_of(message) {
                    self.descriptions.insert(table, part);
                }
            }
            Some(&COMMIT) => self.send(message.clone()),
            _ if self.bus.has_peers() => self.add(message),
            _ => {}
        }
    }

    fn add(&mut self, message: &Bytes) {
        if self.packet.is_empty() {
            self.push(0, self.begin.clone().unwrap_or_default());
        }
        let description = table_of(message).and_then(|table| self.descriptions.get(&table)).cloned();
        if let Some(Part { version, message }) = description
            && !self.packet.iter().any(|part| part.version == version)
        {
            self.push(version, message);
        }
        self.push(0, message.clone());
        if self.bytes > LARGEST {
            self.flush();
        }
    }

    fn push(&mut self, version: u64, message: Bytes) {
        self.bytes += message.len();
        self.packet.push(Part { version, message });
    }

    /// Sends what there is of the transaction, with its end.
    fn send(&mut self, commit: Bytes) {
        if !self.packet.is_empty() {
            self.push(0, commit);
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.bytes = 0;
        self.place += 1;
        let parts = std::mem::take(&mut self.packet);
        self.publish(parts);
    }

    fn publish(&self, parts: Vec<Part>) {
        if self.bus.has_peers() {
            let packet = Packet { stream: self.stream, place: self.place, parts };
            self.bus.publish(Subject::All, Kind::Changes, packet.encode());
        }
    }
}

/// The OID of the table that a message is about.
fn table_of(message: &Bytes) -> Option<[u8; 4]> {
    message.get(1..5)?.try_into().ok()
}
