//! Rows of `realtime.messages`, which are broadcast as soon as they are committed (CONTRACT.md D4
//! to D6).

use bytes::Bytes;
use serde_json::json;
use uuid::Uuid;

use super::pgoutput::{Relation, Row, Value};
use crate::model::{Broadcast, Content, Payload, Topic};

/// Whether a table is the one whose rows are broadcast.
pub(super) fn is_table(relation: &Relation) -> bool {
    relation.schema == "realtime" && relation.name == "messages"
}

/// The broadcast of a row; none where it lacks what it needs.
pub(super) fn read(relation: &Relation, row: &Row) -> Option<Broadcast> {
    let text = |name: &str| {
        let place = relation.columns.iter().position(|column| column.name == name)?;
        match row.get(place)? {
            Value::Text(text) => Some(text.clone()),
            Value::Null | Value::Unchanged => None,
        }
    };
    let broadcast = try_read(text);
    if broadcast.is_none() {
        tracing::warn!("realtime: UnableToBroadcastChanges: a row of realtime.messages lacks a value");
    }
    broadcast
}

fn try_read(column: impl Fn(&str) -> Option<Bytes>) -> Option<Broadcast> {
    let string = |name| String::from_utf8(column(name)?.into()).ok();
    let payload = match column("binary_payload") {
        Some(hex) => Payload::Binary(decode(&hex)?),
        None => Payload::Json(column("payload")?),
    };
    let topic = Topic { name: string("topic")?.into(), is_private: &*column("private")? == b"t" };
    let id = Uuid::try_parse(&string("id")?).ok()?;
    let meta = Some(json!({"id": id}).to_string().into());
    Some(Broadcast {
        topic,
        id: Some(id),
        content: Content::Event { event: string("event")?, payload, meta },
    })
}

/// Bytes in PostgreSQL's form: `\x` and two digits for each.
fn decode(text: &[u8]) -> Option<Bytes> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits = text.strip_prefix(b"\\x")?;
    digits.chunks(2).map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::pgoutput::Column;

    const ID: &str = "00000000-0000-0000-0000-000000000007";
    const META: &str = r#"{"id":"00000000-0000-0000-0000-000000000007"}"#;

    fn row(values: [Option<&'static str>; 6]) -> Option<Broadcast> {
        let names = ["id", "topic", "event", "private", "payload", "binary_payload"];
        let column = |name: &str| Column { name: name.into(), type_oid: 25, is_identity: false };
        let columns = names.map(column).to_vec();
        let relation = Relation { id: 1, schema: "realtime".into(), name: "messages".into(), columns };
        let value = |text: Option<&'static str>| match text {
            Some(text) => Value::Text(Bytes::from_static(text.as_bytes())),
            None => Value::Null,
        };
        assert!(is_table(&relation));
        read(&relation, &values.map(value).to_vec())
    }

    // rows: D4
    #[test]
    fn a_row_is_a_broadcast_with_its_id() {
        let json =
            row([Some(ID), Some("room"), Some("e"), Some("t"), Some(r#"{"a": 1}"#), None]).expect("one");
        assert_eq!(json.topic, Topic { name: "room".into(), is_private: true });
        let Content::Event { event, payload: Payload::Json(payload), meta } = json.content else { panic!() };
        assert_eq!((&*event, &*payload, meta.as_deref()), ("e", &br#"{"a": 1}"#[..], Some(META.as_bytes())));
        let bytes = row([Some(ID), Some("room"), Some("e"), Some("f"), None, Some("\\x00ff")]).expect("one");
        let Content::Event { payload: Payload::Binary(payload), .. } = bytes.content else { panic!() };
        assert_eq!((&*payload, bytes.topic.is_private), (&[0, 255][..], false));
    }

    // rows: D6
    #[test]
    fn a_row_without_topic_event_id_or_payload_is_not_broadcast() {
        let whole = [Some(ID), Some("room"), Some("e"), Some("t"), Some("{}"), None];
        for missing in 0..5 {
            let mut values = whole;
            values[missing] = None;
            assert!(row(values).is_none(), "without column {missing}");
        }
    }
}
