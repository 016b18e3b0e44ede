//! Messages over HTTP, as sockets receive them.

use banyan_config::Config;
use banyan_db::Login;
use banyan_realtime::Patience;
use banyan_testkit::{Answer, Service, token};
use http::Method;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Client, Realtime, Sent};

/// A user who may write to the private topic `room`.
const ASHA: Uuid = Uuid::from_u128(0xA);
/// A user who may read it alone.
const RAVI: Uuid = Uuid::from_u128(0xB);

const POLICIES: &str = "
    create policy all_read on realtime.messages for select to authenticated using (true);
    create policy asha_writes on realtime.messages for insert to authenticated with check (
        realtime.topic() = 'room' and extension = 'broadcast'
        and auth.uid() = '00000000-0000-0000-0000-00000000000a'
    )";

async fn start() -> Realtime {
    start_with(|_| ()).await
}

async fn start_with(change: impl FnOnce(&mut Config)) -> Realtime {
    let mut config = banyan_testkit::config();
    change(&mut config);
    let realtime = Box::pin(Realtime::start_with(config, Patience::default())).await;
    sqlx::raw_sql(POLICIES).execute(realtime.database.pool(Login::Postgres)).await.expect("made");
    realtime
}

fn of(user: Uuid) -> String {
    token("authenticated", Some(user), Value::Null)
}

/// A member of a private topic.
async fn member(realtime: &Realtime, topic: &str) -> Client {
    let mut client = realtime.client().await;
    let join = json!({"config": {"private": true}, "access_token": of(RAVI)});
    let reply = client.ask(&format!("realtime:{topic}"), "phx_join", join).await;
    assert_eq!(reply["status"], "ok", "{reply}");
    client
}

/// A member of a public topic, of version 2 or of version 1.
async fn public_member(realtime: &Realtime, topic: &str, is_old: bool) -> Client {
    let mut client = if is_old { realtime.old_client().await } else { realtime.client().await };
    client.joined(topic, json!({})).await;
    client
}

async fn post(service: &Service, path: &str, token: &str, (content_type, body): (&str, Vec<u8>)) -> Answer {
    service.call(Method::POST, path).bearer(token).body(content_type, body).await
}

async fn batch(service: &Service, token: &str, body: Value) -> Answer {
    post(service, "/api/broadcast", token, ("application/json", body.to_string().into())).await
}

/// The events of the messages of text that came.
fn events(sent: &[Sent]) -> Vec<&str> {
    sent.iter().map(event).collect()
}

fn event(sent: &Sent) -> &str {
    match sent {
        Sent::Text([_, _, _, _, payload]) => payload["event"].as_str().expect("an event"),
        Sent::Binary(frame) => panic!("no text: {frame:?}"),
    }
}

// rows: H1 H3 A9
#[tokio::test]
async fn a_batch_reaches_both_versions_of_its_topics() {
    let realtime = start().await;
    let mut new = public_member(&realtime, "room", false).await;
    let mut old = public_member(&realtime, "room", true).await;
    let mut private = member(&realtime, "room").await;
    let messages = json!({"messages": [
        {"topic": "room", "event": "made", "payload": {"n": 1.5, "a": ""}},
        {"topic": "elsewhere", "event": "made", "payload": {}},
        {"topic": "room", "event": "id", "payload": {}, "id": "7", "private": false, "extra": 1}
    ]});
    let path = "/api/broadcast?apikey=x&vsn=2.0.0&log_level=info";
    let body = ("application/json", messages.to_string().into());
    let answer = post(&realtime.service(), path, &of(RAVI), body).await;
    assert_eq!((answer.status, answer.text()), (202, ""));
    let first = json!({"type": "broadcast", "event": "made", "payload": {"n": 1.5, "a": ""}});
    let second = json!({"type": "broadcast", "event": "id", "payload": {}, "meta": {"id": "7"}});
    for client in [&mut new, &mut old] {
        for payload in [&first, &second] {
            assert_eq!(client.event().await, ("broadcast".to_owned(), payload.clone()));
        }
        assert_eq!(client.so_far().await, []);
    }
    assert_eq!(private.so_far().await, []);
}

// rows: H2 A5
#[tokio::test]
async fn messages_of_a_batch_that_the_policies_deny_are_dropped() {
    let realtime = start().await;
    let (mut room, mut other) = (member(&realtime, "room").await, member(&realtime, "other room").await);
    let body = json!({"messages": [
        {"topic": "other room", "event": "a", "payload": {}, "private": true},
        {"topic": "room", "event": "b", "payload": {}, "private": "true"},
        {"topic": "room", "event": "c", "payload": {}, "private": true}
    ]});
    for (user, expected) in [(ASHA, &["b", "c"][..]), (RAVI, &[])] {
        assert_eq!(batch(&realtime.service(), &of(user), body.clone()).await.status, 202);
        assert_eq!(events(&room.so_far().await), expected, "{user}");
        assert_eq!(other.so_far().await, []);
    }
    let key = banyan_testkit::config().keys.service_role_key;
    batch(&realtime.service(), key.expose_secret(), body).await;
    assert_eq!(events(&room.so_far().await), ["b", "c"]);
    assert_eq!(events(&other.so_far().await), ["a"], "the service is bound by no policy");
}

// rows: H4 H5 H6 S6
#[tokio::test]
async fn one_message_arrives_as_it_was_sent() {
    let realtime = start().await;
    let mut new = public_member(&realtime, "a/b", false).await;
    let mut old = public_member(&realtime, "a/b", true).await;
    let frame = |encoding: u8, payload: &[u8]| {
        Sent::Binary([&[4, 12, 3, 0, encoding][..], b"realtime:a/bx y", payload].concat().into())
    };
    let path = "/api/broadcast/a%2Fb/events/x%20y?apikey=k&private=false";
    let (service, token) = (realtime.service(), of(RAVI));
    for (content_type, body, sent) in [
        ("application/json", " {\"n\": 1.0} ", "{\"n\": 1.0}"),
        ("Application/JSON; charset=utf-8", "{}", "{}"),
        ("application/json", "", "{}"),
        ("application/json", "[1, 2]", "{\"_json\":[1, 2]}"),
        ("application/json", "null", "{\"_json\":null}"),
    ] {
        let answer = post(&service, path, &token, (content_type, body.into())).await;
        assert_eq!((answer.status, answer.text()), (202, ""));
        assert_eq!(new.next().await, Ok(frame(1, sent.as_bytes())));
        let object: Value = serde_json::from_str(sent).expect("JSON");
        let payload = json!({"type": "broadcast", "event": "x y", "payload": object});
        assert_eq!(old.event().await, ("broadcast".to_owned(), payload));
    }
    assert_eq!(service.call(Method::POST, path).bearer(&token).bytes("{}").await.status, 202, "no type");
    assert_eq!((new.so_far().await.len(), old.so_far().await.len()), (1, 1));
    for bytes in [&b"\x00\xff"[..], b""] {
        let answer = post(&service, path, &token, ("application/octet-stream", bytes.into())).await;
        assert_eq!((answer.status, answer.text()), (202, ""));
        assert_eq!(new.next().await, Ok(frame(0, bytes)));
    }
    let wrong = "Unsupported Media Type. Use application/json or application/octet-stream";
    let answer = post(&service, path, &token, ("text/plain", b"a".into())).await;
    assert_eq!((answer.status, answer.json()), (415, json!({ "error": wrong })));
    let answer = post(&service, path, &token, ("application/json", b"{".into())).await;
    assert_eq!(answer.status, 400);
    assert_eq!(new.so_far().await, []);
    assert_eq!(old.so_far().await, [], "version 1 cannot receive bytes");
}

// rows: H7 A5
#[tokio::test]
async fn one_private_message_needs_the_right_to_write() {
    let realtime = start().await;
    let (mut private, mut public) =
        (member(&realtime, "room").await, public_member(&realtime, "room", false).await);
    let service = realtime.service();
    let send = async |token: &str| {
        let path = "/api/broadcast/room/events/e?private=true";
        let answer = post(&service, path, token, ("application/json", b"{}".into())).await;
        (answer.status, answer.text().to_owned())
    };
    assert_eq!(send(&of(ASHA)).await, (202, String::new()));
    assert_eq!((private.so_far().await.len(), public.so_far().await.len()), (1, 0));
    let unauthorized = json!({"message": "Unauthorized"}).to_string();
    for token in [of(RAVI), token("anon", None, Value::Null)] {
        assert_eq!(send(&token).await, (403, unauthorized.clone()));
    }
    let expired = token("authenticated", Some(ASHA), json!({"exp": 1_700_000_001}));
    let without_end = token("authenticated", Some(ASHA), json!({"exp": null}));
    for bad in ["x.y.z", "", &expired, &without_end] {
        assert_eq!(send(bad).await, (401, unauthorized.clone()), "{bad}");
    }
    assert_eq!((private.so_far().await, public.so_far().await), (vec![], vec![]));
}

// rows: H7 LIM-PAYLOAD
#[tokio::test]
async fn one_bad_message_rejects_its_batch_and_each_fault_is_named() {
    let realtime = start_with(|config| config.realtime.limits.payload = 20).await;
    let mut room = public_member(&realtime, "room", false).await;
    let service = realtime.service();
    let send = async |body: Value| {
        let answer = batch(&service, &of(ASHA), body).await;
        (answer.status, answer.json())
    };
    let blank = || json!(["can't be blank"]);
    let good = json!({"topic": "room", "event": "e", "payload": {}});
    let with = |field: &str, value: Value| {
        let mut message = good.clone();
        message[field] = value;
        message
    };
    for (bad, errors) in [
        (json!({}), json!({"topic": blank(), "event": blank(), "payload": blank()})),
        (with("payload", json!(null)), json!({"payload": blank()})),
        (with("payload", json!([1])), json!({"payload": ["is invalid"]})),
        (
            with("payload", json!({"a": "x".repeat(20)})),
            json!({"payload": ["Payload size exceeds tenant limit"]}),
        ),
        (with("topic", json!(" ")), json!({"topic": blank()})),
        (with("event", json!(5)), json!({"event": ["is invalid"]})),
        (with("private", json!("maybe")), json!({"private": ["is invalid"]})),
        (with("id", json!(5)), json!({"id": ["is invalid"]})),
    ] {
        let told = send(json!({"messages": [good, bad, good]})).await;
        assert_eq!(told, (422, json!({"errors": {"messages": [{}, errors, {}]}})));
    }
    for (messages, error) in [
        (json!([]), "can't be blank"),
        (json!(null), "can't be blank"),
        (json!([1]), "is invalid"),
        (json!({}), "is invalid"),
    ] {
        let told = send(json!({ "messages": messages })).await;
        assert_eq!(told, (422, json!({"errors": {"messages": [error]}})));
    }
    for no_json in ["", "{", "{\"messages\": [{]}"] {
        let body = ("application/json", no_json.into());
        assert_eq!(post(&service, "/api/broadcast", &of(ASHA), body).await.status, 400, "{no_json}");
    }
    let large = json!({"a": "x".repeat(20)}).to_string();
    for (path, body, errors) in [
        ("/api/broadcast/room/events/e", &*large, json!({"payload": ["Payload size exceeds tenant limit"]})),
        ("/api/broadcast/%20/events/e", "{}", json!({"topic": blank()})),
        ("/api/broadcast/room/events/%20", "{}", json!({"event": blank()})),
    ] {
        let answer = post(&service, path, &of(ASHA), ("application/json", body.into())).await;
        assert_eq!((answer.status, answer.json()), (422, json!({ "errors": errors })));
    }
    assert_eq!(room.so_far().await, []);
}

// rows: H8
#[tokio::test]
async fn a_body_has_at_most_8_mb() {
    let realtime = start_with(|config| config.realtime.limits.payload = 10_000_000).await;
    for (bytes, status) in [(8_000_000, 202), (8_000_001, 413)] {
        let body = ("application/octet-stream", vec![0; bytes]);
        let answer = post(&realtime.service(), "/api/broadcast/room/events/e", &of(ASHA), body).await;
        assert_eq!(answer.status, status);
    }
}

// rows: H7 H9 LIM-MESSAGES
#[tokio::test]
async fn every_answer_tells_the_rate_and_beyond_it_nothing_is_sent() {
    let rate = |answer: &Answer| {
        ["x-rate-rolling", "x-rate-limit", "x-rate-limit-remaining"]
            .map(|name| answer.header(name).expect("a header").to_owned())
    };
    let two = start_with(|config| config.realtime.limits.messages_per_second = 2).await;
    let message = json!({"topic": "room", "event": "e", "payload": {}});
    let answer = batch(&two.service(), &of(ASHA), json!({"messages": vec![message; 3]})).await;
    let told = json!({"message": "Too many messages to broadcast, please reduce the batch size"});
    assert_eq!((answer.status, answer.json()), (429, told));
    assert_eq!(rate(&answer), ["0", "2", "2"]);
    let refused = batch(&two.service(), "no token", json!({})).await;
    assert_eq!((refused.status, rate(&refused)), (401, ["0", "2", "2"].map(str::to_owned)));

    let none = start_with(|config| config.realtime.limits.messages_per_second = 0).await;
    let mut room = public_member(&none, "room", false).await;
    let service = none.service();
    let send = async || {
        post(&service, "/api/broadcast/room/events/e", &of(ASHA), ("application/json", b"{}".into())).await
    };
    assert_eq!(send().await.status, 202);
    let answer = send().await;
    assert_eq!(rate(&answer), ["0", "0", "0"]);
    let told = json!({"message": "You have exceeded your rate limit"});
    assert_eq!((answer.status, answer.json()), (429, told));
    assert_eq!(room.so_far().await.len(), 1);
}

// rows: H4 M1 M2
#[tokio::test]
async fn other_paths_are_not_found_and_the_service_tells_that_it_runs() {
    let realtime = start().await;
    let service = realtime.service();
    for path in [
        "/api/broadcast/room/events/",
        "/api/broadcast//events/e",
        "/api/broadcast/room/event/e",
        "/api/broadcast/room/events/e/f",
        "/api/broadcast/room",
        "/api/broadcast/%ff/events/e",
        "/api/broadcasts/room/events/e",
        "/api/ping",
    ] {
        let answer = post(&service, path, &of(ASHA), ("application/json", b"{}".into())).await;
        assert_eq!((answer.status, answer.json()), (404, json!({"message": "Not Found"})), "{path}");
    }
    assert_eq!(service.get("/api/broadcast").await.status, 404);
    let ping = service.get("/api/ping").await;
    assert_eq!((ping.status, ping.json()), (200, json!({"message": "Success"})));
    assert_eq!(service.call(Method::HEAD, "/api/ping").await.status, 200);
    let health = service.get("/healthcheck").await;
    assert_eq!((health.status, health.text()), (200, ""));
}
