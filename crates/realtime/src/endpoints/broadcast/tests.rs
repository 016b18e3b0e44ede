use std::{
    collections::VecDeque,
    task::{Context, Poll, Waker},
};

use banyan_db::Login;
use banyan_identity::{ApiKeys, Clock, Credentials, Identified, Keyring, Verifier, VerifierPolicy};
use banyan_testkit::{TestDatabase, platform_database, token};
use banyan_web::full;
use http::{Method, Request, Uri};
use rand::{SeedableRng, rngs::StdRng};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::*;
use crate::{
    State, handle,
    hub::{Member, Membership, Rights},
    model::{Content, Payload},
    outbox::Outbox,
    protocol::Version,
};

/// A user who may write to the private topic `room`.
const ASHA: Uuid = Uuid::from_u128(0xA);
/// A user who may not.
const RAVI: Uuid = Uuid::from_u128(0xB);

const POLICY: &str = "
    create policy asha_writes on realtime.messages for insert to authenticated with check (
        realtime.topic() = 'room' and extension = 'broadcast'
        and auth.uid() = '00000000-0000-0000-0000-00000000000a'
    )";

/// A service on a database of its own.
struct Stage {
    _database: TestDatabase,
    state: State,
    verifier: Verifier,
}

impl Stage {
    async fn new() -> Self {
        Self::with(|_| ()).await
    }

    async fn with(change: impl FnOnce(&mut banyan_config::Realtime)) -> Self {
        let database = Box::pin(platform_database()).await;
        sqlx::raw_sql(POLICY).execute(database.pool(Login::Postgres)).await.expect("made");
        let mut config = banyan_testkit::config();
        change(&mut config.realtime);
        let keyring = Arc::new(Keyring::new(&config.keys).expect("valid keys"));
        let policy = VerifierPolicy::of_gateway(ApiKeys::new(&config.keys, false));
        let state = State::new(&config, &database, Clock::fixed(now()), StdRng::from_os_rng());
        Self { _database: database, state, verifier: Verifier::new(keyring, policy) }
    }

    /// A member of a topic, by a version of the protocol.
    fn join(&self, name: &str, is_private: bool, version: Version) -> (Membership, Inbox) {
        let outbox = Outbox::new(1 << 20);
        let member =
            Member { version, outbox: outbox.clone(), rights: Rights::ALL, replayed: Box::default() };
        let topic = Topic { name: name.into(), is_private };
        (self.state.service().hub.join(&topic, member), Inbox(outbox))
    }

    async fn post(&self, path: &str, token: &str, body: impl Into<Bytes>) -> Response<Body> {
        let request = Request::post(path).header("authorization", format!("Bearer {token}"));
        self.send(request.body(full(body.into())).expect("a request")).await
    }

    async fn send(&self, request: Request<Body>) -> Response<Body> {
        let caller = self.identify(&request);
        let opening = Opening {
            request,
            caller,
            check_token: Arc::new(|_, _| Ok(Caller::anonymous())),
            stopping: CancellationToken::new(),
            now: now(),
        };
        Box::pin(handle(&self.state, opening)).await
    }

    fn identify(&self, request: &Request<Body>) -> Identified {
        let credentials = Credentials::from_headers(request.headers())?;
        let credentials = credentials.or_query(request.uri().query().unwrap_or_default())?;
        self.verifier.caller(&credentials, now())
    }
}

fn now() -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(1_790_000_000).expect("a time")
}

/// What a member has received.
struct Inbox(Outbox);

impl Inbox {
    /// The payloads of its frames so far.
    fn take(&self) -> Vec<Vec<u8>> {
        let (mut frames, cx) = (VecDeque::new(), Context::from_waker(Waker::noop()));
        match self.0.poll_frames(&cx, &mut frames) {
            Poll::Ready(None) => frames.iter().map(|frame| payload(frame.bytes())).collect(),
            _ => Vec::new(),
        }
    }

    /// The payloads of messages of text.
    fn messages(&self) -> Vec<Value> {
        self.take().iter().map(|frame| serde_json::from_slice(frame).expect("JSON")).collect()
    }
}

/// A frame without its head.
fn payload(frame: &[u8]) -> Vec<u8> {
    let head = match frame[1] {
        126 => 4,
        127 => 10,
        _ => 2,
    };
    frame[head..].to_vec()
}

async fn answer(response: Response<Body>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = banyan_web::read_body(response.into_body(), 10_000).await.expect("a body");
    (status, String::from_utf8(body.to_vec()).expect("text"))
}

fn of(user: Uuid) -> String {
    token("authenticated", Some(user), Value::Null)
}

// rows: H1 H3 A9
#[tokio::test]
async fn a_batch_reaches_both_versions_of_its_topics() {
    let stage = Stage::new().await;
    let (_v1, v1) = stage.join("room", false, Version::V1);
    let (_v2, v2) = stage.join("room", false, Version::V2);
    let (_private, private) = stage.join("room", true, Version::V2);
    let body = r#"{"messages": [
        {"topic": "room", "event": "made", "payload": {"n": 1.10, "a": ""}},
        {"topic": "elsewhere", "event": "made", "payload": {}},
        {"topic": "room", "event": "id", "payload": {}, "id": "7", "private": false, "extra": 1}
    ]}"#;
    let response = stage.post("/api/broadcast?apikey=x&vsn=2.0.0", &of(RAVI), body).await;
    assert_eq!(answer(response).await, (202, String::new()));
    let frames: Vec<_> = v2.take().into_iter().map(|frame| String::from_utf8(frame).expect("text")).collect();
    assert_eq!(
        frames,
        [
            r#"[null,null,"realtime:room","broadcast",{"type":"broadcast","event":"made","payload":{"n": 1.10, "a": ""}}]"#,
            r#"[null,null,"realtime:room","broadcast",{"type":"broadcast","event":"id","payload":{},"meta":{"id":"7"}}]"#,
        ]
    );
    let object = json!({"type": "broadcast", "event": "made", "payload": {"n": 1.10, "a": ""}});
    assert_eq!(
        v1.messages()[0],
        json!({"topic": "realtime:room", "event": "broadcast", "payload": object, "ref": null})
    );
    assert!(private.take().is_empty());
}

// rows: H2 A5
#[tokio::test]
async fn messages_of_a_batch_that_the_policies_deny_are_dropped() {
    let stage = Stage::new().await;
    let (_room, room) = stage.join("room", true, Version::V2);
    let (_other, other) = stage.join("other room", true, Version::V2);
    let body = r#"{"messages": [
        {"topic": "other room", "event": "a", "payload": {}, "private": true},
        {"topic": "room", "event": "b", "payload": {}, "private": "true"},
        {"topic": "room", "event": "c", "payload": {}, "private": true}
    ]}"#;
    for (user, events) in [(ASHA, vec!["b", "c"]), (RAVI, vec![])] {
        let response = stage.post("/api/broadcast", &of(user), body).await;
        assert_eq!(answer(response).await.0, 202);
        let heard: Vec<_> = room.messages().iter().map(|message| message[4]["event"].clone()).collect();
        assert_eq!(heard, events, "{user}");
        assert!(other.take().is_empty());
    }
    let keys = banyan_testkit::config().keys;
    stage.post("/api/broadcast", keys.service_role_key.expose_secret(), body).await;
    assert_eq!((room.take().len(), other.take().len()), (2, 1), "the service is bound by no policy");
}

// rows: H4 H5 H6 S6
#[tokio::test]
async fn one_message_arrives_as_it_was_sent() {
    let stage = Stage::new().await;
    let (_v1, v1) = stage.join("a/b", false, Version::V1);
    let (_v2, v2) = stage.join("a/b", false, Version::V2);
    let frame = |encoding: u8, payload: &[u8]| {
        [&[4, 12, 3, 0, encoding][..], b"realtime:a/b", b"x y", payload].concat()
    };
    let post = async |content_type: Option<&str>, body: &'static [u8]| {
        let mut request = Request::post("/api/broadcast/a%2Fb/events/x%20y?apikey=k&private=false");
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let request = request.header("authorization", format!("Bearer {}", of(RAVI)));
        answer(stage.send(request.body(full(body)).expect("a request")).await).await
    };
    for (content_type, body, sent) in [
        (Some("application/json"), &b" {\"n\": 1.0} "[..], &b"{\"n\": 1.0}"[..]),
        (Some("Application/JSON; charset=utf-8"), b"{}", b"{}"),
        (None, b"", b"{}"),
        (None, b"[1, 2]", b"{\"_json\":[1, 2]}"),
        (None, b"null", b"{\"_json\":null}"),
    ] {
        assert_eq!(post(content_type, body).await, (202, String::new()));
        assert_eq!(v2.take(), [frame(1, sent)]);
        let object: Value = serde_json::from_slice(sent).expect("JSON");
        let payload = json!({"type": "broadcast", "event": "x y", "payload": object});
        assert_eq!(v1.messages()[0]["payload"], payload);
    }
    for bytes in [&b"\x00\xff"[..], b""] {
        assert_eq!(post(Some("application/octet-stream"), bytes).await, (202, String::new()));
        assert_eq!(v2.take(), [frame(0, bytes)]);
        assert!(v1.take().is_empty(), "version 1 cannot receive bytes");
    }
    let wrong = "Unsupported Media Type. Use application/json or application/octet-stream";
    let refused = (415, json!({ "error": wrong }).to_string());
    assert_eq!(post(Some("text/plain"), b"a").await, refused);
    assert_eq!(post(Some("application/json"), b"{").await.0, 400);
    assert!(v2.take().is_empty());
}

// rows: H4 H7 A5
#[tokio::test]
async fn one_private_message_needs_the_right_to_write() {
    let stage = Stage::new().await;
    let (_private, private) = stage.join("room", true, Version::V2);
    let (_public, public) = stage.join("room", false, Version::V2);
    let post = async |token: &str| {
        answer(stage.post("/api/broadcast/room/events/e?private=true", token, "{}").await).await
    };
    assert_eq!(post(&of(ASHA)).await, (202, String::new()));
    assert_eq!((private.take().len(), public.take().len()), (1, 0));
    let unauthorized = json!({"message": "Unauthorized"}).to_string();
    for token in [of(RAVI), token("anon", None, Value::Null)] {
        assert_eq!(post(&token).await, (403, unauthorized.clone()));
    }
    let expired = token("authenticated", Some(ASHA), json!({"exp": 1_700_000_001}));
    let without_role = token("authenticated", Some(ASHA), json!({"exp": null}));
    for bad in ["x.y.z", "", &expired, &without_role] {
        assert_eq!(post(bad).await, (401, unauthorized.clone()), "{bad}");
    }
    assert!(private.take().is_empty() && public.take().is_empty());
}

// rows: H7 LIM-PAYLOAD
#[tokio::test]
async fn one_bad_message_rejects_its_batch_and_each_fault_is_named() {
    let stage = Stage::with(|realtime| realtime.limits.payload = 20).await;
    let (_room, room) = stage.join("room", false, Version::V2);
    let post = async |body: Value| {
        let (status, body) = answer(stage.post("/api/broadcast", &of(ASHA), body.to_string()).await).await;
        (status, serde_json::from_str::<Value>(&body).expect("JSON"))
    };
    let good = json!({"topic": "room", "event": "e", "payload": {}});
    let with = |field: &str, value: Value| {
        let mut message = good.clone();
        message[field] = value;
        message
    };
    for (bad, errors) in [
        (
            json!({}),
            json!({"topic": ["can't be blank"], "event": ["can't be blank"], "payload": ["can't be blank"]}),
        ),
        (with("payload", json!(null)), json!({"payload": ["can't be blank"]})),
        (with("payload", json!([1])), json!({"payload": ["is invalid"]})),
        (
            with("payload", json!({"a": "x".repeat(20)})),
            json!({"payload": ["Payload size exceeds tenant limit"]}),
        ),
        (with("topic", json!(" ")), json!({"topic": ["can't be blank"]})),
        (with("event", json!(5)), json!({"event": ["is invalid"]})),
        (with("private", json!("maybe")), json!({"private": ["is invalid"]})),
        (with("id", json!(5)), json!({"id": ["is invalid"]})),
    ] {
        let told = post(json!({"messages": [good, bad, good]})).await;
        assert_eq!(told, (422, json!({"errors": {"messages": [{}, errors, {}]}})));
    }
    for (messages, error) in [
        (json!([]), "can't be blank"),
        (json!(null), "can't be blank"),
        (json!([1]), "is invalid"),
        (json!({}), "is invalid"),
    ] {
        assert_eq!(
            post(json!({ "messages": messages })).await,
            (422, json!({"errors": {"messages": [error]}}))
        );
    }
    let body = format!("{{\"a\":\"{}\"}}", "x".repeat(20));
    let large = stage.post("/api/broadcast/room/events/e", &of(ASHA), body).await;
    let told = json!({"errors": {"payload": ["Payload size exceeds tenant limit"]}}).to_string();
    assert_eq!(answer(large).await, (422, told));
    let blank = stage.post("/api/broadcast/%20/events/e", &of(ASHA), "{}").await;
    assert_eq!(answer(blank).await, (422, json!({"errors": {"topic": ["can't be blank"]}}).to_string()));
    for no_json in ["", "{", "{\"messages\": [{]}"] {
        assert_eq!(answer(stage.post("/api/broadcast", &of(ASHA), no_json).await).await.0, 400, "{no_json}");
    }
    assert!(room.take().is_empty());
}

// rows: H8
#[tokio::test]
async fn a_body_has_at_most_8_mb() {
    let stage = Stage::with(|realtime| realtime.limits.payload = 10_000_000).await;
    for (bytes, status) in [(LARGEST_BODY, 202), (LARGEST_BODY + 1, 413)] {
        let request = Request::post("/api/broadcast/room/events/e")
            .header("content-type", "application/octet-stream")
            .header("authorization", format!("Bearer {}", of(ASHA)));
        let request = request.body(full(vec![0; bytes])).expect("a request");
        assert_eq!(stage.send(request).await.status(), status);
    }
}

// rows: H7 H9 LIM-MESSAGES
#[tokio::test]
async fn every_answer_tells_the_rate_and_beyond_it_nothing_is_sent() {
    let rate = |response: &Response<Body>| {
        ["x-rate-rolling", "x-rate-limit", "x-rate-limit-remaining"]
            .map(|name| response.headers()[name].to_str().expect("text").to_owned())
    };
    let stage = Stage::with(|realtime| realtime.limits.messages_per_second = 2).await;
    let many =
        json!({"messages": vec![json!({"topic": "room", "event": "e", "payload": {}}); 3]}).to_string();
    let response = stage.post("/api/broadcast", &of(ASHA), many).await;
    assert_eq!(rate(&response), ["0", "2", "2"]);
    let message = "Too many messages to broadcast, please reduce the batch size";
    assert_eq!(answer(response).await, (429, json!({ "message": message }).to_string()));
    let refused = stage.post("/api/broadcast", "no token", "").await;
    assert_eq!((refused.status().as_u16(), rate(&refused)), (401, ["0", "2", "2"].map(str::to_owned)));

    let stage = Stage::with(|realtime| realtime.limits.messages_per_second = 0).await;
    let (_room, room) = stage.join("room", false, Version::V2);
    let post = async || stage.post("/api/broadcast/room/events/e", &of(ASHA), "{}").await;
    assert_eq!(post().await.status(), 202);
    let response = post().await;
    assert_eq!(rate(&response), ["0", "0", "0"]);
    let told = json!({"message": "You have exceeded your rate limit"}).to_string();
    assert_eq!(answer(response).await, (429, told));
    assert_eq!(room.take().len(), 1);
}

// rows: H4
#[test]
fn a_path_names_a_topic_and_an_event() {
    let read = |path: &str| single::Target::read(&path.parse::<Uri>().expect("a path"));
    let target = read("/api/broadcast/room%3A1/events/e%2Ff?private=true").expect("a target");
    let message = target.message(single::Form::Binary, Bytes::from_static(b"b"), 10).expect("a message");
    assert_eq!(message.topic, Topic { name: "room:1".into(), is_private: true });
    assert!(
        matches!(message.content, Content::Event { event, payload: Payload::Binary(_), meta: None } if event == "e/f")
    );
    for other in [
        "/api/broadcast/room/events/",
        "/api/broadcast//events/e",
        "/api/broadcast/room/event/e",
        "/api/broadcast/room/events/e/f",
        "/api/broadcast/room",
        "/api/broadcast/%ff/events/e",
        "/api/broadcasts/room/events/e",
    ] {
        assert!(read(other).is_none(), "{other}");
    }
}

// rows: M1 M2
#[tokio::test]
async fn the_service_tells_that_it_runs() {
    let stage = Stage::new().await;
    for (method, path, expected) in [
        (Method::GET, "/api/ping", (200, json!({"message": "Success"}).to_string())),
        (Method::HEAD, "/api/ping", (200, json!({"message": "Success"}).to_string())),
        (Method::GET, "/healthcheck", (200, String::new())),
        (Method::GET, "/api/broadcast", (404, json!({"message": "Not Found"}).to_string())),
        (Method::POST, "/api/ping", (404, json!({"message": "Not Found"}).to_string())),
    ] {
        let request = Request::builder().method(method).uri(path).body(empty()).expect("a request");
        assert_eq!(answer(stage.send(request).await).await, expected, "{path}");
    }
}
