//! The vectors of realtime-js's own serializer tests, and what clients of another kind may send.

use std::borrow::Cow;

use bytes::Bytes;

use proptest::prelude::*;

use super::{promises::carried, *};
use crate::model::{Broadcast, Content, Payload, Topic};

fn text(version: Version, frame: &'static str) -> Result<Inbound<'static>, Malformed> {
    let frame: &'static Bytes = Box::leak(Box::new(Bytes::from_static(frame.as_bytes())));
    parse_text(version, frame)
}

fn binary(frame: &[u8]) -> Result<Inbound<'static>, Malformed> {
    let frame: &'static Bytes = Box::leak(Box::new(Bytes::copy_from_slice(frame)));
    parse_binary(frame)
}

fn json(text: &'static str) -> MessagePayload {
    MessagePayload::Json(Bytes::from_static(text.as_bytes()))
}

fn example(join_ref: &'static str, reference: &'static str) -> Inbound<'static> {
    Inbound {
        join_ref: Cow::Borrowed(join_ref),
        reference: Cow::Borrowed(reference),
        topic: Cow::Borrowed("t"),
        event: Cow::Borrowed("e"),
        payload: json(r#"{"foo":1}"#),
    }
}

// rows: S2
#[test]
fn version_2_is_an_array_of_five_and_more_does_not_count() {
    let read = |frame| text(Version::V2, frame).expect("a message");
    assert_eq!(read(r#"["0","1","t","e",{"foo":1}]"#), example(r#""0""#, r#""1""#));
    assert_eq!(read(r#"[null,null,"t","e",{"foo":1}]"#), example("null", "null"));
    assert_eq!(read(r#" [ "0" , 1 , "t" , "e" , {"foo":1} , "more" , [] ] "#), example(r#""0""#, "1"));
    assert_eq!(read(r#"[null,null,"\u0074","e",{"foo":1}]"#).topic, "t");
}

// rows: S1
#[test]
fn version_1_is_an_object_with_keys_in_any_order() {
    let read = |frame| text(Version::V1, frame).expect("a message");
    let all = r#"{"payload":{"foo":1},"ref":"1","event":"e","topic":"t","join_ref":"0","x":0}"#;
    assert_eq!(read(all), example(r#""0""#, r#""1""#));
    assert_eq!(read(r#"{"topic":"t","event":"e","payload":{"foo":1},"ref":null}"#), example("null", "null"));
}

// rows: C15
#[test]
fn what_is_said_of_a_malformed_message_quotes_nothing_of_it() {
    for frame in
        [r#"["0","1","t","e","secret-token"]"#, r#"{"topic": ["secret-token"]}"#, r#""secret-token""#]
    {
        for version in [Version::V1, Version::V2] {
            let said = text(version, frame).err().map(|malformed| malformed.to_string()).unwrap_or_default();
            assert!(!said.contains("secret-token"), "{said}");
        }
    }
    assert!(text(Version::V2, r#"["0","1",{"a":"secret-token"},"e",{}]"#).is_err());
}

// rows: C15
#[test]
fn what_is_no_message_is_refused() {
    for frame in [
        "",
        "x",
        "{}",
        "[]",
        "1",
        r#"["0","1","t","e"]"#,
        r#"["0","1",2,"e",{}]"#,
        r#"["0",[],"t","e",{}]"#,
        r#"["0","1","t","e",{}"#,
    ] {
        assert!(text(Version::V2, frame).is_err(), "{frame}");
    }
    for frame in
        [r#"{"topic":"t","event":"e","payload":{}}"#, r#"{"event":"e","payload":{},"ref":"1"}"#, "[]"]
    {
        assert!(text(Version::V1, frame).is_err(), "{frame}");
    }
    let frames: [&[u8]; 7] = [
        b"",
        b"\x01",
        b"\x03",
        b"\x03\x02\x01\x03\x0a\x00\x01101top",
        b"\x00\x01",
        b"\x03\0\0\x01\0\0\0\xff",
        b"\x03\0\0\0\0\x01\0{",
    ];
    for frame in frames {
        assert!(binary(frame).is_err(), "{frame:?}");
    }
}

// rows: S3
#[test]
fn a_push_of_a_user_is_read_from_its_frame() {
    let read = binary(b"\x03\x02\x01\x03\x0a\x00\x01101topuser-event{\"a\":\"b\"}").expect("a message");
    let sent = |payload| MessagePayload::Broadcast { event: "user-event".to_owned(), payload };
    let of_json = sent(Payload::Json(Bytes::from_static(br#"{"a":"b"}"#)));
    assert_eq!((&*read.join_ref, &*read.reference, &*read.topic), (r#""10""#, r#""1""#, "top"));
    assert_eq!((&*read.event, &read.payload), ("broadcast", &of_json));
    let with_metadata =
        binary(b"\x03\x02\x01\x03\x0a\x0f\x01101topuser-event{\"extra\":\"bit\"}{\"a\":\"b\"}");
    assert_eq!(with_metadata.expect("a message").payload, of_json);
    let without_refs = binary(b"\x03\x00\x00\x03\x0a\x00\x00topuser-event\x01\x04").expect("a message");
    assert_eq!((&*without_refs.join_ref, &*without_refs.reference), ("null", "null"));
    assert_eq!(without_refs.payload, sent(Payload::Binary(Bytes::from_static(b"\x01\x04"))));
    let with_quote = binary(b"\x03\x01\0\0\0\0\0\"").expect("a message");
    assert_eq!(with_quote.join_ref, r#""\"""#, "a ref is sent back as JSON");
}

// rows: S5
#[test]
fn phoenix_own_push_is_read_from_its_frame() {
    let read = binary(b"\x00\x01\x01\x03\x0501tophello\x01\x04").expect("a message");
    assert_eq!((&*read.join_ref, &*read.reference, &*read.topic), (r#""0""#, r#""1""#, "top"));
    assert_eq!(
        (&*read.event, read.payload),
        ("hello", MessagePayload::Bytes(Bytes::from_static(b"\x01\x04")))
    );
}

fn sent(content: Content) -> Broadcast {
    Broadcast { topic: Topic { name: "a\"b".into(), is_private: false }, id: None, content }
}

fn event(payload: Payload, meta: Option<&'static str>) -> Broadcast {
    let meta = meta.map(|meta| Bytes::from_static(meta.as_bytes()));
    sent(Content::Event { event: "user-event".to_owned(), payload, meta })
}

// rows: S4
#[test]
fn a_broadcast_of_an_event_is_a_frame_of_type_4() {
    let frame =
        |broadcast: &Broadcast| carried(&super::broadcast(Version::V2, broadcast).expect("a frame")).to_vec();
    let json = event(Payload::Json(Bytes::from_static(br#"{"a":"b"}"#)), Some(r#"{"id":"1"}"#));
    assert_eq!(frame(&json), b"\x04\x0c\x0a\x0a\x01realtime:a\"buser-event{\"id\":\"1\"}{\"a\":\"b\"}");
    let binary = event(Payload::Binary(Bytes::from_static(b"\x01\x04")), None);
    assert_eq!(frame(&binary), b"\x04\x0c\x0a\x00\x00realtime:a\"buser-event\x01\x04");
}

// rows: S6
#[test]
fn versions_share_what_both_can_read() {
    let v1 = |broadcast: &Broadcast| {
        super::broadcast(Version::V1, broadcast).map(|frame| carried(&frame).to_vec())
    };
    let json = event(Payload::Json(Bytes::from_static(br#"{"a":"b"}"#)), Some(r#"{"id":"1"}"#));
    let expected = br#"{"topic":"realtime:a\"b","event":"broadcast","payload":{"type":"broadcast","event":"user-event","payload":{"a":"b"},"meta":{"id":"1"}},"ref":null}"#;
    assert_eq!(v1(&json).expect("a frame"), expected);
    assert_eq!(v1(&event(Payload::Binary(Bytes::new()), None)), None, "version 1 has no bytes");
    assert_eq!(v1(&event(Payload::Json(Bytes::from_static(b"{")), None)), None, "nor what is no JSON");
    let object = sent(Content::Object(Bytes::from_static(br#"{"type":"broadcast","x": 1.0}"#)));
    let frame = super::broadcast(Version::V2, &object).expect("a frame");
    assert_eq!(carried(&frame), br#"[null,null,"realtime:a\"b","broadcast",{"type":"broadcast","x": 1.0}]"#);
    assert_eq!(frame.bytes()[0], 0x81, "text");
}

// rows: S7
#[test]
fn what_no_frame_can_carry_is_dropped() {
    let long = |topic: usize, event: usize| Broadcast {
        topic: Topic { name: "t".repeat(topic).into(), is_private: false },
        id: None,
        content: Content::Event {
            event: "e".repeat(event),
            payload: Payload::Json(Bytes::new()),
            meta: None,
        },
    };
    assert!(super::broadcast(Version::V2, &long(246, 255)).is_some());
    assert!(super::broadcast(Version::V2, &long(247, 255)).is_none());
    assert!(super::broadcast(Version::V2, &long(246, 256)).is_none());
}

// rows: S1 S2
#[test]
fn a_reply_has_the_refs_that_its_version_knows() {
    let refs = Refs { join_ref: r#""1""#, reference: r#""2""# };
    let frame = |version| message(version, refs, "realtime:x", "phx_reply", b"{}");
    assert_eq!(
        carried(&frame(Version::V1)),
        br#"{"topic":"realtime:x","event":"phx_reply","payload":{},"ref":"2"}"#
    );
    assert_eq!(carried(&frame(Version::V2)), br#"["1","2","realtime:x","phx_reply",{}]"#);
}

// rows: C4
#[test]
fn a_version_is_known_by_its_first_two_numbers() {
    assert_eq!(Version::of(None), Some(Version::V1));
    assert_eq!(Version::of(Some("1.0.0")), Some(Version::V1));
    assert_eq!(Version::of(Some("2.0.7")), Some(Version::V2));
    for other in ["", "2", "2.0", "2.1.0", "3.0.0", "2.0.0x", "2.0.-1"] {
        assert_eq!(Version::of(Some(other)), None, "{other}");
    }
}

#[test]
fn heads_of_frames_have_the_length_that_fits() {
    for (length, head) in
        [(125, vec![0x82, 125]), (126, vec![0x82, 126, 0, 126]), (65_535, vec![0x82, 126, 255, 255])]
    {
        let frame = Frame::binary(&[&vec![7; length]]);
        assert_eq!((&frame.bytes()[..head.len()], carried(&frame).len()), (&head[..], length));
    }
    let frame = Frame::binary(&[&[7; 65_536]]);
    assert_eq!(frame.bytes()[..10], [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
    assert_eq!(Frame::close(1012).bytes()[..], [0x88, 2, 3, 0xf4]);
}

/// Bytes that are nearly a frame.
fn nearly_a_frame() -> impl Strategy<Value = Vec<u8>> {
    let lengths = prop::collection::vec(0..6_u8, 6);
    let binary = (prop::sample::select(vec![0, 3]), lengths, prop::collection::vec(any::<u8>(), 0..40));
    let json = r#"(\[|\{|\]|\}|,|:|"(topic|event|payload|ref|join_ref|\\u00e9|a)"|null|1|-2.5e3| ){0,20}"#;
    prop_oneof![
        binary.prop_map(|(kind, lengths, rest)| [vec![kind], lengths, rest].concat()),
        json.prop_map(String::into_bytes),
        (".{0,4}", ".{0,4}", ".{0,4}").prop_map(|(reference, topic, payload)| {
            serde_json::json!([null, reference, topic, "broadcast", {"payload": payload}]).to_string().into()
        }),
    ]
}

proptest! {
    // rows: S1 S2 S3 S4 S6 B1 B7
    #[test]
    fn whatever_is_read_can_be_answered_and_passed_on(frame in nearly_a_frame()) {
        check_frame(&frame);
    }
}
