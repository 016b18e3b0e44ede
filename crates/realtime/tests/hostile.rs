//! Clients that mean harm.

use serde_json::json;

use crate::support::{Client, Closed, Realtime, Sent};

// rows: LIM-OUTBOX X3
#[tokio::test]
async fn a_client_that_never_reads_is_closed_and_delays_nobody() {
    let realtime = Realtime::start().await;
    let mut sender = realtime.client().await;
    sender.joined("room", json!({"broadcast": {"ack": true}})).await;
    let (mut deaf, mut reader) = (realtime.client().await, realtime.client().await);
    deaf.joined("room", json!({})).await;
    reader.joined("room", json!({})).await;
    // More than the outbox and the buffers of both kernels hold.
    let large = json!({"text": "x".repeat(1_000_000)});
    for _ in 0..40 {
        sender.broadcast("room", "e", large.clone()).await;
        assert_eq!(sender.event().await.0, "phx_reply");
        assert_eq!(reader.event().await.0, "broadcast");
    }
    let mut received = 0;
    let closed = loop {
        match deaf.next().await {
            Ok(_) => received += 1,
            Err(closed) => break closed,
        }
    };
    assert_eq!(closed, Closed(Some(1013)), "it begins to read in time to see why");
    assert!(received < 40, "{received}");
}

// rows: LIM-CHANNELS X3
#[tokio::test]
async fn a_thousand_joins_on_one_socket_are_a_hundred_channels() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    // Only the refusals of those that are sent at once wait, one after the other.
    for number in 0..150 {
        client.send(&format!("realtime:room-{number}"), "phx_join", json!({})).await;
    }
    let mut counts = [0, 0];
    for _ in 0..150 {
        let (_, reply) = client.event().await;
        counts[usize::from(reply["status"] == "ok")] += 1;
    }
    assert_eq!(counts, [50, 100]);
}

// rows: A9 L17
#[tokio::test]
async fn forged_topics_reach_nobody_else() {
    let realtime = Realtime::start().await;
    let mut victim = realtime.client().await;
    victim.joined("room", json!({})).await;
    let mut other = realtime.client().await;
    for topic in [
        "realtime:room ",
        "realtime:ROOM",
        "realtime:realtime:room",
        "realtime:\u{0}room",
        "realtime:room\u{200b}",
    ] {
        assert_eq!(other.ask(topic, "phx_join", json!({})).await["status"], "ok", "{topic:?}");
        other.send(topic, "broadcast", json!({"type": "broadcast", "event": "e", "payload": {}})).await;
    }
    assert_eq!(other.so_far().await, []);
    assert_eq!(victim.so_far().await, [] as [Sent; 0]);
}

// rows: C15
#[tokio::test]
async fn json_that_is_deep_or_odd_harms_nobody() {
    let realtime = Realtime::start().await;
    let mut client: Client = realtime.client().await;
    client.joined("room", json!({"broadcast": {"self": true}})).await;
    let deep = "[".repeat(100_000);
    client.send_text(format!(r#"[null,"1","realtime:room","broadcast",{deep}]"#)).await;
    let (open, closed) = ("[".repeat(30_000), "]".repeat(30_000));
    client.send_text(format!(r#"[null,"1","realtime:other","phx_join",{{"config":{open}{closed}}}]"#)).await;
    client.send_text(r#"[null,"1","realtime:room","broadcast",7]"#.to_owned()).await;
    let replies = client.so_far().await;
    assert_eq!(replies.len(), 1, "a join whose payload cannot be read has the defaults: {replies:?}");
}
