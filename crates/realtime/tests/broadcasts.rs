//! Broadcasts of sockets.

use serde_json::{Value, json};

use crate::support::{Client, Realtime, Sent};

/// What version 2 receives of a broadcast that was sent as text.
fn broadcast(topic: &str, event: &str, payload: &Value) -> Sent {
    let payload = json!({"type": "broadcast", "event": event, "payload": payload});
    Sent::Text([Value::Null, Value::Null, json!(format!("realtime:{topic}")), json!("broadcast"), payload])
}

/// A frame of type 3.
fn push(topic: &str, event: &str, encoding: u8, payload: &[u8]) -> Vec<u8> {
    let topic = format!("realtime:{topic}");
    let mut frame = vec![3, 1, 1, topic.len() as u8, event.len() as u8, 0, encoding];
    for part in ["1", "7", &topic, event] {
        frame.extend_from_slice(part.as_bytes());
    }
    frame.extend_from_slice(payload);
    frame
}

/// A frame of type 4.
fn pushed(topic: &str, event: &str, encoding: u8, payload: &[u8]) -> Sent {
    let topic = format!("realtime:{topic}");
    let mut frame = vec![4, topic.len() as u8, event.len() as u8, 0, encoding];
    for part in [&*topic, event] {
        frame.extend_from_slice(part.as_bytes());
    }
    frame.extend_from_slice(payload);
    Sent::Binary(frame.into())
}

/// A client in a topic whose broadcasts are answered.
async fn sender(realtime: &Realtime, topic: &str) -> Client {
    let mut client = realtime.client().await;
    client.joined(topic, json!({"broadcast": {"ack": true}})).await;
    client
}

async fn acknowledged(client: &mut Client) {
    assert_eq!(client.event().await, ("phx_reply".to_owned(), json!({"status": "ok", "response": {}})));
}

// rows: B1 B3 B10
#[tokio::test]
async fn a_broadcast_reaches_all_others_of_its_topic_in_order() {
    let realtime = Realtime::start().await;
    let (mut sender, mut elsewhere) = (sender(&realtime, "room").await, realtime.client().await);
    elsewhere.joined("other", json!({})).await;
    let mut receivers = [realtime.client().await, realtime.client().await];
    for receiver in &mut receivers {
        receiver.joined("room", json!({})).await;
    }
    for number in 0..50 {
        sender.broadcast("room", "e", json!({"number": number})).await;
        acknowledged(&mut sender).await;
    }
    let expected: Vec<Sent> =
        (0..50).map(|number| broadcast("room", "e", &json!({"number": number}))).collect();
    for receiver in &mut receivers {
        assert_eq!(receiver.so_far().await, expected);
    }
    assert_eq!(sender.so_far().await, []);
    assert_eq!(elsewhere.so_far().await, []);
}

// rows: B2 B3
#[tokio::test]
async fn a_sender_hears_itself_if_it_asks_to_and_gets_no_answer_unless_it_asks() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    client.joined("room", json!({"broadcast": {"self": true}})).await;
    client.broadcast("room", "e", json!({"a": 1.0})).await;
    assert_eq!(client.so_far().await, [broadcast("room", "e", &json!({"a": 1.0}))]);
}

// rows: B1 S3 S4 S8
#[tokio::test]
async fn a_binary_push_of_json_is_a_frame_of_type_4_to_others() {
    let realtime = Realtime::start().await;
    let (mut sender, mut receiver) = (sender(&realtime, "room").await, realtime.client().await);
    receiver.joined("room", json!({})).await;
    sender.send_binary(push("room", "eé", 1, br#"{"a": 1}"#).as_slice()).await;
    acknowledged(&mut sender).await;
    assert_eq!(receiver.so_far().await, [pushed("room", "eé", 1, br#"{"a": 1}"#)]);
}

// rows: B7
#[tokio::test]
async fn bytes_arrive_as_they_were_sent() {
    let realtime = Realtime::start().await;
    let (mut sender, mut receiver) = (sender(&realtime, "room").await, realtime.client().await);
    receiver.joined("room", json!({})).await;
    let all: Vec<u8> = (0..=255).cycle().take(200_000).collect();
    for bytes in [&all[..], &[]] {
        sender.send_binary(push("room", "bytes", 0, bytes).as_slice()).await;
        acknowledged(&mut sender).await;
    }
    assert_eq!(receiver.so_far().await, [pushed("room", "bytes", 0, &all), pushed("room", "bytes", 0, &[])]);
}

// rows: S6
#[tokio::test]
async fn versions_hear_each_other() {
    let realtime = Realtime::start().await;
    let (mut new, mut old) = (sender(&realtime, "room").await, realtime.old_client().await);
    old.joined("room", json!({"broadcast": {"ack": true}})).await;
    new.send_binary(push("room", "json", 1, br#"{"a":1}"#).as_slice()).await;
    acknowledged(&mut new).await;
    new.send_binary(push("room", "bytes", 0, b"\x01").as_slice()).await;
    acknowledged(&mut new).await;
    let Sent::Text([_, _, topic, event, payload]) = &old.so_far().await[..][0] else { panic!("no text") };
    assert_eq!((topic, event), (&json!("realtime:room"), &json!("broadcast")));
    assert_eq!(payload, &json!({"type": "broadcast", "event": "json", "payload": {"a": 1}}));
    old.broadcast("room", "text", json!({"b": 2})).await;
    acknowledged(&mut old).await;
    assert_eq!(new.so_far().await, [broadcast("room", "text", &json!({"b": 2}))]);
}

// rows: B4 LIM-PAYLOAD
#[tokio::test]
async fn a_payload_that_is_too_large_is_dropped() {
    let realtime = Realtime::start().await;
    let (mut sender, mut receiver) = (sender(&realtime, "room").await, realtime.client().await);
    receiver.joined("room", json!({})).await;
    sender.send_binary(push("room", "e", 0, &vec![1; 3_000_501]).as_slice()).await;
    let refused = json!({"status": "error", "response": {"error": "payload_size_exceeded"}});
    assert_eq!(sender.event().await, ("phx_reply".to_owned(), refused));
    assert_eq!(receiver.so_far().await, []);
    sender.send_binary(push("room", "e", 0, &vec![1; 3_000_500]).as_slice()).await;
    acknowledged(&mut sender).await;
    assert_eq!(receiver.so_far().await.len(), 1);
}

// rows: S7
#[tokio::test]
async fn a_topic_that_no_frame_can_carry_is_heard_as_text_alone() {
    let realtime = Realtime::start().await;
    let topic = "t".repeat(300);
    let mut client = realtime.client().await;
    client.joined(&topic, json!({"broadcast": {"self": true}})).await;
    client.broadcast(&topic, "e", json!({})).await;
    assert_eq!(client.so_far().await, [broadcast(&topic, "e", &json!({}))]);
}
