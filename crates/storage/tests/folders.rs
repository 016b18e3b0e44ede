//! Folders that are deleted and moved as a whole.

use serde_json::{Value, json};

use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who};

const SERVICE: Who = Who::Service;

/// A bucket `a` with some names.
async fn bucket(names: &'static str) -> Stage {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    sqlx::query(
        "insert into storage.objects (bucket_id, name, owner_id, version)
         select 'a', name, 'somebody', gen_random_uuid() from unnest(string_to_array($1, ' ')) as name",
    )
    .bind(names)
    .execute(stage.pool())
    .await
    .expect("rows");
    stage
}

async fn names(stage: &Stage) -> String {
    stage
        .text("select coalesce(string_agg(name, ' ' order by name collate \"C\"), '') from storage.objects")
        .await
}

fn relocate(from: &str, to: &str) -> Value {
    json!({"bucketId": "a", "sourceKey": from, "destinationKey": to})
}

// rows: B5
#[tokio::test]
async fn all_that_begins_alike_is_deleted_when_that_is_asked_for() {
    let stage = bucket("k/1 k/2/3 k1 l/1 K/1").await;
    let body = json!({"prefixes": ["k/", "none"], "recursive": true});
    let removed = stage.delete_by(SERVICE, "/object/a", body.clone()).await.ok();
    assert_eq!(removed.as_array().unwrap().len(), 2);
    assert_eq!(names(&stage).await, "K/1 k1 l/1");
    assert_eq!(stage.delete_by(SERVICE, "/object/a", body).await.ok(), json!([]));
    let all = stage.delete_by(SERVICE, "/object/a", json!({"prefixes": [""], "recursive": true})).await;
    assert_eq!(all.error(), (400, "InvalidKey"));
}

// rows: B5
#[tokio::test]
async fn a_folder_is_moved_whole_or_not_at_all() {
    let stage = bucket("k/1 k/2/3 k1 l/1").await;
    let taken = stage.post_by(SERVICE, "/object/move", relocate("k/", "l/")).await;
    assert_eq!(taken.error(), (400, "KeyAlreadyExists"));
    assert_eq!(names(&stage).await, "k/1 k/2/3 k1 l/1");
    let moved = stage.post_by(SERVICE, "/object/move", relocate("k/", "m/n/")).await;
    assert_eq!(moved.ok(), json!({"message": "Successfully moved", "count": 2}));
    assert_eq!(names(&stage).await, "k1 l/1 m/n/1 m/n/2/3");
    let within = stage.post_by(SERVICE, "/object/move", relocate("m/", "m/n/")).await;
    assert_eq!(within.error(), (400, "InvalidRequest"));
    let missing = stage.post_by(SERVICE, "/object/move", relocate("none/", "x/")).await;
    assert_eq!(missing.error(), (400, "NoSuchKey"));
    let mut elsewhere = relocate("m/", "x/");
    elsewhere["destinationBucket"] = "b".into();
    let elsewhere = stage.post_by(SERVICE, "/object/move", elsewhere).await;
    assert_eq!(elsewhere.error(), (400, "InvalidRequest"));
    let long = format!("{}/", "x".repeat(1021));
    let long = stage.post_by(SERVICE, "/object/move", relocate("m/", &long)).await;
    assert_eq!(long.error(), (400, "InvalidKey"));
}

// rows: B5 R04 R05
#[tokio::test]
async fn a_folder_is_deleted_and_moved_as_far_as_policies_let_see() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.sql(OWN_FOLDER).await;
    for who in [ASHA, RAVI] {
        assert_eq!(stage.upload(Who::User(who), &format!("a/{who}/x"), "water").await.status, 200);
    }
    let (hers, his) = (format!("{ASHA}/"), format!("{RAVI}/"));
    let hidden = stage.post_by(Who::User(ASHA), "/object/move", relocate(&his, "x/")).await;
    assert_eq!(hidden.error(), (400, "NoSuchKey"));
    let outside = stage.post_by(Who::User(ASHA), "/object/move", relocate(&hers, &his)).await;
    assert_eq!(outside.error(), (400, "AccessDenied"));
    let common = json!({"prefixes": ["0000"], "recursive": true});
    let removed = stage.delete_by(Who::User(ASHA), "/object/a", common).await.ok();
    assert_eq!(removed, json!([format!("{ASHA}/x")]));
    assert_eq!(names(&stage).await, format!("{RAVI}/x"));
}
