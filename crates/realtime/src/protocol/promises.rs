//! What holds of every frame that a client can send. `scripts/fuzz serializers` and a property test
//! look for one of which it does not.

use bytes::Bytes;
use serde_json::{Value, value::RawValue};

use super::{Frame, Inbound, MessagePayload, Refs, Version, broadcast, message, parse_binary, parse_text};
use crate::model::{Broadcast, Content, Payload, Topic};

/// Reads a frame in every way there is, answers it, and passes it on as a broadcast.
///
/// # Panics
/// Where the answer, or what is passed on, is not what a client can read.
pub fn check_frame(frame: &[u8]) {
    let frame = Bytes::copy_from_slice(frame);
    let is_text = std::str::from_utf8(&frame).is_ok();
    for version in [Version::V1, Version::V2] {
        if let Some(message) = is_text.then(|| parse_text(version, &frame).ok()).flatten() {
            check(message);
        }
    }
    if let Ok(message) = parse_binary(&frame) {
        check(message);
    }
}

fn check(inbound: Inbound<'_>) {
    let refs = Refs { join_ref: &inbound.join_ref, reference: &inbound.reference };
    for version in [Version::V1, Version::V2] {
        let reply = message(version, refs, &inbound.topic, "phx_reply", b"{}");
        let sent: Value = serde_json::from_slice(carried(&reply)).expect("a reply is JSON");
        let topic = sent.get("topic").unwrap_or(&sent[2]);
        assert_eq!(topic, &*inbound.topic, "a reply goes to the topic of its message");
    }
    let topic = Topic { name: inbound.topic.into(), is_private: false };
    match inbound.payload {
        MessagePayload::Json(object) => {
            serde_json::from_slice::<&RawValue>(&object).expect("a payload is JSON");
            check_text(&Broadcast { topic, id: None, content: Content::Object(object) });
        }
        MessagePayload::Broadcast { event, payload } => check_event(topic, event, payload),
        MessagePayload::Bytes(_) => {}
    }
}

/// Both versions read the same JSON.
fn check_text(sent: &Broadcast) {
    let read = |version| {
        let frame = broadcast(version, sent).expect("text has no bounds");
        serde_json::from_slice::<Box<RawValue>>(carried(&frame)).expect("a broadcast is JSON")
    };
    let (v1, v2) = (read(Version::V1), read(Version::V2));
    assert!(v1.get().starts_with('{') && v2.get().starts_with('['));
}

/// Version 2 gets the payload byte by byte, version 1 JSON or nothing.
fn check_event(topic: Topic, event: String, payload: Payload) {
    let sent = Broadcast { topic, id: None, content: Content::Event { event, payload, meta: None } };
    if let Some(frame) = broadcast(Version::V1, &sent) {
        serde_json::from_slice::<&RawValue>(carried(&frame)).expect("version 1 is JSON");
    }
    let Some(frame) = broadcast(Version::V2, &sent) else { return };
    let Content::Event { event, payload: Payload::Json(bytes) | Payload::Binary(bytes), .. } = &sent.content
    else {
        return;
    };
    let carried = carried(&frame);
    let names = 5 + usize::from(carried[1]) + usize::from(carried[2]);
    assert_eq!(&carried[names..], &bytes[..], "the payload passes as it came");
    assert_eq!(&carried[names - event.len()..names], event.as_bytes());
}

/// What a frame carries, without its head.
pub(super) fn carried(frame: &Frame) -> &[u8] {
    let bytes = frame.bytes();
    match bytes[1] {
        126 => &bytes[4..],
        127 => &bytes[10..],
        _ => &bytes[2..],
    }
}
