use serde_json::value::RawValue;

use super::{Frame, Version};
use crate::model::{Broadcast, Content, Payload};

/// The refs of a message that belongs to no request.
pub(crate) const NO_REF: &str = "null";

/// The refs of a message, as JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refs<'a> {
    pub(crate) join_ref: &'a str,
    pub(crate) reference: &'a str,
}

impl Refs<'_> {
    /// Those of a message for every member of a topic (CONTRACT.md S2).
    pub(crate) const NONE: Self = Self { join_ref: NO_REF, reference: NO_REF };
}

/// A message as text. `topic` is as on the wire, `payload` is a JSON object (CONTRACT.md S1, S2).
pub(crate) fn message(version: Version, refs: Refs<'_>, topic: &str, event: &str, payload: &[u8]) -> Frame {
    parts(version, refs, topic, event, &[payload])
}

fn parts(version: Version, refs: Refs<'_>, topic: &str, event: &str, payload: &[&[u8]]) -> Frame {
    let (topic, event) = (json_text(topic), json_text(event));
    let (head, tail) = match version {
        Version::V1 => (
            format!("{{\"topic\":{topic},\"event\":{event},\"payload\":"),
            format!(",\"ref\":{}}}", refs.reference),
        ),
        Version::V2 => (format!("[{},{},{topic},{event},", refs.join_ref, refs.reference), "]".to_owned()),
    };
    let mut all = Vec::with_capacity(payload.len() + 2);
    all.push(head.as_bytes());
    all.extend_from_slice(payload);
    all.push(tail.as_bytes());
    Frame::text(&all)
}

/// A broadcast for the sockets of a version; none where its format cannot carry it (CONTRACT.md
/// S4, S6, S7).
pub(crate) fn broadcast(version: Version, broadcast: &Broadcast) -> Option<Frame> {
    let topic = broadcast.topic.on_the_wire();
    match (&broadcast.content, version) {
        (Content::Object(object), _) => Some(message(version, Refs::NONE, &topic, "broadcast", object)),
        (Content::Event { event, payload, meta }, Version::V2) => {
            user_broadcast(&topic, event, payload, meta.as_deref().unwrap_or_default())
        }
        (Content::Event { event, payload: Payload::Json(payload), meta }, Version::V1) => {
            serde_json::from_slice::<&RawValue>(payload).ok()?;
            let event = json_text(event);
            let head = format!("{{\"type\":\"broadcast\",\"event\":{event},\"payload\":");
            let (meta_key, meta): (&[u8], &[u8]) = match meta {
                Some(meta) => (b",\"meta\":", meta),
                None => (b"", b""),
            };
            let object = [head.as_bytes(), payload, meta_key, meta, b"}"];
            Some(parts(version, Refs::NONE, &topic, "broadcast", &object))
        }
        (Content::Event { payload: Payload::Binary(_), .. }, Version::V1) => None,
    }
}

/// A frame of type 4.
fn user_broadcast(topic: &str, event: &str, payload: &Payload, meta: &[u8]) -> Option<Frame> {
    let length = |part: &[u8]| u8::try_from(part.len()).ok();
    let lengths = (length(topic.as_bytes()), length(event.as_bytes()), length(meta));
    let (Some(of_topic), Some(of_event), Some(of_meta)) = lengths else {
        tracing::warn!("realtime: a topic, an event or metadata of more than 255 bytes is not sent");
        return None;
    };
    let (encoding, payload) = match payload {
        Payload::Binary(bytes) => (0, bytes),
        Payload::Json(text) => (1, text),
    };
    let head = [4, of_topic, of_event, of_meta, encoding];
    Some(Frame::binary(&[&head, topic.as_bytes(), event.as_bytes(), meta, payload]))
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
