//! How a socket is opened, kept and closed.

use std::time::Duration;

use banyan_identity::Clock;
use banyan_realtime::Patience;
use serde_json::{Value, json};
use tokio_websockets::Message;

use crate::support::{Client, Closed, Realtime, Sent, anon};

fn text(topic: &str, reference: Value, event: &str, payload: Value) -> Sent {
    Sent::Text([Value::Null, reference, json!(topic), json!(event), payload])
}

fn ok(topic: &str, reference: &str) -> Sent {
    text(topic, json!(reference), "phx_reply", json!({"status": "ok", "response": {}}))
}

// rows: C1 C9 S1
#[tokio::test]
async fn a_socket_of_either_version_answers_heartbeats() {
    let realtime = Realtime::start().await;
    for mut client in [realtime.client().await, realtime.old_client().await] {
        let reference = client.send("phoenix", "heartbeat", json!({})).await;
        assert_eq!(client.next().await, Ok(ok("phoenix", &reference)));
    }
    let path = format!("/socket/websocket?apikey={}", anon());
    let mut without_gateway = Client::open_with(realtime.address, &path, &[]).await.expect("a socket");
    assert_eq!(without_gateway.so_far().await, []);
}

// rows: C4
#[tokio::test]
async fn a_socket_of_an_unknown_version_is_refused() {
    let realtime = Realtime::start().await;
    let refused = Client::open(realtime.address, &format!("apikey={}&vsn=3.0.0", anon())).await;
    assert_eq!(refused.err(), Some(403));
    assert!(Client::open(realtime.address, &format!("apikey={}", anon())).await.is_ok(), "none is 1.0.0");
}

fn token(extra: Value) -> String {
    banyan_testkit::token("authenticated", None, extra)
}

// rows: C2 C7 T3 MalformedJWT JwtSignatureError
#[tokio::test]
async fn a_refused_socket_is_told_why() {
    let realtime = Realtime::start().await;
    let now = Clock::system().now().unix_timestamp();
    let forged = anon().rsplit_once('.').map(|(head, _)| format!("{head}.AAAA")).expect("a token");
    let cases = [
        ("vsn=2.0.0".to_owned(), "API key is missing"),
        ("apikey=nonsense".to_owned(), "The token provided is not a valid JWT"),
        ("apikey=sb_publishable_unknown".to_owned(), "The token provided is not a valid JWT"),
        (format!("apikey={forged}"), "Failed to validate JWT signature"),
        (format!("apikey={}", token(json!({"exp": now - 60}))), "Token has expired"),
        (format!("apikey={}", token(json!({"exp": null}))), "Fields `role` and `exp` are required in JWT"),
        (format!("apikey={}", token(json!({"role": null}))), "Fields `role` and `exp` are required in JWT"),
    ];
    for (query, message) in cases {
        let request = realtime.service().get(&format!("/websocket?{query}"));
        let answer = asking_for_a_socket(request).await;
        assert_eq!((answer.status, answer.json()), (401, json!({"error": message})), "{query}");
    }
}

async fn asking_for_a_socket(call: banyan_testkit::Call) -> banyan_testkit::Answer {
    call.header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .await
}

// rows: C1 C2
#[tokio::test]
async fn what_asks_for_no_socket_gets_none() {
    let realtime = Realtime::start().await;
    let plain = realtime.service().get(&format!("/websocket?apikey={}", anon())).await;
    assert_eq!(plain.status, 426);
    let elsewhere = realtime.service().get("/socket/longpoll").await;
    assert_eq!(elsewhere.status, 404);
    let encoded = format!("apikey=%20{}%0A", anon().replace('.', "%2E"));
    assert!(Client::open(realtime.address, &encoded).await.is_ok(), "escapes and whitespace do no harm");
}

// rows: C2 C3
#[tokio::test]
async fn a_key_counts_as_an_opaque_one_and_in_a_header() {
    let realtime = Realtime::start().await;
    let keys = banyan_testkit::config().keys;
    let query = format!("apikey={}&vsn=2.0.0", keys.publishable_key);
    let mut client = realtime.client_of(&query).await;
    client.joined("room", json!({})).await;
    let in_header = [("x-api-key", &*keys.anon_key)];
    let opened =
        Client::open_with(realtime.address, "/websocket?apikey=nonsense&vsn=2.0.0", &in_header).await;
    opened.expect("the header wins").joined("room", json!({})).await;
}

// rows: C10
#[tokio::test]
async fn a_silent_client_is_closed_and_a_heartbeat_is_no_silence() {
    let patience = Patience { silence: Duration::from_millis(400), ..Patience::default() };
    let realtime = Realtime::start_with(banyan_testkit::config(), patience).await;
    let mut silent = realtime.client().await;
    let mut alive = realtime.client().await;
    silent.joined("room", json!({})).await;
    let mut closed = std::pin::pin!(silent.closed());
    loop {
        tokio::select! {
            biased;
            closed = &mut closed => break assert_eq!(closed, Closed(Some(1000))),
            () = tokio::time::sleep(Duration::from_millis(50)) => assert_eq!(alive.so_far().await, []),
        }
    }
    assert_eq!(alive.so_far().await, []);
}

// rows: C11
#[tokio::test]
async fn a_socket_without_a_channel_is_closed_in_the_end() {
    let patience = Patience { without_channel: Duration::from_millis(300), ..Patience::default() };
    let realtime = Realtime::start_with(banyan_testkit::config(), patience).await;
    let mut with_channel = realtime.client().await;
    with_channel.joined("room", json!({})).await;
    let mut without = realtime.client().await;
    assert_eq!(without.closed().await, Closed(Some(1000)));
    assert_eq!(with_channel.so_far().await, []);
    with_channel.ask("realtime:room", "phx_leave", json!({})).await;
    assert_eq!(with_channel.closed().await, Closed(Some(1000)));
}

// rows: C12
#[tokio::test]
async fn control_frames_are_answered_and_a_close_is_sent_back() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    client.send_raw(Message::ping("a")).await;
    assert_eq!(client.so_far().await, []);
    client.send_raw(Message::close(Some(tokio_websockets::CloseCode::NORMAL_CLOSURE), "")).await;
    assert_eq!(client.closed().await, Closed(Some(1000)));
}

// rows: C12
#[tokio::test]
async fn a_message_of_five_million_bytes_is_read_and_a_larger_one_closes_the_socket() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    client.send_binary(vec![9; 5_000_000].as_slice()).await;
    assert_eq!(client.so_far().await, [], "it is no message, but a frame");
    // The server closes while the client still sends.
    drop(client.try_send_binary(vec![9; 10_000_000].as_slice()).await);
    assert_eq!(client.closed().await, Closed(Some(1009)));
}

// rows: C13
#[tokio::test]
async fn compression_is_not_accepted() {
    let realtime = Realtime::start().await;
    let request = realtime.service().get(&format!("/websocket?apikey={}", anon()));
    let answer = asking_for_a_socket(request.header("sec-websocket-extensions", "permessage-deflate")).await;
    assert_eq!((answer.status, answer.header("sec-websocket-extensions")), (101, None));
    assert_eq!(answer.header("sec-websocket-accept"), Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
}

// rows: C14 L11 L13 M8
#[tokio::test]
async fn a_stop_tells_all_channels_to_go_and_closes_the_socket() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    client.joined("one", json!({})).await;
    client.joined("two", json!({})).await;
    realtime.stopping.cancel();
    for name in ["one", "two"] {
        let said = json!({"extension": "system", "status": "ok", "message": "Server requested disconnect", "channel": name});
        assert_eq!(client.event().await, ("system".to_owned(), said));
    }
    assert_eq!(client.closed().await, Closed(Some(1012)));
}

// rows: L13 M9
#[tokio::test]
async fn sockets_are_told_to_go_and_may_come_back_at_once() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    client.joined("room", json!({})).await;
    realtime.state.disconnect();
    assert_eq!(client.event().await.1["message"], "Server requested disconnect");
    assert_eq!(client.closed().await, Closed(Some(1012)));
    realtime.client().await.joined("room", json!({})).await;
}

// rows: C18
#[tokio::test]
async fn a_page_of_any_origin_opens_a_socket() {
    let realtime = Realtime::start().await;
    let path = format!("/websocket?apikey={}&vsn=2.0.0", anon());
    let opened = Client::open_with(realtime.address, &path, &[("origin", "https://example.com")]).await;
    opened.expect("a socket").joined("room", json!({})).await;
}

// rows: M8 RealtimeRestarting
#[tokio::test]
async fn a_server_that_stops_refuses_joins() {
    let drain_pause = Duration::from_secs(3600);
    let patience = Patience { drained_at_a_time: 1, drain_pause, ..Patience::default() };
    let realtime = Realtime::start_with(banyan_testkit::config(), patience).await;
    let (mut first, mut client) = (realtime.client().await, realtime.client().await);
    realtime.stopping.cancel();
    assert_eq!(first.closed().await, Closed(Some(1012)), "the second is told later");
    let reference = client.send("realtime:room", "phx_join", json!({})).await;
    let reason = "RealtimeRestarting: Realtime is restarting, please standby";
    let refused = json!({"status": "error", "response": {"reason": reason}});
    let refused =
        Sent::Text([json!(reference), json!(reference), json!("realtime:room"), json!("phx_reply"), refused]);
    assert_eq!(client.next().await, Ok(refused));
}

// rows: C15
#[tokio::test]
async fn what_is_no_message_is_dropped_and_the_socket_stays() {
    let realtime = Realtime::start().await;
    for mut client in [realtime.client().await, realtime.old_client().await] {
        for nonsense in ["", "x", "[]", "{}", "[1,2,3,4,5]", r#"{"topic":1}"#] {
            client.send_text(nonsense.to_owned()).await;
        }
        client.send_binary(&b"\x03\x01"[..]).await;
        assert_eq!(client.so_far().await, []);
    }
}

// rows: C16
#[tokio::test]
async fn a_topic_that_is_not_joined_is_unmatched() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    let unmatched = json!({"status": "error", "response": {"reason": "unmatched topic"}});
    assert_eq!(client.ask("realtime:room", "broadcast", json!({})).await, unmatched);
    assert_eq!(client.ask("other:room", "phx_join", json!({})).await, unmatched);
    assert_eq!(client.ask("phoenix", "other", json!({})).await, unmatched);
    assert_eq!(
        client.ask("realtime:room", "phx_leave", json!({})).await,
        json!({"status": "ok", "response": {}})
    );
}
