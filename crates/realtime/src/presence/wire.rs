//! What nodes tell each other of presence.

use bytes::Bytes;

use super::{
    meta::{Meta, MetaId, PhxRef},
    shard_state::{Delta, Snapshot},
};
use crate::{
    bus::{FieldReader, FieldWriter},
    model::{NodeId, Shard, Topic},
};

/// A message about one shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Update {
    /// Members of the sender changed.
    Delta(Delta),
    /// All members of the sender.
    Snapshot(Snapshot),
    /// A snapshot is wanted, of one node or of all.
    Ask(Option<NodeId>),
}

/// That a node is alive, and what it has told so far (CONTRACT.md N3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Beat {
    /// The node stops: its members are gone.
    pub(crate) is_last: bool,
    /// Deltas sent for each shard, where there were any.
    pub(crate) sequences: Vec<(Shard, u64)>,
}

const DELTA: u8 = 1;
const SNAPSHOT: u8 = 2;
const ASK: u8 = 3;

impl Update {
    pub(super) fn encode(&self, shard: Shard) -> Bytes {
        let mut fields = FieldWriter::default();
        fields.byte(shard.0);
        match self {
            Self::Delta(delta) => write_delta(fields.byte(DELTA), delta),
            Self::Snapshot(snapshot) => write_snapshot(fields.byte(SNAPSHOT), snapshot),
            Self::Ask(node) => write_optional(fields.byte(ASK), node.map(|node| node.0).as_ref()),
        };
        fields.finish()
    }

    /// Reads an update of a node; none if it is malformed.
    pub(super) fn decode(from: NodeId, message: Bytes) -> Option<(Shard, Self)> {
        let mut fields = FieldReader::new(message);
        let shard = Shard(fields.byte()?);
        let update = match fields.byte()? {
            DELTA => Self::Delta(read_delta(&mut fields, from)?),
            SNAPSHOT => Self::Snapshot(read_snapshot(&mut fields, from)?),
            ASK => Self::Ask(read_optional(&mut fields)?.map(NodeId)),
            _ => return None,
        };
        Some((shard, update))
    }
}

impl Beat {
    pub(super) fn encode(&self) -> Bytes {
        let mut fields = FieldWriter::default();
        fields.byte(u8::from(self.is_last)).list(&self.sequences, |fields, (shard, sequence)| {
            fields.byte(shard.0).number(*sequence);
        });
        fields.finish()
    }

    pub(super) fn decode(message: Bytes) -> Option<Self> {
        let mut fields = FieldReader::new(message);
        let is_last = fields.byte()? != 0;
        let sequences = fields.list(|fields| Some((Shard(fields.byte()?), fields.number()?)))?;
        Some(Self { is_last, sequences })
    }
}

fn write_delta<'f>(fields: &'f mut FieldWriter, delta: &Delta) -> &'f mut FieldWriter {
    fields
        .number(delta.sequence)
        .topic(&delta.topic)
        .list(&delta.joins, write_member)
        .list(&delta.leaves, write_id)
}

fn read_delta(fields: &mut FieldReader, from: NodeId) -> Option<Delta> {
    Some(Delta {
        sequence: fields.number()?,
        topic: fields.topic()?,
        joins: fields.list(|fields| read_member(fields, from))?,
        leaves: fields.list(read_id)?,
    })
}

fn write_snapshot<'f>(fields: &'f mut FieldWriter, snapshot: &Snapshot) -> &'f mut FieldWriter {
    let topics: Vec<_> = snapshot.topics.iter().collect();
    fields.number(snapshot.sequence).list(&topics, |fields, (topic, members)| {
        fields.topic(topic).list(members, write_member);
    })
}

fn read_snapshot(fields: &mut FieldReader, from: NodeId) -> Option<Snapshot> {
    let sequence = fields.number()?;
    let members = |fields: &mut FieldReader| fields.list(|fields| read_member(fields, from));
    let topics: Vec<(Topic, _)> = fields.list(|fields| Some((fields.topic()?, members(fields)?)))?;
    Some(Snapshot { sequence, topics: topics.into_iter().collect() })
}

fn write_id(fields: &mut FieldWriter, id: &MetaId) {
    fields.bytes(id.key.as_bytes()).raw(&id.phx_ref.0);
}

fn read_id(fields: &mut FieldReader) -> Option<MetaId> {
    Some(MetaId { key: fields.text()?.into(), phx_ref: PhxRef(fields.raw()?) })
}

fn write_member(fields: &mut FieldWriter, (id, meta): &(MetaId, Meta)) {
    write_id(fields, id);
    fields.bytes(&meta.payload);
    write_optional(fields, meta.previous.map(|previous| previous.0).as_ref());
}

fn read_member(fields: &mut FieldReader, owner: NodeId) -> Option<(MetaId, Meta)> {
    let id = read_id(fields)?;
    let payload = fields.bytes()?;
    let previous = read_optional(fields)?.map(PhxRef);
    Some((id, Meta { owner, payload, previous }))
}

fn write_optional<'f, const COUNT: usize>(
    fields: &'f mut FieldWriter,
    value: Option<&[u8; COUNT]>,
) -> &'f mut FieldWriter {
    fields.byte(u8::from(value.is_some())).raw(value.map_or(&[], |value| value))
}

fn read_optional<const COUNT: usize>(fields: &mut FieldReader) -> Option<Option<[u8; COUNT]>> {
    Some(if fields.byte()? == 0 { None } else { Some(fields.raw()?) })
}
