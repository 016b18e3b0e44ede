use http::Method;
use serde_json::{Value, json};

use super::client::{BYTES, Upload, assert_refused, call, metadata, path_of, post};
use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who};

/// A service with a bucket in which everybody has a folder.
async fn stage() -> Stage {
    let stage = Stage::with("[storage]\nfile_size_limit = \"1MiB\"\n").await;
    stage.sql(OWN_FOLDER).await;
    stage.bucket("plans", false).await;
    stage
}

/// Changes the limits of the bucket.
async fn limit(stage: &Stage, limits: Value) {
    let _ = stage.by(Who::Service, Method::PUT, "/bucket/plans").json(limits).await.ok();
}

async fn of_asha(stage: &Stage) -> Upload {
    Upload::begin(stage, Who::User(ASHA), "plans", &format!("{ASHA}/a"), 5).await
}

// rows: T07
#[tokio::test]
async fn requests_speak_the_version_of_the_protocol() {
    let stage = stage().await;
    for version in [None, Some("0.2.2")] {
        let request = stage.by(Who::Service, Method::POST, "/upload/resumable").header("upload-length", "1");
        let request = match version {
            Some(version) => request.header("tus-resumable", version),
            None => request,
        };
        let refused = request.await;
        assert_refused(&refused, 412, "Tus-Resumable Required");
        assert_eq!(refused.header("tus-version"), Some("1.0.0"));
    }
}

// rows: T02 T07
#[tokio::test]
async fn an_upload_has_a_length_and_metadata() {
    let stage = stage().await;
    let no_length = "Upload-Length or Upload-Defer-Length header required";
    assert_refused(&post(&stage, Who::Service, "plans", "a").await, 400, no_length);
    let both = post(&stage, Who::Service, "plans", "a").header("upload-length", "1");
    assert_refused(&both.header("upload-defer-length", "1").await, 400, no_length);
    let two = post(&stage, Who::Service, "plans", "a").header("upload-defer-length", "2");
    assert_refused(&two.await, 400, "Invalid upload-defer-length");
    for length in ["-1", "five", "1e3", "99999999999999999999"] {
        let refused = post(&stage, Who::Service, "plans", "a").header("upload-length", length).await;
        assert_refused(&refused, 400, "Invalid upload-length");
    }
    let concatenated = post(&stage, Who::Service, "plans", "a").header("upload-concat", "partial");
    assert_eq!(concatenated.header("upload-length", "1").await.status, 501);
    for metadata in [None, Some("bucketName"), Some("objectName YQ"), Some("bucketName %%,objectName YQ==")] {
        let request =
            call(&stage, Who::Service, Method::POST, "/upload/resumable").header("upload-length", "1");
        let refused = match metadata {
            Some(metadata) => request.header("upload-metadata", metadata).await,
            None => request.await,
        };
        assert_eq!(refused.status, 400, "{metadata:?} {refused:?}");
    }
}

// rows: T02 T07 C12
#[tokio::test]
async fn names_and_buckets_are_checked_first() {
    let stage = stage().await;
    let refused = |bucket, name| post(&stage, Who::Service, bucket, name).header("upload-length", "1");
    assert_refused(&refused("plans", "पाठ.pdf").await, 400, "Invalid key: पाठ.pdf");
    assert_refused(&refused("plans", "").await, 400, "Invalid key:");
    assert_refused(&refused("plans", "a\0b").await, 400, "Invalid key: a\0b");
    assert_refused(&refused("", "a").await, 400, "Bucket name invalid");
    assert_refused(&refused("a/b", "c").await, 400, "Bucket name invalid");
    assert_refused(&refused("none", "a").await, 404, "Bucket not found");
    assert_eq!(stage.number("select count(*) from _banyan.storage_uploads").await, 0);
}

// rows: T02 B2
#[tokio::test]
async fn names_of_every_script_are_taken_where_the_setting_allows() {
    let stage = Stage::changed(|storage| storage.unicode_names = true).await;
    stage.bucket("plans", false).await;
    let upload = Upload::begin(&stage, Who::Service, "plans", "कक्षा ५/पाठ.txt", 5).await;
    assert_eq!(upload.patch(0, "water").await.header("tus-complete"), Some("1"));
    assert_eq!(stage.text("select name from storage.objects").await, "कक्षा ५/पाठ.txt");
}

// rows: T07
#[tokio::test]
async fn limits_of_service_and_bucket_hold() {
    let stage = stage().await;
    let large = post(&stage, Who::Service, "plans", "a").header("upload-length", "1048577").await;
    assert_refused(&large, 413, "Maximum size exceeded");
    let upload = Upload::begin(&stage, Who::Service, "plans", "a", 5).await;
    limit(&stage, json!({"file_size_limit": 4, "allowed_mime_types": ["image/*"]})).await;
    let text = post(&stage, Who::Service, "plans", "b").header("upload-length", "4").await;
    assert_refused(&text, 415, "mime type text/plain is not supported");
    // What was begun before must still fit.
    assert_refused(&upload.patch(0, "water").await, 413, "Maximum size exceeded");
    limit(&stage, json!({"file_size_limit": null})).await;
    assert_refused(&upload.patch(0, "water").await, 415, "mime type text/plain is not supported");
}

// rows: T07
#[tokio::test]
async fn an_upload_of_unknown_length_ends_at_the_limit() {
    let stage = stage().await;
    limit(&stage, json!({"file_size_limit": 4})).await;
    let created = post(&stage, Who::Service, "plans", "a").header("upload-defer-length", "1").await;
    let upload = Upload { path: path_of(&created), stage: stage.clone(), who: Who::Service };
    assert_eq!(upload.patch(0, "wate").await.status, 204);
    assert_eq!(upload.patch(4, "r").await.status, 413);
    let told = upload.at(4).header("upload-length", "5").body(BYTES, "r").await;
    assert_refused(&told, 413, "Maximum size exceeded");
}

// rows: T05 T07
#[tokio::test]
async fn a_patch_says_what_it_brings_and_where_it_belongs() {
    let stage = stage().await;
    let upload = of_asha(&stage).await;
    for offset in [1, 5, 6] {
        assert_refused(&upload.patch(offset, "w").await, 409, "Upload-Offset conflict");
    }
    let no_offset = upload.call(Method::PATCH).body(BYTES, "w").await;
    assert_refused(&no_offset, 403, "Upload-Offset header required");
    let offset = upload.call(Method::PATCH).header("upload-offset", "-1").body(BYTES, "w").await;
    assert_refused(&offset, 400, "Invalid upload-offset");
    for content_type in ["text/plain", "application/octet-stream", ""] {
        let refused = upload.at(0).body(content_type, "w").await;
        assert_refused(&refused, 415, "Content-Type header must be application/offset+octet-stream");
    }
    assert_eq!(upload.offset().await, 0);
}

// rows: T08
#[tokio::test]
async fn policies_judge_every_request_that_writes() {
    let stage = stage().await;
    let foreign =
        post(&stage, Who::User(RAVI), "plans", &format!("{ASHA}/a")).header("upload-length", "5").await;
    assert_refused(&foreign, 403, "new row violates row-level security policy");
    let anonymous = post(&stage, Who::Anon, "plans", "a").header("upload-length", "5").await;
    assert_refused(&anonymous, 403, "new row violates row-level security policy");
    let upload = of_asha(&stage).await;
    assert_eq!(upload.patch(0, "w").await.status, 204);
    // The right is taken away meanwhile.
    stage.sql("drop policy own_folder on storage.objects").await;
    assert_refused(&upload.patch(1, "ater").await, 403, "new row violates row-level security policy");
    assert_refused(&upload.delete().await, 403, "new row violates row-level security policy");
    assert_eq!(stage.number("select received from _banyan.storage_uploads").await, 1);
    stage.sql(OWN_FOLDER).await;
    assert_eq!(upload.patch(1, "ater").await.header("tus-complete"), Some("1"));
    assert_eq!(stage.text("select owner_id from storage.objects").await, ASHA.to_string());
}

// rows: T08
#[tokio::test]
async fn policies_see_type_and_length_of_the_whole() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    stage
        .sql(
            "create policy small_texts on storage.objects for insert to authenticated with check (
                metadata ->> 'mimetype' = 'text/plain'
                and (metadata ->> 'contentLength')::int <= 5
                and storage.operation() like 'storage.tus.upload.%')",
        )
        .await;
    let who = Who::User(ASHA);
    let large = post(&stage, who, "plans", "a").header("upload-length", "6").await;
    assert_refused(&large, 403, "new row violates row-level security policy");
    let pairs = [("bucketName", "plans"), ("objectName", "a"), ("contentType", "text/html")];
    let other =
        call(&stage, who, Method::POST, "/upload/resumable").header("upload-metadata", metadata(&pairs));
    assert_eq!(other.header("upload-length", "5").await.status, 403);
    let upload = Upload::begin(&stage, who, "plans", "a", 5).await;
    assert_eq!(upload.patch(0, "water").await.header("tus-complete"), Some("1"));
}

// rows: T08 R09
#[tokio::test]
async fn an_upload_of_somebody_else_is_not_there() {
    let stage = stage().await;
    let upload = of_asha(&stage).await;
    assert_eq!(upload.patch(0, "w").await.status, 204);
    stage
        .sql("create policy everything on storage.objects for all to public using (true) with check (true)")
        .await;
    for who in [Who::User(RAVI), Who::Anon] {
        let foreign = upload.by(who);
        assert_refused(&foreign.patch(1, "ater").await, 404, "The file for this url was not found");
        assert_refused(&foreign.delete().await, 404, "The file for this url was not found");
        assert_eq!(foreign.head().await.status, 404);
    }
    let nobody = upload.by(Who::Nobody);
    assert_eq!(nobody.patch(1, "ater").await.status, 403);
    assert_eq!((nobody.delete().await.status, nobody.head().await.status), (403, 403));
    assert_eq!(upload.offset().await, 1);
    assert_eq!(upload.by(Who::Service).patch(1, "ater").await.header("tus-complete"), Some("1"));
    assert_eq!(stage.text("select owner_id from storage.objects").await, ASHA.to_string());
}

// rows: T08
#[tokio::test]
async fn an_upload_of_the_service_is_closed_to_users_and_one_of_nobody_is_of_nobody() {
    let stage = stage().await;
    stage.sql("create policy everything on storage.objects for all to public using (true)").await;
    let of_service = Upload::begin(&stage, Who::Service, "plans", "a", 9).await;
    let of_anon = Upload::begin(&stage, Who::Anon, "plans", "b", 9).await;
    for (who, statuses) in
        [(Who::User(ASHA), (404, 404)), (Who::Anon, (404, 200)), (Who::Service, (200, 200))]
    {
        let told = (of_service.by(who).head().await.status, of_anon.by(who).head().await.status);
        assert_eq!(told, statuses);
    }
    assert_eq!(of_service.by(Who::User(ASHA)).patch(0, "x").await.status, 404);
    assert_eq!(of_service.by(Who::Anon).delete().await.status, 404);
    assert_eq!(of_anon.patch(0, "x").await.status, 204);
}

// rows: C03 T07
#[tokio::test]
async fn who_has_no_token_begins_nothing() {
    let stage = stage().await;
    let nobody = post(&stage, Who::Nobody, "plans", "a").header("upload-length", "5").await;
    assert_eq!(nobody.status, 403, "{nobody:?}");
    let forged =
        post(&stage, Who::Nobody, "plans", "a").bearer("nonsense").header("upload-length", "5").await;
    assert_refused(&forged, 403, "Invalid Compact JWS");
}

// rows: T04
#[tokio::test]
async fn what_is_no_upload_is_not_found() {
    let stage = stage().await;
    let upload = of_asha(&stage).await;
    let name = upload.path.rsplit('/').next().expect("a name");
    let other = format!("/upload/resumable/{}", &name[..name.len() - 2]);
    for path in ["/upload/resumable/YQ", "/upload/resumable/%2e%2e", other.as_str()] {
        for method in [Method::HEAD, Method::PATCH, Method::DELETE] {
            let request = call(&stage, Who::Service, method, path).header("upload-offset", "0");
            assert_eq!(request.body(BYTES, "").await.status, 404, "{path}");
        }
    }
    for (method, path) in [(Method::GET, upload.path.as_str()), (Method::PUT, upload.path.as_str())] {
        assert_eq!(call(&stage, Who::Service, method, path).await.status, 404);
    }
}
