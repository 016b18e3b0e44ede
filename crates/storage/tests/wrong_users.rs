//! Every call as the wrong user.

use http::Method;
use serde_json::{Value, json};

use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who};

/// Asha's object in a private bucket, where each has a folder.
async fn stage() -> Stage {
    let stage = Stage::with("[storage.image_transformation]\nenabled = true\n").await;
    stage.bucket("a", false).await;
    stage.sql(OWN_FOLDER).await;
    let uploaded = stage.upload(Who::User(ASHA), &format!("a/{ASHA}/x"), "water").await;
    assert_eq!(uploaded.status, 200, "{uploaded:?}");
    stage
}

/// A call, and what another user is told.
type CallOfRavi = (Method, String, Value, Result<Value, &'static str>);

/// Calls on her object by the routes of `router.rs`; those by which bytes come in or go out are
/// [`calls_of_bytes`]. Resumable uploads and S3 have tables of their own.
fn calls() -> Vec<CallOfRavi> {
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
        (
            post.clone(),
            "/object/move".to_owned(),
            two(&format!("{ASHA}/"), &format!("{RAVI}/")),
            Err("NoSuchKey"),
        ),
        (post.clone(), "/object/list/a".to_owned(), json!({"prefix": ASHA}), Ok(json!([]))),
        (
            post.clone(),
            "/object/list-v2/a".to_owned(),
            json!({"prefix": ASHA}),
            Ok(NO_PAGE.parse().expect("JSON")),
        ),
        (
            post.clone(),
            "/object/sign/a".to_owned(),
            json!({"expiresIn": 9, "paths": [&hers]}),
            Ok(no_url(&hers)),
        ),
        (post.clone(), "/bucket".to_owned(), json!({"name": "b"}), Err("AccessDenied")),
        (post, "/bucket/a/empty".to_owned(), json!({}), Err("AccessDenied")),
        (Method::PUT, "/bucket/a".to_owned(), json!({"public": true}), Err("NoSuchBucket")),
        (delete.clone(), "/object/a".to_owned(), json!({"prefixes": [hers]}), Ok(json!([]))),
        (
            delete.clone(),
            "/object/a".to_owned(),
            json!({"prefixes": [format!("{ASHA}/")], "recursive": true}),
            Ok(json!([])),
        ),
        (delete.clone(), format!("/object/a/{hers}"), Value::Null, Err("AccessDenied")),
        (delete.clone(), "/cdn".to_owned(), Value::Null, Err("AccessDenied")),
        (delete.clone(), "/cdn/a".to_owned(), Value::Null, Err("AccessDenied")),
        (delete.clone(), format!("/cdn/a/{hers}"), Value::Null, Err("AccessDenied")),
        (delete, "/bucket/a".to_owned(), json!({}), Err("ResourceNotEmpty")),
    ]
}

/// An empty page of the second list.
const NO_PAGE: &str = r#"{"hasNext": false, "folders": [], "objects": []}"#;

/// What is answered for an object that no URL is signed for.
fn no_url(path: &str) -> Value {
    let error = "Either the object does not exist or you do not have access to it";
    json!([{"error": error, "path": path, "signedURL": null}])
}

/// Calls by which the bytes of her object come in or go out.
fn calls_of_bytes() -> Vec<CallOfRavi> {
    let hers = format!("{ASHA}/x");
    let get = |path: String, code| (Method::GET, path, Value::Null, Err(code));
    let put = |method: Method, path: String, code| (method, path, json!("fire"), Err(code));
    vec![
        get(format!("/object/public/a/{hers}"), "NoSuchBucket"),
        get(format!("/object/sign/a/{hers}?token=x"), "InvalidJWT"),
        get(format!("/render/image/public/a/{hers}"), "NoSuchBucket"),
        get(format!("/render/image/authenticated/a/{hers}"), "NoSuchKey"),
        get(format!("/render/image/sign/a/{hers}?token=x"), "InvalidJWT"),
        put(Method::PUT, format!("/object/upload/sign/a/{hers}?token=x"), "InvalidJWT"),
        put(Method::POST, format!("/object/a/{hers}"), "AccessDenied"),
        put(Method::POST, format!("/object/a/{hers}2"), "AccessDenied"),
        put(Method::PUT, format!("/object/a/{hers}"), "AccessDenied"),
    ]
}

// rows: R03 R04 R05 R06 R09 B11
#[tokio::test]
async fn another_user_gets_and_changes_nothing() {
    let stage = stage().await;
    let rows =
        "select concat((select json_agg(objects)::text from storage.objects), buckets) from storage.buckets";
    let before = stage.text(rows).await;
    for (method, path, body, expected) in calls().into_iter().chain(calls_of_bytes()) {
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
    for (method, path, body, expected) in calls().into_iter().chain(calls_of_bytes()) {
        for who in [Who::Anon, Who::Nobody] {
            let call = stage.by(who, method.clone(), &path);
            let answer = if body.is_null() { call.await } else { call.json(&body).await };
            let is_nothing =
                answer.status >= 400 || expected.as_ref().is_ok_and(|told| answer.json() == *told);
            assert!(is_nothing, "{who:?} {method} {path}: {answer:?}");
            assert_eq!(stage.text(rows).await, before, "{who:?} {method} {path}");
        }
    }
}

// rows: R03 R09
#[tokio::test]
async fn the_head_of_an_object_is_for_whom_its_bytes_are() {
    let stage = stage().await;
    let statuses = async |who| {
        let mut statuses = Vec::new();
        for group in ["public/a", "authenticated/a", "a"] {
            let head = stage.by(who, Method::HEAD, &format!("/object/{group}/{ASHA}/x")).await;
            assert_eq!(head.text(), "");
            statuses.push(head.status);
        }
        statuses
    };
    assert_eq!(statuses(Who::User(ASHA)).await, [400, 200, 200]);
    for who in [Who::User(RAVI), Who::Anon, Who::Nobody] {
        assert_eq!(statuses(who).await, [400, 400, 400], "{who:?}");
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
