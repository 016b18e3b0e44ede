use http::Method;

use super::client::{BYTES, Upload, assert_refused, call, metadata, number, path_of, post, text_of};
use crate::support::{ASHA, OWN_FOLDER, Stage, Who};

// rows: T01
#[tokio::test]
async fn options_tell_what_the_service_can_do_to_anybody() {
    let stage = Stage::with("[storage]\nfile_size_limit = \"5MiB\"\n").await;
    for path in ["/upload/resumable", "/upload/resumable/", "/upload/resumable/sign", "/upload/resumable/YQ"]
    {
        let answer = stage.by(Who::Nobody, Method::OPTIONS, path).await;
        assert_eq!(answer.status, 204, "{answer:?}");
        assert_eq!(answer.header("tus-version"), Some("1.0.0"));
        assert_eq!(answer.header("tus-resumable"), Some("1.0.0"));
        assert_eq!(answer.header("tus-max-size"), Some("5242880"));
        assert_eq!(
            answer.header("tus-extension"),
            Some("creation,creation-with-upload,creation-defer-length,termination,expiration")
        );
        let allowed = answer.header("access-control-allow-headers").expect("headers").to_lowercase();
        for name in
            ["authorization", "apikey", "x-upsert", "x-signature", "upload-expires", "upload-metadata"]
        {
            assert!(allowed.contains(name), "{name} in {allowed}");
        }
        assert_eq!(answer.header("access-control-max-age"), Some("86400"));
    }
}

// rows: T02 T03 T05
#[tokio::test]
async fn an_upload_becomes_an_object_with_all_that_was_told_of_it() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    let told = metadata(&[
        ("bucketName", "plans"),
        ("objectName", "5/water.txt"),
        ("contentType", "text/plain"),
        ("cacheControl", "3600"),
        ("metadata", r#"{"शीर्षक": "जल"}"#),
    ]);
    let created = call(&stage, Who::Service, Method::POST, "/upload/resumable")
        .header("upload-length", "5")
        .header("upload-metadata", &told)
        .await;
    let upload = Upload { path: path_of(&created), stage: stage.clone(), who: Who::Service };
    assert_eq!(created.header("tus-resumable"), Some("1.0.0"));
    assert!(created.header("upload-expires").is_some() && created.header("upload-offset").is_none());
    assert_eq!(upload.head().await.header("upload-metadata"), Some(told.as_str()));

    assert_eq!(stage.number("select count(*) from storage.objects").await, 0);
    let sent = upload.patch(0, "water").await;
    assert_eq!((sent.status, number(&sent, "upload-offset")), (204, Some(5)), "{sent:?}");
    assert_eq!(sent.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/5/water.txt").await, "water");
    let row =
        stage.text("select (metadata - 'lastModified')::text || user_metadata::text from storage.objects");
    assert_eq!(
        row.await,
        "{\"eTag\": \"\\\"9460370bb0ca1c98a779b1bcc6861c2c\\\"\", \"size\": 5, \"mimetype\": \"text/plain\", \
         \"cacheControl\": \"max-age=3600\", \"contentLength\": 5, \"httpStatusCode\": 200}{\"शीर्षक\": \"जल\"}"
    );
}

// rows: T03
#[tokio::test]
async fn the_first_bytes_may_come_with_the_post() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    let whole =
        post(&stage, Who::Service, "plans", "whole").header("upload-length", "5").body(BYTES, "water").await;
    assert_eq!((whole.status, number(&whole, "upload-offset")), (201, Some(5)), "{whole:?}");
    assert_eq!(whole.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/whole").await, "water");

    let part =
        post(&stage, Who::Service, "plans", "part").header("upload-length", "5").body(BYTES, "wa").await;
    assert_eq!((number(&part, "upload-offset"), part.header("tus-complete")), (Some(2), None));
    let upload = Upload { path: path_of(&part), stage: stage.clone(), who: Who::Service };
    assert_eq!(upload.patch(2, "ter").await.status, 204);
    assert_eq!(text_of(&stage, "plans/part").await, "water");

    // Bytes of another type are no bytes of the upload.
    let other =
        post(&stage, Who::Service, "plans", "other").header("upload-length", "5").body("text/plain", "water");
    assert_eq!(number(&other.await, "upload-offset"), None);
}

// rows: T02 T03
#[tokio::test]
async fn an_upload_without_bytes_is_an_object_at_once() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    let created = post(&stage, Who::Service, "plans", "empty").header("upload-length", "0").await;
    assert_eq!((created.status, created.header("tus-complete")), (201, Some("1")), "{created:?}");
    assert_eq!(text_of(&stage, "plans/empty").await, "");
}

// rows: T02 T04
#[tokio::test]
async fn the_length_may_be_told_later() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    let created = post(&stage, Who::Service, "plans", "a").header("upload-defer-length", "1").await;
    let upload = Upload { path: path_of(&created), stage: stage.clone(), who: Who::Service };
    assert_eq!(upload.patch(0, "wat").await.status, 204);
    let told = upload.head().await;
    assert_eq!((told.header("upload-defer-length"), told.header("upload-length")), (Some("1"), None));

    // Too short, then right, then another one.
    let short = upload.at(3).header("upload-length", "2").body(BYTES, "").await;
    assert_eq!(short.status, 400);
    let sent = upload.at(3).header("upload-length", "5").body(BYTES, "e").await;
    assert_eq!(sent.status, 204, "{sent:?}");
    let other = upload.at(4).header("upload-length", "6").body(BYTES, "r").await;
    assert_refused(&other, 400, "Upload-Length or Upload-Defer-Length header required");
    let told = upload.head().await;
    assert_eq!((told.header("upload-defer-length"), number(&told, "upload-length")), (None, Some(5)));
    assert_eq!(upload.patch(4, "r").await.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/a").await, "water");
}

// rows: T02
#[tokio::test]
async fn the_last_thing_told_may_be_the_length() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    let created = post(&stage, Who::Service, "plans", "a").header("upload-defer-length", "1").await;
    let upload = Upload { path: path_of(&created), stage: stage.clone(), who: Who::Service };
    assert_eq!(upload.patch(0, "water").await.status, 204);
    let ended = upload.at(5).header("upload-length", "5").body(BYTES, "").await;
    assert_eq!(ended.header("tus-complete"), Some("1"), "{ended:?}");
    assert_eq!(text_of(&stage, "plans/a").await, "water");
}

// rows: T02
#[tokio::test]
async fn an_object_is_replaced_by_who_asked_for_it_at_the_beginning() {
    let stage = Stage::new().await;
    stage.sql(OWN_FOLDER).await;
    stage.bucket("plans", false).await;
    let (who, name) = (Who::User(ASHA), format!("{ASHA}/a"));
    let first = Upload::begin(&stage, who, "plans", &name, 3).await;
    assert_eq!(first.patch(0, "old").await.status, 204);
    let again = post(&stage, who, "plans", &name).header("upload-length", "3").await;
    assert_refused(&again, 409, "The resource already exists");
    let again =
        post(&stage, who, "plans", &name).header("upload-length", "3").header("x-upsert", "true").await;
    let second = Upload { path: path_of(&again), stage: stage.clone(), who };
    assert_eq!(second.patch(0, "new").await.status, 204);
    assert_eq!(text_of(&stage, &format!("plans/{name}")).await, "new");
    assert_eq!(stage.number("select count(*) from storage.objects").await, 1);
}

// rows: T03
#[tokio::test]
async fn a_client_may_name_the_method_in_a_header() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    let upload = Upload::begin(&stage, Who::Service, "plans", "a", 5).await;
    let sent = upload.call(Method::POST).header("x-http-method-override", "PATCH");
    let sent = sent.header("upload-offset", "0").body(BYTES, "water").await;
    assert_eq!(sent.status, 204, "{sent:?}");
    let other = Upload::begin(&stage, Who::Service, "plans", "b", 5).await;
    let ended = other.call(Method::POST).header("x-http-method-override", "DELETE").await;
    assert_eq!(ended.status, 204, "{ended:?}");
}
