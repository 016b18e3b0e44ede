//! Buckets.

use http::Method;
use serde_json::{Value, json};

use crate::support::{ASHA, Done, Stage, Who, assert_error};

const SERVICE: Who = Who::Service;

// rows: B01 B07 BucketAlreadyExists
#[tokio::test]
async fn a_bucket_is_made_once() {
    let stage = Stage::new().await;
    let made = stage.post_by(SERVICE, "/bucket", json!({"name": "a", "public": true})).await;
    assert_eq!(made.ok(), json!({"name": "a"}));
    let again = stage.post_by(SERVICE, "/bucket", json!({"name": "a"})).await;
    assert_error(&again, 400, ["409", "Duplicate", "BucketAlreadyExists", "The resource already exists"]);
    stage.post_by(SERVICE, "/bucket", json!({"name": "b", "id": "c"})).await.done();
    assert_eq!(stage.get_by(SERVICE, "/bucket/c").await["name"], "b");
}

// rows: C12 InvalidBucketName
#[tokio::test]
async fn a_bucket_has_a_usual_name() {
    let stage = Stage::new().await;
    let longest = "x".repeat(100);
    for name in ["a.b-c_d", "with blank", "it's (1) & $@=;:+,?", &longest] {
        stage.post_by(SERVICE, "/bucket", json!({"name": name})).await.done();
    }
    let too_long = "x".repeat(101);
    for name in ["", " a", "a ", "a/b", "पानी", "ä", "a\\b", "a\u{0}", "%2e", "x--table-s3", &too_long]
    {
        let answer = stage.post_by(SERVICE, "/bucket", json!({"name": name})).await;
        assert_error(&answer, 400, ["400", "Invalid Input", "InvalidBucketName", "Bucket name invalid"]);
    }
}

// rows: B02 B03 B07 C08
#[tokio::test]
async fn buckets_are_told_with_all_their_settings() {
    let stage = Stage::new().await;
    let settings = json!({"name": "a", "file_size_limit": 1000, "allowed_mime_types": ["image/*"]});
    stage.post_by(SERVICE, "/bucket", settings).await.done();
    stage.sql("update storage.buckets set created_at = '2021-02-17 04:43:32.770206+00', updated_at = created_at").await;
    stage.sql("update storage.buckets set updated_at = '2021-02-17 10:13:32+05:30'").await;
    let mut bucket = json!({
        "id": "a", "name": "a", "owner": "", "public": false, "file_size_limit": 1000,
        "allowed_mime_types": ["image/*"], "created_at": "2021-02-17T04:43:32.770Z",
        "updated_at": "2021-02-17T04:43:32.000Z",
    });
    assert_eq!(stage.get_by(SERVICE, "/bucket/a").await.ok(), bucket);
    bucket["type"] = "STANDARD".into();
    assert_eq!(stage.get_by(SERVICE, "/bucket").await.ok(), json!([bucket]));
}

// rows: B02
#[tokio::test]
async fn buckets_are_listed_by_pages_and_parts_of_names() {
    let stage = Stage::new().await;
    for name in ["b", "A", "c_1", "cx1"] {
        stage.bucket(name, false).await;
    }
    let names = async |query: &str| {
        let buckets = stage.get_by(SERVICE, &format!("/bucket?{query}")).await.ok();
        let names = buckets.as_array().unwrap().iter().map(|bucket| bucket["name"].clone());
        Value::Array(names.collect())
    };
    assert_eq!(names("sortColumn=name&sortOrder=desc&limit=2").await, json!(["cx1", "c_1"]));
    assert_eq!(names("sortColumn=name&sortOrder=desc&offset=2").await, json!(["b", "A"]));
    assert_eq!(names("sortColumn=created_at").await, json!(["b", "A", "c_1", "cx1"]));
    assert_eq!(names("sortColumn=updated_at&sortOrder=desc&limit=1").await, json!(["cx1"]));
    assert_eq!(names("search=a").await, json!(["A"]));
    assert_eq!(names("search=c_").await, json!(["c_1"]));
    assert_eq!(names("search=%25").await, json!([]));
    for query in ["limit=0", "offset=-1", "sortColumn=owner", "sortOrder=up"] {
        let answer = stage.get_by(SERVICE, &format!("/bucket?{query}")).await;
        assert_eq!(answer.error(), (400, "InvalidRequest"), "{query}");
    }
}

// rows: B09
#[tokio::test]
async fn old_clients_of_python_are_told_no_type() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    let with_type = async |header: &str, value: &str| {
        stage.get_by(SERVICE, "/bucket").header(header, value).await.ok()[0].get("type").is_some()
    };
    assert!(!with_type("user-agent", "supabase-py/storage3 v0.12.0").await);
    assert!(with_type("user-agent", "supabase-py/storage3 v0.12.1").await);
    assert!(!with_type("x-client-info", "supabase-py/2.17.9").await);
    assert!(with_type("x-client-info", "supabase-py/2.18.0").await);
    assert!(with_type("x-client-info", "supabase-js/2.0.0").await);
}

// rows: B04 B07 B08
#[tokio::test]
async fn a_change_of_a_bucket_leaves_what_it_does_not_name() {
    let stage = Stage::new().await;
    let settings =
        json!({"name": "a", "public": true, "file_size_limit": "2kb", "allowed_mime_types": ["image/png"]});
    stage.post_by(SERVICE, "/bucket", settings).await.done();
    let put = |body: Value| stage.by(SERVICE, Method::PUT, "/bucket/a").json(body);
    let three = async || {
        let bucket = stage.get_by(SERVICE, "/bucket/a").await;
        json!([bucket["public"], bucket["file_size_limit"], bucket["allowed_mime_types"]])
    };
    assert_eq!(put(json!({"public": false})).await.ok(), json!({"message": "Successfully updated"}));
    assert_eq!(three().await, json!([false, 2000, ["image/png"]]));
    put(json!({"file_size_limit": null})).await.done();
    assert_eq!(three().await, json!([false, null, ["image/png"]]));
    put(json!({"allowed_mime_types": null, "file_size_limit": 7})).await.done();
    assert_eq!(three().await, json!([false, 7, null]));
    put(json!({"allowed_mime_types": []})).await.done();
    assert_eq!(three().await, json!([false, 7, []]));
    assert_eq!(put(json!({})).await.error(), (400, "InvalidRequest"));
    assert_eq!(put(json!({"other": 1})).await.error(), (400, "InvalidRequest"));
    let above = put(json!({"file_size_limit": "1gb"})).await;
    let message = "The object exceeded the maximum allowed size";
    assert_error(&above, 400, ["413", "Payload too large", "EntityTooLarge", message]);
    let odd = put(json!({"allowed_mime_types": ["image"]})).await;
    let message = "mime type image is not supported";
    assert_error(&odd, 400, ["415", "invalid_mime_type", "InvalidMimeType", message]);
    let missing = stage.by(SERVICE, Method::PUT, "/bucket/b").json(json!({"public": true})).await;
    assert_eq!(missing.error(), (400, "NoSuchBucket"));
}

// rows: B05 B11 ResourceNotEmpty NoSuchBucket
#[tokio::test]
async fn only_an_empty_bucket_is_deleted() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.sql("insert into storage.objects (bucket_id, name) values ('a', 'x')").await;
    let delete = || stage.by(SERVICE, Method::DELETE, "/bucket/a");
    let message = "The bucket you tried to delete is not empty";
    assert_error(&delete().await, 400, ["409", "ResourceNotEmpty", "ResourceNotEmpty", message]);
    stage.by(SERVICE, Method::POST, "/bucket/a/empty").await.done();
    assert_eq!(delete().await.ok(), json!({"message": "Successfully deleted"}));
    assert_eq!(delete().await.error(), (400, "NoSuchBucket"));
}

// rows: B06 InvalidRequest
#[tokio::test]
async fn a_bucket_is_emptied_by_the_service_key_alone() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.sql("insert into storage.objects (bucket_id, name) select 'a', 'x' || n from generate_series(1, 50) n").await;
    let empty = |who| stage.by(who, Method::POST, "/bucket/a/empty");
    let refused = empty(Who::User(ASHA)).await;
    assert_error(&refused, 403, ["403", "Unauthorized", "AccessDenied", "Access denied: Invalid role"]);
    let message = "Empty bucket has been queued. Completion may take up to an hour.";
    assert_eq!(empty(SERVICE).await.ok(), json!({"message": message}));
    assert_eq!(stage.number("select count(*) from storage.objects").await, 0);
    let missing = stage.by(SERVICE, Method::POST, "/bucket/b/empty").await;
    assert_eq!(missing.error(), (400, "NoSuchBucket"));
    stage.sql("insert into storage.objects (bucket_id, name) select 'a', n::text from generate_series(1, 200001) n").await;
    let message = "Unable to empty the bucket because it contains too many objects";
    assert_error(&empty(SERVICE).await, 400, ["409", "InvalidRequest", "InvalidRequest", message]);
}
