use std::sync::Arc;

use banyan_identity::Caller;
use serde_json::json;

use super::{Changes, Rig, all_of, context, join};
use crate::{bus::Alone, limits::Settings};

const NOTES: &str = "create table public.notes (id bigint primary key, body text, tags text[]);
    alter publication supabase_realtime add table public.notes;";

// rows: G9 G10 G13
#[tokio::test]
async fn inserts_updates_and_deletes_arrive_in_their_order() {
    let rig = Rig::new(NOTES).await;
    let entry = all_of("notes");
    let id = super::super::entry_id(entry.as_object().expect("an object"));
    let mut channel = rig.channel(Caller::anonymous(), entry).await;
    rig.run("insert into notes values (1, 'a', '{x,NULL}'); update notes set body = 'b'; update notes set id = 2; delete from notes")
        .await;
    let inserted = channel.payload().await;
    assert_eq!(inserted["ids"], json!([id]));
    let data = &inserted["data"];
    assert_eq!(
        (&data["schema"], &data["table"], &data["type"]),
        (&json!("public"), &json!("notes"), &json!("INSERT"))
    );
    assert_eq!(data["record"], json!({"id": 1, "body": "a", "tags": ["x", null]}));
    assert_eq!(data["errors"], json!(null));
    assert_eq!(
        data["columns"],
        json!([{"name": "id", "type": "int8"}, {"name": "body", "type": "text"}, {"name": "tags", "type": "_text"}])
    );
    assert!(data.get("old_record").is_none());
    let at = data["commit_timestamp"].as_str().expect("a text");
    assert_eq!((at.len(), at.ends_with('Z')), ("2025-11-19T00:22:40.877Z".len(), true), "{at}");
    let updated = channel.change().await;
    assert_eq!((&updated["record"]["body"], &updated["old_record"]), (&json!("b"), &json!({})));
    let moved = channel.change().await;
    assert_eq!((&moved["record"]["id"], &moved["old_record"]), (&json!(2), &json!({"id": 1})));
    let deleted = channel.change().await;
    assert_eq!((&deleted["type"], &deleted["old_record"]), (&json!("DELETE"), &json!({"id": 2})));
    assert!(deleted.get("record").is_none());
}

// rows: G12 G13
#[tokio::test]
async fn with_replica_identity_full_the_old_row_is_whole() {
    let rig = Rig::new(NOTES).await;
    rig.run(
        "alter table notes replica identity full; alter table notes alter column body set storage external",
    )
    .await;
    let mut channel = rig.channel(Caller::anonymous(), all_of("notes")).await;
    rig.run("insert into notes values (1, repeat('long', 5000), '{}')").await;
    rig.run("update notes set tags = '{y}'").await;
    channel.change().await;
    let updated = channel.change().await;
    assert_eq!(updated["record"]["body"].as_str().map(str::len), Some(20_000), "taken from the old row");
    assert_eq!(updated["old_record"]["tags"], json!([]));
    rig.run("alter table notes replica identity default").await;
    rig.run("update notes set tags = '{z}'").await;
    let updated = channel.change().await;
    assert_eq!(updated["record"], json!({"id": 1, "tags": ["z"]}), "the log does not have the rest");
}

// rows: G2 G9
#[tokio::test]
async fn a_channel_gets_one_message_with_all_ids_that_match() {
    let rig = Rig::new(NOTES).await;
    let entries = [
        all_of("notes"),
        json!({"event": "INSERT", "schema": "*"}),
        json!({"event": "DELETE", "table": "notes"}),
    ];
    let mut channel = rig.join(Caller::anonymous(), &entries);
    channel.is_subscribed().await;
    rig.run("insert into notes values (1)").await;
    assert_eq!(channel.payload().await["ids"].as_array().map(Vec::len), Some(2));
    rig.run("update notes set body = 'x'").await;
    assert_eq!(channel.payload().await["ids"].as_array().map(Vec::len), Some(1));
    rig.run("delete from notes").await;
    assert_eq!(channel.payload().await["ids"].as_array().map(Vec::len), Some(2));
}

// rows: G16 LIM-CHANGE
#[tokio::test]
async fn a_change_above_a_megabyte_comes_without_its_large_values() {
    let rig = Rig::new(NOTES).await;
    let mut channel = rig.channel(Caller::anonymous(), all_of("notes")).await;
    rig.run("insert into notes values (1, repeat('x', 1100000), '{small}')").await;
    let change = channel.change().await;
    assert_eq!(change["record"], json!({"id": 1, "tags": ["small"]}));
    assert_eq!(change["errors"], json!(["Error 413: Payload Too Large"]));
}

// rows: L8
#[tokio::test]
async fn who_has_left_hears_nothing_more() {
    let rig = Rig::new(NOTES).await;
    let mut gone = rig.channel(Caller::anonymous(), all_of("notes")).await;
    let mut here = rig.channel(Caller::anonymous(), all_of("notes")).await;
    gone.subscription = None;
    rig.run("insert into notes values (1)").await;
    here.change().await;
    assert!(gone.is_quiet());
}

// rows: G21 LIM-MESSAGES
#[tokio::test]
async fn changes_above_the_messages_of_a_second_are_skipped() {
    let rig = Rig::new(NOTES).await;
    let settings = Settings { max_messages_per_second: 0, ..(&banyan_testkit::config().realtime).into() };
    let context = context(rig.database.database(), Arc::new(Alone), settings);
    let (changes, limits, skipped) =
        (Changes::new(context.clone()), context.limits.clone(), context.skipped.clone());
    let mut channel = join(&changes, Caller::anonymous(), &[all_of("notes")]);
    channel.is_subscribed().await;
    rig.run("insert into notes values (1)").await;
    assert_eq!(channel.change().await["record"]["id"], json!(1));
    assert!(limits.messages.is_exceeded(std::time::Instant::now()), "one was delivered");
    rig.run("insert into notes values (2)").await;
    while skipped.add(0) == 0 {
        tokio::task::yield_now().await;
    }
    assert!(channel.is_quiet());
}
