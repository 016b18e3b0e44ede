use banyan_identity::{Purpose, PurposeToken};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::Method;
use serde_json::{Value, json};
use time::Duration;

use super::client::{BYTES, assert_refused, call, metadata, number, path_of, text_of};
use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who};

async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.sql(OWN_FOLDER).await;
    stage.bucket("plans", false).await;
    stage
}

/// The token of an upload URL that Asha signs for an object of her folder.
async fn token(stage: &Stage, name: &str, upsert: bool) -> String {
    let path = format!("/object/upload/sign/plans/{ASHA}/{name}");
    let signed =
        stage.post_by(Who::User(ASHA), &path, json!({})).header("x-upsert", upsert.to_string()).await;
    signed.ok()["token"].as_str().expect("a token").to_owned()
}

fn post(stage: &Stage, token: &str, name: &str) -> banyan_testkit::Call {
    let name = format!("{ASHA}/{name}");
    let pairs = [("bucketName", "plans"), ("objectName", name.as_str()), ("contentType", "text/plain")];
    call(stage, Who::Nobody, Method::POST, "/upload/resumable/sign")
        .header("x-signature", token)
        .header("upload-metadata", metadata(&pairs))
        .header("upload-length", "5")
}

fn patch(stage: &Stage, token: &str, path: &str, offset: u64) -> banyan_testkit::Call {
    let request = call(stage, Who::Nobody, Method::PATCH, path).header("x-signature", token);
    request.header("upload-offset", offset.to_string())
}

// rows: T09
#[tokio::test]
async fn a_signature_uploads_without_a_token() {
    let stage = stage().await;
    let token = token(&stage, "a", false).await;
    let created = post(&stage, &token, "a").await;
    let path = path_of(&created);
    assert!(path.starts_with("/upload/resumable/sign/"), "{path}");
    assert_eq!(patch(&stage, &token, &path, 0).body(BYTES, "wat").await.status, 204);
    let told = call(&stage, Who::Nobody, Method::HEAD, &path).header("x-signature", &token).await;
    assert_eq!((told.status, number(&told, "upload-offset")), (200, Some(3)));
    let ended = patch(&stage, &token, &path, 3).body(BYTES, "er").await;
    assert_eq!(ended.header("tus-complete"), Some("1"), "{ended:?}");
    assert_eq!(text_of(&stage, &format!("plans/{ASHA}/a")).await, "water");
    assert_eq!(stage.text("select owner_id from storage.objects").await, ASHA.to_string());
}

// rows: T09 S07
#[tokio::test]
async fn whether_an_object_is_replaced_was_signed() {
    let stage = stage().await;
    let once = token(&stage, "a", false).await;
    let created = post(&stage, &once, "a").body(BYTES, "first").await;
    assert_eq!(created.header("tus-complete"), Some("1"), "{created:?}");
    let again = post(&stage, &once, "a").header("x-upsert", "true").await;
    assert_refused(&again, 409, "The resource already exists");
    let replaces = token(&stage, "a", true).await;
    let replaced = post(&stage, &replaces, "a").body(BYTES, "other").await;
    assert_eq!(replaced.header("tus-complete"), Some("1"), "{replaced:?}");
    assert_eq!(text_of(&stage, &format!("plans/{ASHA}/a")).await, "other");
}

// rows: T06 T09
#[tokio::test]
async fn a_signature_gives_its_upload_up() {
    let stage = stage().await;
    let token = token(&stage, "a", false).await;
    let path = path_of(&post(&stage, &token, "a").await);
    let ended = call(&stage, Who::Nobody, Method::DELETE, &path).header("x-signature", &token).await;
    assert_eq!(ended.status, 204, "{ended:?}");
    assert_eq!(stage.number("select count(*) from _banyan.storage_uploads").await, 0);
}

/// A token that is signed with these words.
fn forged(stage: &Stage, purpose: Purpose, url: &str, minutes: i64, claims: &Value) -> String {
    let now = stage.clock.now();
    let claims = claims.as_object().expect("an object").clone();
    let token =
        PurposeToken { purpose, url: url.to_owned(), claims, expires_at: now + Duration::minutes(minutes) };
    token.sign(stage.keyring(), now).expect("signed")
}

// rows: T09 S08
#[tokio::test]
async fn signatures_open_nothing_but_what_they_were_made_for() {
    let stage = stage().await;
    let right = format!("plans/{ASHA}/a");
    let good = token(&stage, "a", false).await;
    let path = path_of(&post(&stage, &good, "a").await);
    let (head, signature) = good.rsplit_once('.').expect("a token");
    let upload = Purpose::Upload;
    let tokens = [
        token(&stage, "b", false).await,
        forged(&stage, Purpose::Download, &right, 5, &json!({})),
        forged(&stage, upload, &format!("plans/{ASHA}/a/"), 5, &json!({})),
        forged(&stage, upload, &format!("plans/{RAVI}/a"), 5, &json!({})),
        forged(&stage, upload, &format!("other/{ASHA}/a"), 5, &json!({})),
        forged(&stage, upload, &right, -1, &json!({})),
        banyan_testkit::token("service_role", None, Value::Null),
        format!("{head}.{}", signature.chars().rev().collect::<String>()),
        format!("{head}."),
        "a.b.c".to_owned(),
        String::new(),
    ];
    for token in &tokens {
        for request in [
            post(&stage, token, "a"),
            patch(&stage, token, &path, 0).body(BYTES, "water"),
            call(&stage, Who::Nobody, Method::DELETE, &path).header("x-signature", token),
            call(&stage, Who::Nobody, Method::HEAD, &path).header("x-signature", token),
        ] {
            let refused = request.await;
            assert_eq!(refused.status, 400, "{token} {refused:?}");
        }
    }
    // A token of the caller does not take the place of a signature.
    let unsigned = call(&stage, Who::User(ASHA), Method::PATCH, &path).header("upload-offset", "0");
    assert_refused(&unsigned.body(BYTES, "water").await, 400, "Missing x-signature header");
    assert_eq!(stage.number("select received from _banyan.storage_uploads").await, 0);
}

// rows: T09
#[tokio::test]
async fn a_signature_that_ended_uploads_no_more() {
    let stage = stage().await;
    let token = token(&stage, "a", false).await;
    let path = path_of(&post(&stage, &token, "a").await);
    assert_eq!(patch(&stage, &token, &path, 0).body(BYTES, "w").await.status, 204);
    stage.wait(7200);
    let refused = patch(&stage, &token, &path, 1).body(BYTES, "ater").await;
    assert_refused(&refused, 400, "\"exp\" claim timestamp check failed");
}

// rows: T09
#[tokio::test]
async fn a_signature_for_one_object_does_not_reach_the_upload_of_another() {
    let stage = stage().await;
    let (of_a, of_b) = (token(&stage, "a", false).await, token(&stage, "b", false).await);
    let path = path_of(&post(&stage, &of_a, "a").await);
    let name = path.rsplit('/').next().expect("a name");
    let id = String::from_utf8(URL_SAFE_NO_PAD.decode(name).expect("base64")).expect("text");
    let id = URL_SAFE_NO_PAD.encode(id.replace("/a/", "/b/"));
    let refused = patch(&stage, &of_b, &format!("/upload/resumable/sign/{id}"), 0).body(BYTES, "water").await;
    assert_refused(&refused, 404, "The file for this url was not found");
}
