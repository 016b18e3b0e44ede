//! What there may be, as a project sets it.

use std::time::{Duration, Instant};

use banyan_config::Config;
use banyan_realtime::Patience;
use serde_json::{Value, json};

use crate::support::{Client, Closed, Realtime, anon};

/// A service of a project that has changed its settings.
async fn realtime(change: impl FnOnce(&mut Config)) -> Realtime {
    let mut config = banyan_testkit::config();
    change(&mut config);
    Realtime::start_with(config, Patience::default()).await
}

async fn opened(realtime: &Realtime) -> Result<Client, u16> {
    Client::open(realtime.address, &format!("apikey={}&vsn=2.0.0", anon())).await
}

fn reason(reply: &Value) -> &str {
    reply["response"]["reason"].as_str().unwrap_or_else(|| panic!("no reason: {reply}"))
}

// rows: LIM-CONNECTIONS C7
#[tokio::test]
async fn a_socket_more_than_there_may_be_is_refused_until_another_one_ends() {
    let realtime = realtime(|config| config.realtime.limits.connections = 1).await;
    let mut first = opened(&realtime).await.expect("a socket");
    assert_eq!(opened(&realtime).await.err(), Some(429));
    first.send_raw(tokio_websockets::Message::close(None, "")).await;
    first.closed().await;
    drop(first);
    while opened(&realtime).await.is_err() {}
}

// rows: LIM-JOINS ClientJoinRateLimitReached C14
#[tokio::test]
async fn a_socket_that_joins_above_the_rate_is_closed() {
    let realtime = realtime(|config| config.realtime.limits.joins_per_second = 1).await;
    let mut client = realtime.client().await;
    for number in 0..6 {
        client.joined(&format!("room-{number}"), json!({})).await;
    }
    let refused = client.join("one more", json!({})).await;
    assert_eq!(reason(&refused), "ClientJoinRateLimitReached: Too many joins per second");
    assert_eq!(client.closed().await, Closed(Some(1001)));
    assert_eq!(opened(&realtime).await.err(), Some(429), "nor is another socket opened");
}

// rows: LIM-JOIN JoinTooLarge L5
#[tokio::test]
async fn a_join_that_is_too_large_is_refused_and_the_socket_stays() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    let name = |length| "n".repeat(length);
    let entries = |count| json!({"postgres_changes": vec![json!({"schema": "public"}); count]});
    for (topic, config, most) in [
        (name(513), json!({}), "512 bytes of a topic"),
        (name(1), json!({"presence": {"key": name(513)}}), "512 bytes of presence.key"),
        (name(1), entries(101), "100 entries of postgres_changes"),
        (name(1), json!({"other": name(64 << 10)}), "65536 bytes of a join"),
    ] {
        let refused = client.join(&topic, config).await;
        assert_eq!(reason(&refused), format!("JoinTooLarge: At most {most}"));
    }
    let reference = name(511);
    client.send_text(json!([null, reference, "realtime:n", "phx_join", {}]).to_string()).await;
    let (_, refused) = client.event().await;
    assert_eq!(reason(&refused), "JoinTooLarge: At most 512 bytes of a ref");
    client.joined(&name(512), json!({"presence": {"key": name(512)}})).await;
    let joined = client.join("changes", entries(100)).await;
    assert_eq!(joined["response"]["postgres_changes"].as_array().map(Vec::len), Some(100));
}

// rows: LIM-MESSAGES L12
#[tokio::test]
async fn a_channel_that_sends_above_the_rate_ends() {
    let realtime = realtime(|config| config.realtime.limits.messages_per_second = 1).await;
    let mut client = realtime.client().await;
    client.joined("room", json!({})).await;
    client.joined("other", json!({})).await;
    for number in 0..7 {
        client.broadcast("room", "e", json!({"number": number})).await;
    }
    let (event, said) = client.event().await;
    assert_eq!((&*event, &said["message"]), ("system", &json!("Too many messages per second")));
    assert_eq!(client.event().await, ("phx_close".to_owned(), json!({})));
    assert_eq!(client.so_far().await, [], "the socket and its other channels stay");
}

// rows: LIM-HEADER
#[tokio::test]
async fn headers_that_are_too_large_open_no_socket() {
    let realtime = realtime(|config| config.realtime.limits.header_length = 1000).await;
    let path = format!("/websocket?apikey={}&vsn=2.0.0", anon());
    assert!(Client::open_with(realtime.address, &path, &[]).await.is_ok());
    let large = "x".repeat(1000);
    let refused = Client::open_with(realtime.address, &path, &[("x-large", &large)]).await;
    assert_eq!(refused.err(), Some(431));
}

// rows: A1 PrivateOnly
#[tokio::test]
async fn a_project_may_have_private_channels_alone() {
    let realtime = realtime(|config| config.realtime.private_only = true).await;
    let mut client = realtime.client().await;
    let refused = client.join("room", json!({"private": "false"})).await;
    assert_eq!(reason(&refused), "PrivateOnly: This project only allows private channels");
    let private = client.join("room", json!({"private": true})).await;
    assert!(reason(&private).starts_with("Unauthorized: "), "{private}");
}

// rows: C8
#[tokio::test]
async fn a_refusal_waits_as_long_as_the_project_says() {
    let delay = Duration::from_millis(300);
    let realtime = realtime(|config| config.realtime.refusal_delay = delay).await;
    let began = Instant::now();
    assert_eq!(Client::open(realtime.address, "apikey=nonsense").await.err(), Some(401));
    assert!(began.elapsed() >= delay);
    let mut client = realtime.client().await;
    let began = Instant::now();
    client.join("", json!({})).await;
    assert!(began.elapsed() >= delay);
}
