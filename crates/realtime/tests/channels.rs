//! Joins and leaves.

use serde_json::{Value, json};

use crate::support::{Realtime, Sent};

/// Reasons of refused joins are codes of the contract.
fn refused(reason: &str) -> Value {
    json!({"status": "error", "response": {"reason": reason}})
}

// rows: L3 L4 S2
#[tokio::test]
async fn a_join_is_answered_with_the_changes_that_it_asked_for() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    let none = json!({"status": "ok", "response": {"postgres_changes": []}});
    let reference = client.send("realtime:room", "phx_join", json!({"config": {}})).await;
    let (join_ref, topic) = (json!(reference), json!("realtime:room"));
    let reply = Sent::Text([join_ref.clone(), join_ref, topic, json!("phx_reply"), none]);
    assert_eq!(client.next().await, Ok(reply), "with both refs");
}

// rows: L2 L17
#[tokio::test]
async fn a_strange_payload_joins_with_defaults_and_a_topic_is_any_string() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    for (topic, payload) in [
        ("realtime: ", json!([])),
        ("realtime:ü\"\\", json!({"config": 1})),
        ("realtime:realtime:a", json!({})),
    ] {
        let reply = client.ask(topic, "phx_join", payload).await;
        assert_eq!(reply["status"], "ok", "{topic} {reply}");
    }
}

// rows: L5 C16 TopicNameRequired
#[tokio::test]
async fn a_join_without_a_name_is_refused() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    let reply = client.ask("realtime:", "phx_join", json!({})).await;
    assert_eq!(reply, refused("TopicNameRequired: You must provide a topic name"));
}

// rows: L7 L9
#[tokio::test]
async fn a_second_join_closes_the_first_channel() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    client.joined("room", json!({"broadcast": {"self": true}})).await;
    let second = client.send("realtime:room", "phx_join", json!({"config": {}})).await;
    let close = Sent::Text([json!("1"), json!("1"), json!("realtime:room"), json!("phx_close"), json!({})]);
    assert_eq!(client.next().await, Ok(close), "with the refs of the first");
    let Ok(Sent::Text([join_ref, ..])) = client.next().await else { panic!("no reply") };
    assert_eq!(join_ref, json!(second));
    client.broadcast("room", "e", json!({})).await;
    assert_eq!(client.so_far().await, [], "the second has another config");
}

// rows: L8 L9
#[tokio::test]
async fn a_leave_is_answered_and_then_the_channel_is_closed() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    client.joined("room", json!({"broadcast": {"self": true}})).await;
    let reply = client.ask("realtime:room", "phx_leave", json!({})).await;
    assert_eq!(reply, json!({"status": "ok", "response": {}}));
    let close = Sent::Text([json!("1"), json!("1"), json!("realtime:room"), json!("phx_close"), json!({})]);
    assert_eq!(client.next().await, Ok(close));
    let mut other = realtime.client().await;
    other.joined("room", json!({"broadcast": {"ack": true}})).await;
    other.broadcast("room", "e", json!({})).await;
    assert_eq!(other.event().await.0, "phx_reply");
    assert_eq!(client.so_far().await, [], "it hears no more");
}

// rows: L14 L15
#[tokio::test]
async fn an_old_ref_does_not_matter_and_an_unknown_event_has_no_answer() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    client.joined("room", json!({"broadcast": {"ack": true}})).await;
    for join_ref in [json!("77"), Value::Null] {
        let payload = json!({"type": "broadcast", "event": "e", "payload": {}});
        client.send_text(json!([join_ref, "9", "realtime:room", "broadcast", payload]).to_string()).await;
        assert_eq!(client.event().await, ("phx_reply".to_owned(), json!({"status": "ok", "response": {}})));
    }
    client.send("realtime:room", "whatever", json!({"x": 1})).await;
    assert_eq!(client.so_far().await, []);
}

// rows: LIM-CHANNELS ChannelRateLimitReached
#[tokio::test]
async fn a_socket_has_a_hundred_channels_at_most() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    for number in 0..100 {
        client.joined(&format!("room-{number}"), json!({})).await;
    }
    assert_eq!(client.join("more", json!({})).await, refused("ChannelRateLimitReached: Too many channels"));
    client.ask("realtime:room-7", "phx_leave", json!({})).await;
    assert_eq!(client.event().await.0, "phx_close");
    client.joined("more", json!({})).await;
}
