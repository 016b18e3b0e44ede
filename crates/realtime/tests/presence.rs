//! Presence on one node.

use banyan_db::Login;
use banyan_realtime::Patience;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Client, Realtime, Sent};

const TOPIC: &str = "realtime:room";

fn call(event: &str, payload: &Value) -> Value {
    json!({"type": "presence", "event": event, "payload": payload})
}

/// A client with presence on, once it has the state that is there.
async fn member(realtime: &Realtime, key: &str) -> (Client, Value) {
    let mut client = realtime.client().await;
    client.joined("room", json!({"presence": {"key": key, "enabled": true}})).await;
    let state = client.event().await;
    assert_eq!(state.0, "presence_state");
    (client, state.1)
}

/// Tracks, and returns the diff that follows the reply.
async fn track(client: &mut Client, payload: &Value) -> Value {
    assert_eq!(client.ask(TOPIC, "presence", call("track", payload)).await["status"], "ok");
    diff(client).await
}

async fn diff(client: &mut Client) -> Value {
    let (event, diff) = client.event().await;
    assert_eq!(event, "presence_diff", "{diff}");
    diff
}

/// The one meta of a key, without its ref.
fn meta(keys: &Value, key: &str) -> (String, Value) {
    let mut meta = keys[key]["metas"][0].clone();
    let phx_ref = meta.as_object_mut().unwrap().remove("phx_ref").unwrap();
    (phx_ref.as_str().unwrap().to_owned(), meta)
}

/// Events that came so far, without broadcasts.
async fn events(client: &mut Client) -> Vec<String> {
    let event = |sent| match sent {
        Sent::Text([_, _, _, Value::String(event), _]) => event,
        other => panic!("{other:?}"),
    };
    client.so_far().await.into_iter().map(event).collect()
}

// rows: R1 R3 R5 R6 R7 L6
#[tokio::test]
async fn members_are_told_of_each_other_in_both_versions() {
    let realtime = Realtime::start().await;
    let (mut asha, state) = member(&realtime, "asha").await;
    assert_eq!(state, json!({}));
    let joined = track(&mut asha, &json!({"name": "Asha"})).await;
    let (first, said) = meta(&joined["joins"], "asha");
    assert_eq!((said, &joined["leaves"]), (json!({"name": "Asha"}), &json!({})));
    assert_eq!(first.len(), 16);

    let mut old = realtime.old_client().await;
    old.joined("room", json!({"presence": {"key": "", "enabled": "true"}})).await;
    let state = old.event().await;
    assert_eq!(state, ("presence_state".to_owned(), joined["joins"].clone()));
    let joined = track(&mut old, &json!({})).await;
    let key = joined["joins"].as_object().unwrap().keys().next().unwrap().clone();
    assert!(Uuid::parse_str(&key).is_ok(), "R2: a random key, {key}");
    assert_eq!(diff(&mut asha).await, joined);
}

// rows: R3 R6
#[tokio::test]
async fn another_payload_replaces_the_meta_and_the_same_one_changes_nothing() {
    let realtime = Realtime::start().await;
    let (mut asha, _) = member(&realtime, "asha").await;
    let first = meta(&track(&mut asha, &json!({"a": 1, "b": 2})).await["joins"], "asha").0;
    let same = r#"{"type":"presence","event":"TRACK","payload":{ "b": 2, "a": 1 }}"#;
    let same: Value = serde_json::from_str(same).unwrap();
    assert_eq!(asha.ask(TOPIC, "presence", same).await["status"], "ok");
    let updated = track(&mut asha, &json!({"a": 3})).await;
    let (second, said) = meta(&updated["joins"], "asha");
    assert_ne!(first, second);
    assert_eq!(said, json!({"a": 3, "phx_ref_prev": first}));
    assert_eq!(meta(&updated["leaves"], "asha"), (first, json!({"a": 1, "b": 2})));
}

// rows: R2 R4
#[tokio::test]
async fn members_may_share_a_key_and_go_by_untrack_leave_or_the_end_of_the_socket() {
    let realtime = Realtime::start().await;
    let (mut watcher, _) = member(&realtime, "watcher").await;
    let mut phones = Vec::new();
    for number in 0..3 {
        let (mut phone, _) = member(&realtime, "asha").await;
        track(&mut phone, &json!({ "phone": number })).await;
        diff(&mut watcher).await;
        phones.push(phone);
    }
    let (_, state) = member(&realtime, "late").await;
    assert_eq!(state["asha"]["metas"].as_array().unwrap().len(), 3);
    let gone = |diff: Value| meta(&diff["leaves"], "asha").1["phone"].clone();
    phones[0].so_far().await;
    let reply = phones[0].ask(TOPIC, "presence", call("untrack", &Value::Null)).await;
    assert_eq!(reply, json!({"status": "ok", "response": {}}));
    assert_eq!(gone(diff(&mut watcher).await), 0);
    phones[1].send(TOPIC, "phx_leave", json!({})).await;
    assert_eq!(gone(diff(&mut watcher).await), 1);
    phones.truncate(2);
    assert_eq!(gone(diff(&mut watcher).await), 2);
}

// rows: R1
#[tokio::test]
async fn presence_that_is_off_has_no_state_and_the_diffs_all_the_same() {
    let realtime = Realtime::start().await;
    let mut off = realtime.client().await;
    off.joined("room", json!({})).await;
    assert!(off.so_far().await.is_empty());
    let (mut asha, _) = member(&realtime, "asha").await;
    assert_eq!(track(&mut asha, &json!({})).await, diff(&mut off).await);
    assert_eq!(track(&mut off, &json!({})).await, diff(&mut asha).await, "the first track turns it on");
}

// rows: R8
#[tokio::test]
async fn a_call_that_makes_no_sense_is_an_error_and_the_channel_stays() {
    let realtime = Realtime::start().await;
    let (mut asha, _) = member(&realtime, "asha").await;
    let wrong = asha.ask(TOPIC, "presence", call("track", &json!([1]))).await;
    let reason = "Presence track payload must be a map";
    assert_eq!(wrong, json!({"status": "error", "response": {"reason": reason}}));
    let unknown = asha.ask(TOPIC, "presence", call("dance", &json!({}))).await;
    assert_eq!(unknown, json!({"status": "error", "response": {}}));
    assert_eq!(asha.ask(TOPIC, "presence", json!({})).await["status"], "ok");
    track(&mut asha, &json!({})).await;
}

// rows: LIM-PRESENCE-CALLS ClientPresenceRateLimitReached L12
#[tokio::test]
async fn the_sixth_call_in_half_a_minute_ends_the_channel() {
    let realtime = Realtime::start().await;
    let (mut asha, _) = member(&realtime, "asha").await;
    for number in 0..5 {
        track(&mut asha, &json!({ "number": number })).await;
    }
    assert_eq!(ended(&mut asha, call("untrack", &Value::Null)).await, "Client presence rate limit exceeded");
}

// rows: LIM-PRESENCE LIM-PAYLOAD L12
#[tokio::test]
async fn what_is_too_large_or_too_often_ends_the_channel() {
    let mut config = banyan_testkit::config();
    (config.realtime.limits.payload, config.realtime.limits.presence_messages_per_second) = (100, 1);
    let realtime = Realtime::start_with(config, Patience::default()).await;
    let (mut asha, _) = member(&realtime, "asha").await;
    let large = call("track", &json!({"text": "x".repeat(100)}));
    assert_eq!(ended(&mut asha, large).await, "Track message size exceeded");
    let mut said = String::new();
    for _ in 0..4 {
        let mut ravi = realtime.client().await;
        ravi.joined("room", json!({})).await;
        for number in 0..5 {
            ravi.send(TOPIC, "presence", call("track", &json!({ "number": number }))).await;
        }
        said.extend(ravi.so_far().await.iter().map(|sent| format!("{sent:?}")));
    }
    assert!(said.contains("Too many presence messages per second"), "{said}");
}

async fn ended(client: &mut Client, call: Value) -> String {
    client.send(TOPIC, "presence", call).await;
    let (event, payload) = client.event().await;
    assert_eq!((&*event, &payload["status"]), ("system", &json!("error")));
    assert_eq!(client.event().await.0, "phx_close");
    payload["message"].as_str().unwrap().to_owned()
}

/// Teachers track; pupils read presence; guests read broadcasts alone.
const POLICIES: &str = "
    create policy read_presence on realtime.messages for select to authenticated using (
        extension = 'broadcast' or auth.jwt() ->> 'job' in ('teacher', 'pupil')
    );
    create policy track on realtime.messages for insert to authenticated with check (
        extension = 'presence' and auth.jwt() ->> 'job' = 'teacher'
    );";

async fn private_member(realtime: &Realtime, job: &str, is_on: bool) -> Client {
    let token = banyan_testkit::token("authenticated", Some(Uuid::from_u128(7)), json!({ "job": job }));
    let mut client = realtime.client().await;
    let config = json!({"private": true, "presence": {"key": job, "enabled": is_on}});
    let reply = client.ask(TOPIC, "phx_join", json!({"config": config, "access_token": token})).await;
    assert_eq!(reply["status"], "ok", "{reply}");
    client
}

// rows: R9 R1
#[tokio::test]
async fn policies_say_who_may_track_and_who_is_told_on_a_private_channel() {
    let realtime = Realtime::start().await;
    sqlx::raw_sql(POLICIES).execute(realtime.database.pool(Login::Postgres)).await.unwrap();
    let mut guest = private_member(&realtime, "guest", true).await;
    let mut pupil = private_member(&realtime, "pupil", true).await;
    assert_eq!(pupil.event().await, ("presence_state".to_owned(), json!({})));
    let mut teacher = private_member(&realtime, "teacher", false).await;
    let denied = pupil.ask(TOPIC, "presence", call("track", &json!({}))).await;
    assert_eq!(denied, json!({"status": "error", "response": {}}));
    // Presence was off at the join, so the right to read is asked at the first track.
    let joined = track(&mut teacher, &json!({"name": "T"})).await;
    assert_eq!(diff(&mut pupil).await, joined);
    assert_eq!(events(&mut guest).await, [""; 0], "a guest is told nothing");
    let (_, public) = member(&realtime, "public").await;
    assert_eq!(public, json!({}), "A9");
}
