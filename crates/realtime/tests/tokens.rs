//! Tokens of channels.

use banyan_identity::Clock;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Client, Realtime};

fn now() -> i64 {
    Clock::system().now().unix_timestamp()
}

fn token(extra: Value) -> String {
    banyan_testkit::token("authenticated", Some(Uuid::from_u128(7)), extra)
}

async fn join_with(client: &mut Client, payload: Value) -> Value {
    client.ask("realtime:room", "phx_join", payload).await
}

/// The server ends the channel with a message.
async fn ended(client: &mut Client) -> String {
    let (event, payload) = client.event().await;
    assert_eq!(
        (&*event, &payload["extension"], &payload["status"]),
        ("system", &json!("system"), &json!("error"))
    );
    assert_eq!(payload["channel"], "room");
    assert_eq!(client.event().await, ("phx_close".to_owned(), json!({})));
    payload["message"].as_str().expect("a message").to_owned()
}

// rows: T1
#[tokio::test]
async fn a_channel_without_a_token_has_that_of_its_socket() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    for payload in [
        json!({}),
        json!({"access_token": "sb_publishable_x"}),
        json!({"access_token": null}),
        json!({"access_token": "nonsense", "user_token": token(json!({}))}),
    ] {
        assert_eq!(join_with(&mut client, payload.clone()).await["status"], "ok", "{payload}");
        client.ask("realtime:room", "phx_leave", json!({})).await;
        client.event().await;
    }
}

// rows: T2 T3 L5 InvalidJWTToken MalformedJWT JwtSignatureError
#[tokio::test]
async fn a_join_with_a_bad_token_is_refused() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    let good = token(json!({}));
    let forged = good.rsplit_once('.').map(|(head, _)| format!("{head}.AAAA")).expect("a token");
    for (token, reason) in [
        (String::new(), "MalformedJWT: The token provided is not a valid JWT"),
        ("nonsense".to_owned(), "MalformedJWT: The token provided is not a valid JWT"),
        ("a.b.c".to_owned(), "MalformedJWT: The token provided is not a valid JWT"),
        (forged, "JwtSignatureError: Failed to validate JWT signature"),
        (token(json!({"exp": null})), "InvalidJWTToken: Fields `role` and `exp` are required in JWT"),
        (token(json!({"role": null})), "InvalidJWTToken: Fields `role` and `exp` are required in JWT"),
    ] {
        let reply = join_with(&mut client, json!({"access_token": token})).await;
        assert_eq!(reply, json!({"status": "error", "response": {"reason": reason}}), "{token}");
    }
    let expired = join_with(&mut client, json!({"access_token": token(json!({"exp": now() - 100}))})).await;
    let reason = expired["response"]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("InvalidJWTToken: Token has expired 10"), "{reason}");
}

// rows: T7 L12
#[tokio::test]
async fn a_channel_ends_when_its_token_does() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    let reply = join_with(&mut client, json!({"access_token": token(json!({"exp": now() + 2}))})).await;
    assert_eq!(reply["status"], "ok");
    client.joined("other", json!({})).await;
    let message = ended(&mut client).await;
    assert!(message.starts_with("Token has expired ") && message.ends_with(" seconds ago"), "{message}");
    assert_eq!(client.so_far().await, [], "the other channel stays");
}

// rows: T4 T5
#[tokio::test]
async fn a_newer_token_has_no_answer_and_lets_the_channel_live() {
    let realtime = Realtime::start().await;
    let mut client = realtime.client().await;
    let first = token(json!({"exp": now() + 2}));
    join_with(&mut client, json!({"access_token": first})).await;
    for ignored in [json!("sb_publishable_x"), Value::Null, json!(first)] {
        client.send("realtime:room", "access_token", json!({"access_token": ignored})).await;
    }
    client
        .send("realtime:room", "access_token", json!({"access_token": token(json!({"exp": now() + 4}))}))
        .await;
    assert_eq!(client.so_far().await, []);
    let message = ended(&mut client).await;
    assert!(message.starts_with("Token has expired "), "{message}");
    assert!(now() >= Clock::system().now().unix_timestamp());
}

// rows: T6 L12
#[tokio::test]
async fn a_newer_token_that_is_wrong_ends_the_channel() {
    let realtime = Realtime::start().await;
    for (wrong, expected) in [
        (String::new(), "The token provided is not a valid JWT"),
        ("nonsense".to_owned(), "The token provided is not a valid JWT"),
        (token(json!({"exp": null})), "Fields `role` and `exp` are required in JWT"),
        (token(json!({"exp": now() - 100})), "Token has expired 10"),
    ] {
        let mut client = realtime.client().await;
        client.joined("room", json!({})).await;
        client.send("realtime:room", "access_token", json!({"access_token": wrong})).await;
        let message = ended(&mut client).await;
        assert!(message.starts_with(expected), "{message}");
    }
}
