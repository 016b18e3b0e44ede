use banyan_db::Login;
use banyan_identity::Caller;
use serde_json::json;
use sqlx::Executor as _;

use super::{Heard, Rig, SOON, SystemMessage, all_of};
use crate::model::{Content, Payload};

const NOTES: &str = "create table public.notes (id bigint primary key);
    alter publication supabase_realtime add table public.notes;";

// rows: D1 D4 D5 L16
#[tokio::test]
async fn rows_of_realtime_messages_are_broadcast_in_the_order_of_their_commits() {
    let mut rig = Rig::new("").await;
    rig.changes.start_log();
    rig.changes.log_runs().await;
    for number in 0..3 {
        rig.run(&format!("select realtime.send('{{\"n\": {number}}}', 'event', 'room', true)")).await;
    }
    rig.administer("insert into realtime.messages (topic, extension, event, binary_payload) values ('b', 'broadcast', 'e', '\\x00ff')")
        .await;
    for number in 0..3 {
        let heard = tokio::time::timeout(SOON, rig.broadcasts.recv()).await.expect("soon").expect("one");
        let Content::Event { event, payload: Payload::Json(payload), meta } = heard.content else { panic!() };
        let payload: serde_json::Value = serde_json::from_slice(&payload).expect("JSON");
        let meta: serde_json::Value = serde_json::from_slice(&meta.expect("an id")).expect("JSON");
        assert_eq!((&*heard.topic.name, heard.topic.is_private, &*event), ("room", true, "event"));
        assert_eq!((&payload["n"], &payload["id"]), (&json!(number), &meta["id"]));
    }
    let heard = tokio::time::timeout(SOON, rig.broadcasts.recv()).await.expect("soon").expect("one");
    let Content::Event { payload: Payload::Binary(payload), .. } = heard.content else { panic!() };
    assert_eq!((&*payload, heard.topic.is_private), (&[0, 255][..], false));
}

// rows: G3
#[tokio::test]
async fn after_a_lost_stream_the_gap_is_announced_and_channels_go_on() {
    let rig = Rig::new(NOTES).await;
    let mut channel = rig.channel(Caller::anonymous(), all_of("notes")).await;
    let kill = "select pg_terminate_backend(pid) from pg_stat_replication join pg_stat_activity using (pid)
                where datname = current_database()";
    let killed = rig.database.pool(Login::Admin).fetch_all(kill).await.expect("killed");
    assert_eq!(killed.len(), 1);
    let lost = "Connection to the database lost, changes may be missing";
    assert_eq!(channel.next().await, Heard::System(SystemMessage::Error(lost.to_owned())));
    assert_eq!(channel.next().await, Heard::System(SystemMessage::Subscribed));
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
    assert_eq!(channel.next().await, Heard::System(SystemMessage::Subscribed));
    rig.run("insert into later values (2)").await;
    let change = channel.change().await;
    assert_eq!((&change["table"], &change["record"]["id"]), (&json!("later"), &json!(2)));
}

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
