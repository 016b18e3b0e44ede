//! What a user may take: bytes, and unfinished uploads (CONTRACT.md B6).

use banyan_db::Login;
use http::Method;
use serde_json::json;

use crate::{
    resumable::client::{BYTES, Upload, assert_refused, call, metadata, path_of, post},
    s3::client::{Keys, ask, ask_as, element, error},
    support::{ASHA, Done, OWN_FOLDER, RAVI, Stage, Who},
};

const ASHAS: Who = Who::User(ASHA);
const FULL: &str = "The quota of the user is used up";

/// A service where each user has ten bytes, and a folder in bucket `b`.
async fn stage() -> Stage {
    let stage = Stage::changed(|settings| settings.quota_per_user = Some(10)).await;
    stage.sql("select _banyan.storage_set_usage(true)").await;
    stage.bucket("b", false).await;
    stage.sql(OWN_FOLDER).await;
    stage
}

async fn put(stage: &Stage, name: &str, text: &'static str) -> u16 {
    let path = format!("/object/b/{ASHA}/{name}");
    stage.by(ASHAS, Method::PUT, &path).body("text/plain", text).await.status
}

async fn begin(stage: &Stage, name: &str, length: u64) -> Upload {
    Upload::begin(stage, ASHAS, "b", &format!("{ASHA}/{name}"), length).await
}

/// Waits until so many statements wait for locks.
pub(crate) async fn somebody_waits(stage: &Stage, statements: i64) {
    let waiting = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'";
    while stage.number(waiting).await < statements {
        tokio::task::yield_now().await;
    }
}

// rows: B6
#[tokio::test]
async fn unfinished_uploads_count_to_the_quota() {
    let stage = stage().await;
    let upload = begin(&stage, "a", 6).await;
    assert_eq!(put(&stage, "b", "12345").await, 400);
    let more = post(&stage, ASHAS, "b", &format!("{ASHA}/c")).header("upload-length", "5").await;
    assert_refused(&more, 413, FULL);
    assert_eq!(upload.patch(0, "123456").await.status, 204);
    assert_eq!(put(&stage, "b", "1234").await, 200, "an object counts once");
    assert_eq!(put(&stage, "c", "1").await, 400);
    let gone = begin(&stage, "none", 0).await;
    assert_eq!(gone.delete().await.status, 400, "an empty upload is an object");
}

// rows: B6 T07
#[tokio::test]
async fn an_upload_of_unknown_length_ends_at_the_quota() {
    let stage = stage().await;
    let begun = async |name: &str| {
        let post = post(&stage, ASHAS, "b", &format!("{ASHA}/{name}")).header("upload-defer-length", "1");
        Upload { path: path_of(&post.await), stage: stage.clone(), who: ASHAS }
    };
    let upload = begun("a").await;
    assert_eq!(upload.patch(0, "1234567890").await.status, 204);
    assert_eq!(put(&stage, "b", "1").await, 400);
    assert_refused(&upload.patch(10, "1").await, 413, FULL);
    assert_eq!(upload.head().await.status, 404, "it is given up");
    let told_later = begun("c").await;
    let told = told_later.at(0).header("upload-length", "11").body(BYTES, "").await;
    assert_refused(&told, 413, FULL);
    assert_eq!(put(&stage, "b", "1234567890").await, 200);
}

// rows: B6 X08
#[tokio::test]
async fn parts_of_an_unfinished_upload_count_to_the_quota() {
    let stage = stage().await;
    let asha = Keys::user(&stage, ASHA);
    let begun = ask_as(&stage, &asha, &format!("POST /b/{ASHA}/a?uploads=")).send().await;
    let id = element(begun.text(), "UploadId").expect("an id");
    let part = async |number: u32, text: &str| {
        let part = format!("PUT /b/{ASHA}/a?partNumber={number}&uploadId={id}");
        ask_as(&stage, &asha, &part).body(text).send().await
    };
    assert_eq!(part(1, "123456").await.status, 200);
    assert_eq!(part(1, "654321").await.status, 200, "a part counts once");
    assert_eq!(put(&stage, "b", "12345").await, 400);
    let text = "select string_agg(in_progress_size::text, ' ') from storage.s3_multipart_uploads";
    assert_eq!(stage.text(text).await, "6");
    assert_eq!(error(&part(2, "12345").await), (413, "EntityTooLarge".into()));
    assert_eq!(error(&part(2, "1").await), (404, "NoSuchUpload".into()), "it is given up");
    assert_eq!(put(&stage, "b", "1234567890").await, 200);
}

// rows: B6 SlowDown
#[tokio::test]
async fn a_user_has_a_hundred_unfinished_uploads_at_most() {
    let stage = Stage::new().await;
    stage.bucket("b", false).await;
    stage.sql(OWN_FOLDER).await;
    let uploads = "insert into _banyan.storage_uploads
        (id, bucket_id, name, owner_id, upsert, upload_metadata, parts_id, md5, expires_at, finished)
        select gen_random_uuid(), 'b', 'x', '00000000-0000-0000-0000-00000000000a', false, '', '', '', 'infinity', n > 98
        from generate_series(1, 120) as n";
    stage.sql(uploads).await;
    let asha = Keys::user(&stage, ASHA);
    let by_s3 =
        async |keys: &Keys, key: &str| ask_as(&stage, keys, &format!("POST /b/{key}?uploads=")).send().await;
    let upload = begin(&stage, "a", 5).await;
    let hers = format!("{ASHA}/b");
    assert_eq!(by_s3(&asha, &hers).await.status, 200, "the hundredth");
    assert_eq!(error(&by_s3(&asha, &hers).await), (429, "SlowDown".into()));
    let refused = post(&stage, ASHAS, "b", &hers).header("upload-length", "5").await;
    assert_refused(&refused, 429, "Too many uploads are unfinished");
    assert_eq!(by_s3(&Keys::user(&stage, RAVI), &format!("{RAVI}/b")).await.status, 200);
    assert_eq!(ask(&stage, &format!("POST /b/{hers}?uploads=")).send().await.status, 200);
    assert_eq!(upload.patch(0, "water").await.status, 204);
    assert_eq!(by_s3(&asha, &hers).await.status, 200);
}

// rows: B6 T09
#[tokio::test]
async fn an_upload_that_the_service_signed_has_no_bound() {
    let stage = stage().await;
    let begin = async |who, status| {
        let sign =
            stage.post_by(who, &format!("/object/upload/sign/b/{ASHA}/{status}"), json!({})).await.ok();
        let token = sign["token"].as_str().expect("a token");
        let pairs = [("bucketName", "b"), ("objectName", &*format!("{ASHA}/{status}"))];
        let post = call(&stage, Who::Nobody, Method::POST, "/upload/resumable/sign");
        let post = post.header("x-signature", token).header("upload-metadata", metadata(&pairs));
        assert_eq!(post.header("upload-length", "11").await.status, status);
    };
    begin(Who::Service, 201).await;
    begin(ASHAS, 413).await;
    let of_nobody = "select count(*) from _banyan.storage_unfinished(null)";
    assert_eq!(stage.number(of_nobody).await, 0);
}

// rows: B6
#[tokio::test]
async fn of_two_uploads_at_a_time_that_need_the_last_bytes_one_begins() {
    let stage = stage().await;
    let mut first = stage.database().pool(Login::StorageAdmin).begin().await.expect("begun");
    let admitted = "select _banyan.storage_admit('00000000-0000-0000-0000-00000000000a', '', 6, 10, 100)";
    sqlx::raw_sql(admitted).execute(&mut *first).await.expect("there is room");
    let row = "insert into _banyan.storage_uploads
        (id, bucket_id, name, owner_id, upsert, length, upload_metadata, parts_id, md5, expires_at)
        values (gen_random_uuid(), 'b', 'x', '00000000-0000-0000-0000-00000000000a', false, 6, '', '', '', 'infinity')";
    sqlx::raw_sql(row).execute(&mut *first).await.expect("written");
    let on = stage.clone();
    let object = tokio::spawn(async move { put(&on, "c", "12345").await });
    let upload = post(&stage, ASHAS, "b", &format!("{ASHA}/c")).header("upload-length", "5");
    let upload = tokio::spawn(async move { upload.await });
    somebody_waits(&stage, 2).await;
    first.commit().await.expect("committed");
    assert_eq!(object.await.expect("an answer"), 400);
    assert_refused(&upload.await.expect("an answer"), 413, FULL);
}

// rows: B6 O04 B5
#[tokio::test]
async fn a_move_into_ones_ownership_counts_to_the_quota() {
    let stage = stage().await;
    stage.sql("create policy everything on storage.objects for all to authenticated using (true)").await;
    for name in ["of-nobody", "f/1", "f/2"] {
        stage.upload(Who::Service, &format!("b/{name}"), "123456").await.done();
    }
    let moved = async |from: &str, to: &str| {
        let body = json!({"bucketId": "b", "sourceKey": from, "destinationKey": to});
        stage.post_by(ASHAS, "/object/move", body).await
    };
    assert_eq!(moved("f/", "g/").await.error(), (400, "EntityTooLarge"));
    moved("f/1", "mine").await.done();
    assert_eq!(moved("of-nobody", "mine2").await.error(), (400, "EntityTooLarge"));
    moved("mine", "mine3").await.done();
    let names = "select string_agg(name, ' ' order by name) from storage.objects";
    assert_eq!(stage.text(names).await, "f/2 mine3 of-nobody");
}
