//! A broadcast on its way to other nodes. Each node frames it once for each version.

use bytes::Bytes;
use uuid::Uuid;

use crate::{
    bus::{FieldReader, FieldWriter},
    model::{Broadcast, Content, Payload},
};

const OBJECT: u8 = 1;
const JSON: u8 = 2;
const BINARY: u8 = 3;

/// Writes a broadcast.
pub(super) fn encode(broadcast: &Broadcast) -> Bytes {
    let mut fields = FieldWriter::default();
    fields.topic(&broadcast.topic).raw(broadcast.id.unwrap_or_default().as_bytes());
    match &broadcast.content {
        Content::Object(object) => fields.byte(OBJECT).raw(object),
        Content::Event { event, payload, meta } => {
            let (kind, payload) = match payload {
                Payload::Json(json) => (JSON, json),
                Payload::Binary(bytes) => (BINARY, bytes),
            };
            let fields = fields.byte(kind).bytes(event.as_bytes()).bytes(meta.as_deref().unwrap_or_default());
            fields.raw(payload)
        }
    };
    fields.finish()
}

/// Reads a broadcast; none if it is malformed.
pub(super) fn decode(message: Bytes) -> Option<Broadcast> {
    let mut fields = FieldReader::new(message);
    let topic = fields.topic()?;
    let id = Some(Uuid::from_bytes(fields.raw()?)).filter(|id| !id.is_nil());
    let kind = fields.byte()?;
    if kind == OBJECT {
        return Some(Broadcast { topic, id, content: Content::Object(fields.rest()) });
    }
    let event = fields.text()?;
    let meta = Some(fields.bytes()?).filter(|meta| !meta.is_empty());
    let payload = match kind {
        JSON => Payload::Json(fields.rest()),
        BINARY => Payload::Binary(fields.rest()),
        _ => return None,
    };
    Some(Broadcast { topic, id, content: Content::Event { event, payload, meta } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Topic;

    // rows: N1 B7 S6
    #[test]
    fn a_broadcast_is_the_same_on_every_node() {
        let event = |payload, meta| Content::Event { event: "e".to_owned(), payload, meta };
        let json = Payload::Json("{\"a\":1}".into());
        let contents = [
            Content::Object("{\"event\":\"é\"}".into()),
            event(json.clone(), None),
            event(json, Some("{}".into())),
            event(Payload::Binary(vec![0, 255].into()), None),
            event(Payload::Binary(Bytes::new()), None),
        ];
        for (number, content) in contents.into_iter().enumerate() {
            let id = (number == 2).then(|| Uuid::from_bytes([7; 16]));
            let topic = Topic { name: "room".into(), is_private: number == 1 };
            let sent = Broadcast { topic, id, content };
            let message = encode(&sent);
            let received = decode(message.clone()).unwrap();
            assert_eq!(format!("{sent:?}"), format!("{received:?}"));
            assert!((0..16).all(|length| decode(message.slice(..length)).is_none()));
        }
    }
}
