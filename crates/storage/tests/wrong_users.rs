//! Every call as the wrong user.

use http::Method;
use serde_json::{Value, json};

use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who};

/// Asha's object in a private bucket, where each has a folder.
async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.sql(OWN_FOLDER).await;
    let uploaded = stage.upload(Who::User(ASHA), &format!("a/{ASHA}/x"), "water").await;
    assert_eq!(uploaded.status, 200, "{uploaded:?}");
    stage
}

/// Calls on her object, and what another user is told.
fn calls() -> Vec<(Method, String, Value, Result<Value, &'static str>)> {
    let (hers, his) = (format!("{ASHA}/x"), format!("{RAVI}/x"));
    let two = |from: &str, to: &str| json!({"bucketId": "a", "sourceKey": from, "destinationKey": to});
    let (get, post, delete) = (Method::GET, Method::POST, Method::DELETE);
    vec![
        (get.clone(), format!("/object/info/a/{hers}"), Value::Null, Err("NoSuchKey")),
        (get.clone(), format!("/object/info/authenticated/a/{hers}"), Value::Null, Err("NoSuchKey")),
        (get.clone(), format!("/object/info/public/a/{hers}"), Value::Null, Err("NoSuchBucket")),
        (get.clone(), format!("/object/a/{hers}"), Value::Null, Err("NoSuchKey")),
        (get.clone(), format!("/object/authenticated/a/{hers}"), Value::Null, Err("NoSuchKey")),
        (get.clone(), "/bucket".to_owned(), Value::Null, Ok(json!([]))),
        (get, "/bucket/a".to_owned(), Value::Null, Err("NoSuchBucket")),
        (post.clone(), format!("/object/sign/a/{hers}"), json!({"expiresIn": 9}), Err("NoSuchKey")),
        (post.clone(), format!("/object/upload/sign/a/{hers}2"), json!({}), Err("AccessDenied")),
        (post.clone(), "/object/copy".to_owned(), two(&hers, &his), Err("NoSuchKey")),
        (post.clone(), "/object/move".to_owned(), two(&hers, &his), Err("NoSuchKey")),
        (post.clone(), "/object/list/a".to_owned(), json!({"prefix": ASHA}), Ok(json!([]))),
        (post.clone(), "/bucket".to_owned(), json!({"name": "b"}), Err("AccessDenied")),
        (post, "/bucket/a/empty".to_owned(), json!({}), Err("AccessDenied")),
        (Method::PUT, "/bucket/a".to_owned(), json!({"public": true}), Err("NoSuchBucket")),
        (delete.clone(), "/object/a".to_owned(), json!({"prefixes": [hers]}), Ok(json!([]))),
        (delete.clone(), format!("/object/a/{hers}"), Value::Null, Err("AccessDenied")),
        (delete, "/bucket/a".to_owned(), json!({}), Err("ResourceNotEmpty")),
    ]
}

// rows: R03 R04 R05 R06 R09 B11
#[tokio::test]
async fn another_user_gets_and_changes_nothing() {
    let stage = stage().await;
    let rows =
        "select concat((select json_agg(objects)::text from storage.objects), buckets) from storage.buckets";
    let before = stage.text(rows).await;
    for (method, path, body, expected) in calls() {
        let call = stage.by(Who::User(RAVI), method.clone(), &path);
        let answer = if body.is_null() { call.await } else { call.json(&body).await };
        match expected {
            Ok(expected) => assert_eq!(answer.ok(), expected, "{method} {path}"),
            Err(code) => assert_eq!(answer.error().1, code, "{method} {path}: {answer:?}"),
        }
        assert!(!answer.text().contains("water"), "{method} {path}");
        assert_eq!(stage.text(rows).await, before, "{method} {path}");
    }
}

// rows: C03 C05 R09
#[tokio::test]
async fn anon_and_nobody_get_and_change_nothing() {
    let stage = stage().await;
    let rows =
        "select concat((select json_agg(objects)::text from storage.objects), buckets) from storage.buckets";
    let before = stage.text(rows).await;
    for (method, path, body, _) in calls() {
        for who in [Who::Anon, Who::Nobody] {
            let call = stage.by(who, method.clone(), &path);
            let answer = if body.is_null() { call.await } else { call.json(&body).await };
            let is_nothing = answer.status >= 400 || answer.json() == json!([]);
            assert!(is_nothing, "{who:?} {method} {path}: {answer:?}");
            assert_eq!(stage.text(rows).await, before, "{who:?} {method} {path}");
        }
    }
}

// rows: R04
#[tokio::test]
async fn an_object_is_not_moved_or_copied_into_the_folder_of_another() {
    let stage = stage().await;
    let (hers, his) = (format!("{ASHA}/x"), format!("{RAVI}/x"));
    let two = json!({"bucketId": "a", "sourceKey": hers, "destinationKey": his});
    for path in ["/object/move", "/object/copy"] {
        let answer = stage.post_by(Who::User(ASHA), path, two.clone()).await;
        assert_eq!(answer.error(), (400, "AccessDenied"), "{path}");
    }
    assert_eq!(stage.text("select name from storage.objects").await, hers);
}

// rows: B11 R06
#[tokio::test]
async fn a_bucket_is_deleted_by_who_may_delete_it() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.sql("create policy seen on storage.buckets for select to authenticated using (true)").await;
    let delete = || stage.delete_by(Who::User(ASHA), "/bucket/a", json!({}));
    assert_eq!(delete().await.error(), (400, "NoSuchBucket"));
    assert_eq!(stage.number("select count(*) from storage.buckets").await, 1);
    stage.sql("create policy gone on storage.buckets for delete to authenticated using (true)").await;
    assert_eq!(delete().await.status, 200);
}
