//! Info, copy, move and remove.

use http::Method;
use serde_json::{Value, json};

use crate::support::{ASHA, Done, OWN_FOLDER, RAVI, Stage, Who, assert_error};

const SERVICE: Who = Who::Service;
const NO_KEY: [&str; 4] = ["404", "not_found", "NoSuchKey", "Object not found"];
const TAKEN: [&str; 4] = ["409", "Duplicate", "KeyAlreadyExists", "The resource already exists"];

/// A private bucket `a` with object `x.txt`, and a public bucket `b`.
async fn two_buckets() -> Stage {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.bucket("b", true).await;
    assert_eq!(stage.upload(SERVICE, "a/x.txt", "water").await.status, 200);
    stage
}

fn places(from: &str, to: &str) -> Value {
    json!({"bucketId": "a", "sourceKey": from, "destinationKey": to})
}

// rows: O01 C08
#[tokio::test]
async fn info_tells_about_an_object() {
    let stage = two_buckets().await;
    stage.sql("update storage.objects set user_metadata = '{\"a\": 1}'").await;
    stage
        .sql(
            "alter table storage.objects disable trigger update_objects_updated_at;
             update storage.objects
             set created_at = '2021-02-17 04:43:32.770206+00', updated_at = '2021-02-18 04:43:32+00'",
        )
        .await;
    let id = stage.text("select id::text from storage.objects").await;
    let version = stage.text("select version from storage.objects").await;
    for path in ["/object/info/a/x.txt", "/object/info/authenticated/a/x.txt"] {
        let answer = stage.get_by(SERVICE, path).await;
        let expected = json!({
            "id": id, "name": "x.txt", "version": version, "bucket_id": "a", "size": 5,
            "content_type": "text/plain", "cache_control": "no-cache",
            "etag": "\"9460370bb0ca1c98a779b1bcc6861c2c\"", "metadata": {"a": 1},
            "last_modified": "2021-02-18T04:43:32.000Z", "created_at": "2021-02-17T04:43:32.770Z",
        });
        assert_eq!(answer.ok(), expected, "{path}");
    }
    assert_error(&stage.get_by(SERVICE, "/object/info/a/y.txt").await, 400, NO_KEY);
}

// rows: O01 C05
#[tokio::test]
async fn info_of_a_public_bucket_is_for_everybody() {
    let stage = two_buckets().await;
    stage.upload(SERVICE, "b/x.txt", "water").await;
    for path in ["/object/info/b/x.txt", "/object/info/public/b/x.txt"] {
        assert_eq!(stage.get(path).await.status, 200, "{path}");
        assert_eq!(stage.get(path).bearer("bad").await.status, 200, "{path}");
    }
    assert_eq!(stage.get("/object/info/authenticated/b/x.txt").await.error(), (400, "AccessDenied"));
    for path in ["/object/info/a/x.txt", "/object/info/public/a/x.txt", "/object/info/none/x.txt"] {
        assert_eq!(stage.get(path).await.error(), (400, "NoSuchBucket"), "{path}");
    }
}

// rows: O03
#[tokio::test]
async fn a_copy_has_the_bytes_and_an_id_of_its_own() {
    let stage = two_buckets().await;
    let answer = stage.post_by(SERVICE, "/object/copy", places("x.txt", "y/z.txt")).await;
    let copied = answer.ok();
    assert_eq!((&copied["Key"], &copied["name"]), (&json!("a/y/z.txt"), &json!("y/z.txt")));
    assert_eq!(copied["Id"], copied["id"]);
    assert_eq!(copied["metadata"]["size"], 5);
    assert_eq!(stage.number("select count(distinct (id, version)) from storage.objects").await, 2);
    let bytes = stage.get_by(SERVICE, "/object/a/y/z.txt").await;
    assert_eq!((bytes.status, bytes.text()), (200, "water"));
    let taken = stage.post_by(SERVICE, "/object/copy", places("x.txt", "y/z.txt")).await;
    assert_error(&taken, 400, TAKEN);
    let upsert = stage.post_by(SERVICE, "/object/copy", places("x.txt", "y/z.txt"));
    assert_eq!(upsert.header("x-upsert", "true").await.status, 200);
    let missing = stage.post_by(SERVICE, "/object/copy", places("none", "new")).await;
    assert_error(&missing, 400, NO_KEY);
}

// rows: O03
#[tokio::test]
async fn a_copy_takes_metadata_of_the_source_or_of_the_request() {
    let stage = two_buckets().await;
    stage.sql("update storage.objects set user_metadata = '{\"a\": 1}'").await;
    stage.post_by(SERVICE, "/object/copy", places("x.txt", "same")).await.done();
    let mut body = places("x.txt", "other");
    body["copyMetadata"] = false.into();
    body["metadata"] = json!({"cacheControl": "max-age=5"});
    body["destinationBucket"] = "b".into();
    // {"b":2}
    let call = stage.post_by(SERVICE, "/object/copy", body).header("x-metadata", "eyJiIjoyfQ==");
    assert_eq!(call.await.ok()["Key"], "b/other");
    let same = stage.get_by(SERVICE, "/object/info/a/same").await;
    assert_eq!((&same["metadata"], &same["cache_control"]), (&json!({"a": 1}), &json!("no-cache")));
    let other = stage.get_by(SERVICE, "/object/info/b/other").await;
    assert_eq!((&other["metadata"], &other["cache_control"]), (&json!({"b": 2}), &json!("max-age=5")));
    assert_eq!(other["content_type"], "text/plain");
}

// rows: O04 R04
#[tokio::test]
async fn a_move_keeps_the_object_and_changes_its_place() {
    let stage = two_buckets().await;
    stage.sql("update storage.objects set user_metadata = '{\"a\": 1}'").await;
    let kept = "select concat(id, version, created_at, user_metadata) from storage.objects";
    let before = stage.text(kept).await;
    let mut body = places("x.txt", "y/z.txt");
    body["destinationBucket"] = "b".into();
    let moved = stage.post_by(SERVICE, "/object/move", body).await;
    assert_eq!(moved.ok(), json!({"message": "Successfully moved"}));
    assert_eq!(stage.text(kept).await, before);
    assert_eq!(stage.get("/object/public/b/y/z.txt").await.text(), "water");
    let gone = stage.post_by(SERVICE, "/object/move", places("x.txt", "y")).await;
    assert_error(&gone, 400, NO_KEY);
}

// rows: O04 KeyAlreadyExists
#[tokio::test]
async fn a_move_onto_another_object_is_refused_and_onto_itself_does_nothing() {
    let stage = two_buckets().await;
    stage.upload(SERVICE, "a/y.txt", "fire").await;
    let taken = stage.post_by(SERVICE, "/object/move", places("x.txt", "y.txt")).await;
    assert_error(&taken, 400, TAKEN);
    let row = "select objects::text from storage.objects where name = 'x.txt'";
    let before = stage.text(row).await;
    stage.post_by(SERVICE, "/object/move", places("x.txt", "x.txt")).await.done();
    assert_eq!(stage.text(row).await, before);
    let mut body = places("x.txt", "x.txt");
    body["destinationBucket"] = "none".into();
    let nowhere = stage.post_by(SERVICE, "/object/move", body).await;
    assert_eq!(nowhere.error(), (400, "NoSuchBucket"));
}

// rows: O03 O04 EntityTooLarge InvalidMimeType
#[tokio::test]
async fn limits_of_another_bucket_count_for_moves_and_copies() {
    let stage = two_buckets().await;
    for (name, limits, code) in [
        ("small", json!({"name": "small", "file_size_limit": 4}), "EntityTooLarge"),
        ("images", json!({"name": "images", "allowed_mime_types": ["image/*"]}), "InvalidMimeType"),
    ] {
        stage.post_by(SERVICE, "/bucket", limits).await.done();
        let mut body = places("x.txt", "x.txt");
        body["destinationBucket"] = name.into();
        for path in ["/object/move", "/object/copy"] {
            let answer = stage.post_by(SERVICE, path, body.clone()).await;
            assert_eq!(answer.error(), (400, code), "{path}");
        }
    }
}

// rows: O05 C08
#[tokio::test]
async fn many_objects_are_removed_by_their_exact_names() {
    let stage = two_buckets().await;
    stage.upload(SERVICE, "a/x.txt.bak", "fire").await;
    let names = json!({"prefixes": ["x.txt", "none", "x", "%", "\u{0}"]});
    let removed = stage.delete_by(SERVICE, "/object/a", names.clone()).await.ok();
    assert_eq!(removed.as_array().unwrap().len(), 1);
    let row = &removed[0];
    assert_eq!((&row["name"], &row["bucket_id"], &row["owner"]), (&json!("x.txt"), &json!("a"), &json!("")));
    assert_eq!(row["metadata"]["mimetype"], "text/plain");
    let created = row["created_at"].as_str().unwrap();
    assert!(created.len() == 24 && created.ends_with('Z'), "{created}");
    assert_eq!(stage.delete_by(SERVICE, "/object/a", names).await.ok(), json!([]));
    assert_eq!(stage.text("select name from storage.objects").await, "x.txt.bak");
    let many: Vec<String> = (0..1001).map(|number| number.to_string()).collect();
    let refused = stage.delete_by(SERVICE, "/object/a", json!({"prefixes": many})).await;
    assert_eq!(refused.error(), (400, "InvalidRequest"));
    let none = stage.delete_by(SERVICE, "/object/a", json!({"prefixes": []})).await;
    assert_eq!(none.error(), (400, "InvalidRequest"));
}

// rows: O06 R05
#[tokio::test]
async fn one_object_is_removed_by_who_may() {
    let stage = two_buckets().await;
    stage.sql(OWN_FOLDER).await;
    stage.sql("create policy all_read on storage.objects for select to authenticated using (true)").await;
    let path = format!("a/{ASHA}/x.txt");
    assert_eq!(stage.upload(Who::User(ASHA), &path, "fire").await.status, 200);
    let remove = |who| stage.by(who, Method::DELETE, &format!("/object/{path}"));
    let refused = remove(Who::User(RAVI)).await;
    assert_error(&refused, 400, ["403", "Unauthorized", "AccessDenied", "Access denied"]);
    assert_eq!(remove(Who::User(ASHA)).await.ok(), json!({"message": "Successfully deleted"}));
    assert_error(&remove(Who::User(ASHA)).await, 400, NO_KEY);
}

// rows: O07
#[tokio::test]
async fn removed_objects_have_their_bytes_queued_in_the_same_transaction() {
    let stage = two_buckets().await;
    let version = stage.text("select version from storage.objects").await;
    let queued = "select coalesce(string_agg(version::text, ','), '') from _banyan.storage_garbage";
    stage.sql("set storage.allow_delete_query = 'true'; delete from storage.objects").await;
    assert_eq!(stage.text(queued).await, version);
}
