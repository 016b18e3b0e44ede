use std::sync::Arc;

use banyan_db::{Database, DatabaseSettings, Login};
use banyan_identity::Caller;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use sqlx::Executor as _;

use super::{Heard, Rig, Socket, all_of, changes, join};
use crate::{
    bus::Alone,
    channel_sender::ChannelSender,
    hub::{Member, Membership, Rights},
    model::Topic,
    outbox::ChannelId,
    protocol::Version,
};

const NOTES: &str = "create table public.notes (id bigint primary key);
    alter publication supabase_realtime add table public.notes;";

/// Joins a topic.
fn member(rig: &Rig, name: &str, is_private: bool) -> (Socket, Membership) {
    let socket = Socket::new();
    let member = Member {
        version: Version::V2,
        outbox: socket.outbox.clone(),
        rights: Rights::ALL,
        replayed: Box::default(),
    };
    let membership = rig.hub.join(&Topic { name: name.into(), is_private }, member);
    (socket, membership)
}

/// Waits until the log is read.
async fn start(rig: &Rig) {
    let mut socket = Socket::new();
    let topic = Topic { name: "room".into(), is_private: false };
    rig.changes.announce_log(&ChannelSender::new(
        topic,
        Version::V2,
        "1",
        (ChannelId(1), socket.outbox.clone()),
    ));
    let message: Value = serde_json::from_slice(&socket.next().await).expect("JSON");
    let expected = json!({
        "extension": "system", "status": "ok", "message": "Replication connection established", "channel": "room"
    });
    assert_eq!(message[4], expected);
}

/// Meta and payload of the next broadcast, which is an event of a topic.
async fn broadcast(socket: &mut Socket, topic: &str, event: &str) -> (Value, Vec<u8>) {
    let frame = socket.next().await;
    let [4, of_topic, of_event, of_meta, _] = frame[..5] else { panic!("{frame:?}") };
    let (names, rest) = frame[5..].split_at(usize::from(of_topic) + usize::from(of_event));
    assert_eq!(names, format!("realtime:{topic}{event}").as_bytes());
    let (meta, payload) = rest.split_at(usize::from(of_meta));
    (serde_json::from_slice(meta).expect("JSON"), payload.to_vec())
}

// rows: D1 D4 D5 L16
#[tokio::test]
async fn rows_of_realtime_messages_are_broadcast_in_the_order_of_their_commits() {
    let rig = Rig::new("").await;
    let (mut private, _one) = member(&rig, "room", true);
    let (mut public, _other) = member(&rig, "room", false);
    start(&rig).await;
    for number in 0..3 {
        rig.run(&format!("select realtime.send('{{\"n\": {number}}}', 'event', 'room', true)")).await;
    }
    rig.administer(
        "insert into realtime.messages (topic, extension, event, binary_payload)
         values ('room', 'broadcast', 'bytes', '\\x00ff')",
    )
    .await;
    for number in 0..3 {
        let (meta, payload) = broadcast(&mut private, "room", "event").await;
        let payload: Value = serde_json::from_slice(&payload).expect("JSON");
        assert_eq!((&payload["n"], &payload["id"]), (&json!(number), &meta["id"]));
    }
    assert_eq!(broadcast(&mut public, "room", "bytes").await.1, [0, 255]);
}

// rows: G3 G23
#[tokio::test]
async fn after_a_lost_stream_the_gap_is_announced_and_channels_go_on() {
    let rig = Rig::new(NOTES).await;
    let mut channel = rig.channel(Caller::anonymous(), all_of("notes")).await;
    let kill = "select pg_terminate_backend(pid) from pg_stat_replication join pg_stat_activity using (pid)
                where datname = current_database()";
    let killed = rig.database.pool(Login::Admin).fetch_all(kill).await.expect("killed");
    assert_eq!(killed.len(), 1);
    let lost = "Connection to the database lost, changes may be missing";
    assert_eq!(channel.next().await, Heard::System("error".to_owned(), lost.to_owned()));
    channel.is_subscribed().await;
    rig.run("insert into notes values (1)").await;
    assert_eq!(channel.change().await["record"]["id"], json!(1));
}

// rows: G1
#[tokio::test]
async fn a_table_that_joins_the_publication_is_heard_of_by_those_who_want_all() {
    let rig = Rig::new(NOTES).await;
    let mut channel = rig.channel(Caller::anonymous(), json!({"event": "*", "schema": "*"})).await;
    rig.run("create table public.later (id bigint primary key); alter publication supabase_realtime add table later")
        .await;
    rig.run("insert into later values (1)").await;
    channel.is_subscribed().await;
    rig.run("insert into later values (2)").await;
    let change = channel.change().await;
    assert_eq!((&change["table"], &change["record"]["id"]), (&json!("later"), &json!(2)));
}

// rows: D7
#[tokio::test]
async fn the_stream_ends_in_order_and_leaves_no_slot() {
    let rig = Rig::new(NOTES).await;
    let channel = rig.channel(Caller::anonymous(), all_of("notes")).await;
    let slots = "select from pg_replication_slots where database = current_database()";
    let pool = rig.database.pool(Login::Admin);
    assert_eq!(pool.fetch_all(slots).await.expect("counted").len(), 1);
    rig.changes.stop().await;
    drop(channel);
    // The server's process ends a moment after its client has said goodbye.
    while !pool.fetch_all(slots).await.expect("counted").is_empty() {
        tokio::task::yield_now().await;
    }
}

// rows: G22
#[tokio::test]
async fn who_may_not_read_the_log_is_told_so_and_tries_again() {
    let rig = Rig::new(NOTES).await;
    let settings = rig.database.settings();
    let reader = format!("reader_of_{}", settings.database);
    let password = settings.password.expose_secret();
    rig.administer(&format!(
        "create role {reader} login password '{password}'; grant anon, service_role to {reader}"
    ))
    .await;
    let settings = DatabaseSettings { only_user: Some(reader.clone()), ..settings.clone() };
    let database = Database::connect(&settings).expect("the settings are good");
    let (changes, _) = changes(&database, Arc::new(Alone));
    let mut channel = join(&changes, Caller::anonymous(), &[all_of("notes")]);
    let Heard::System(status, message) = channel.next().await else { panic!("a message") };
    assert_eq!(status, "error");
    assert!(
        message.starts_with("Unable to read changes from the database: the login may not replicate"),
        "{message}"
    );
    rig.administer(&format!("alter role {reader} replication")).await;
    channel.is_subscribed().await;
    changes.stop().await;
    database.close().await;
    rig.administer(&format!("drop role {reader}")).await;
}
