//! URLs that are signed, as they are used.

use banyan_identity::{Purpose, PurposeToken};
use banyan_testkit::Answer;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::Method;
use serde_json::{Value, json};
use time::Duration;

use crate::support::{ASHA, Done, OWN_FOLDER, RAVI, Stage, Who, assert_error};

/// A private bucket `b` with `1` and `2`.
async fn private() -> Stage {
    let stage = Stage::new().await;
    stage.bucket("b", false).await;
    stage.upload(Who::Service, "b/1", "0123456789").await.done();
    stage.upload(Who::Service, "b/2", "two").await.done();
    stage
}

fn token(stage: &Stage, purpose: Purpose, url: &str, claims: Value) -> String {
    let claims = claims.as_object().expect("an object").clone();
    let expires_at = stage.clock.now() + Duration::minutes(1);
    let token = PurposeToken { purpose, url: url.to_owned(), claims, expires_at };
    token.sign(stage.keyring(), stage.clock.now()).expect("signed")
}

async fn read(stage: &Stage, name: &str, token: &str) -> Answer {
    stage.get(&format!("/object/sign/b/{name}?token={token}")).await
}

// rows: S03 D04 D12 D13 D14
#[tokio::test]
async fn a_signed_url_reads_what_it_is_for() {
    let stage = private().await;
    let signed = stage.post_by(Who::Service, "/object/sign/b/1", json!({"expiresIn": 60})).await.ok();
    let url = signed["signedURL"].as_str().expect("a URL").to_owned();
    let answer = stage.get(&url).await;
    assert_eq!((answer.status, answer.text()), (200, "0123456789"));
    assert_eq!(answer.header("cache-control"), None);
    assert!(answer.header("expires").is_some_and(|date| date.ends_with(" GMT")), "{answer:?}");
    let head = stage.call(Method::HEAD, &url).await;
    assert_eq!((head.status, head.header("content-length")), (200, Some("10")));
    let part = stage.get(&format!("{url}&download=a.txt")).header("range", "bytes=2-3").await;
    assert_eq!((part.status, part.text()), (206, "23"));
    assert_eq!(
        part.header("content-disposition"),
        Some("attachment; filename=a.txt; filename*=UTF-8''a.txt")
    );
    let tag = answer.header("etag").expect("a tag").to_owned();
    assert_eq!(stage.get(&url).header("if-none-match", tag).await.status, 304);
    stage.wait(60);
    let expired = stage.get(&url).await;
    assert_error(&expired, 400, ["400", "InvalidJWT", "InvalidJWT", "\"exp\" claim timestamp check failed"]);
}

// rows: S05 S04 InvalidSignature InvalidJWT
#[tokio::test]
async fn a_forged_url_reads_nothing() {
    let stage = private().await;
    let good = token(&stage, Purpose::Download, "b/1", json!({}));
    assert_eq!(read(&stage, "1", &good).await.status, 200);
    let (head, signature) = good.rsplit_once('.').expect("three parts");
    let header = head.split('.').next().expect("a header");
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let exp = stage.clock.now().unix_timestamp() + 60;
    let claims = part(json!({"url": "b/1", "scope": "download", "exp": exp}));
    let of_user =
        banyan_testkit::token("authenticated", Some(ASHA), json!({"url": "b/1", "scope": "download"}));
    let cut = &good[..good.len() - 1];
    for (name, token, code) in [
        ("2", good.clone(), "InvalidSignature"),
        ("1/", good.clone(), "InvalidSignature"),
        ("%31%2F", good.clone(), "InvalidSignature"),
        ("1", token(&stage, Purpose::Upload, "b/1", json!({"upsert": true})), "InvalidSignature"),
        ("1", token(&stage, Purpose::Download, "b", json!({})), "InvalidSignature"),
        ("1", of_user, "InvalidSignature"),
        ("1", format!("{head}."), "InvalidJWT"),
        ("1", format!("{}.{claims}.", part(json!({"alg": "none"}))), "InvalidJWT"),
        ("1", format!("{header}.{claims}.{signature}"), "InvalidJWT"),
        ("1", cut.to_owned(), "InvalidJWT"),
        ("1", "x".to_owned(), "InvalidJWT"),
        ("1", String::new(), "InvalidJWT"),
    ] {
        let answer = read(&stage, name, &token).await;
        assert_eq!(answer.error(), (400, code), "{name} {token} {answer:?}");
    }
    let without = stage.get("/object/sign/b/1").await;
    let message = "querystring must have required property 'token'";
    assert_error(&without, 400, ["400", "Error", "InvalidRequest", message]);
}

// rows: S07 S06 U10
#[tokio::test]
async fn a_signed_upload_is_that_of_whoever_signed_it() {
    let stage = Stage::new().await;
    stage.bucket("b", false).await;
    stage.sql(OWN_FOLDER).await;
    let path = format!("b/{ASHA}/1");
    let sign = |who| stage.by(who, Method::POST, &format!("/object/upload/sign/{path}"));
    assert_eq!(sign(Who::User(RAVI)).await.error(), (400, "AccessDenied"));
    let url = sign(Who::User(ASHA)).await.ok()["url"].as_str().expect("a URL").to_owned();
    let put = || stage.call(Method::PUT, &url).body("text/plain", "signed").header("x-upsert", "true");
    let answer = put().await.ok();
    assert_eq!(answer, json!({"Key": path}));
    let owner = stage.text("select owner_id from storage.objects").await;
    assert_eq!(owner, ASHA.to_string());
    let again = put().await;
    assert_eq!(again.error(), (400, "KeyAlreadyExists"), "the token says whether it replaces");
    let url = sign(Who::User(ASHA)).header("x-upsert", "true").await.ok()["url"]
        .as_str()
        .expect("a URL")
        .to_owned();
    stage.call(Method::PUT, &url).body("text/plain", "again").await.done();
    let read = stage.get_by(Who::User(ASHA), &format!("/object/{path}")).await;
    assert_eq!(read.text(), "again");
}

// rows: S07 S04
#[tokio::test]
async fn a_forged_url_writes_nothing() {
    let stage = private().await;
    let put = |name: &'static str, token: String| {
        stage.call(Method::PUT, &format!("/object/upload/sign/b/{name}?token={token}")).bytes("forged")
    };
    let upload = token(&stage, Purpose::Upload, "b/3", json!({"upsert": true}));
    for (name, token, code) in [
        ("4", upload.clone(), "InvalidSignature"),
        ("1", token(&stage, Purpose::Download, "b/1", json!({"upsert": true})), "InvalidSignature"),
        (
            "1",
            banyan_testkit::token("service_role", None, json!({"url": "b/1", "scope": "upload"})),
            "InvalidSignature",
        ),
        ("3", upload[1..].to_owned(), "InvalidJWT"),
    ] {
        let answer = put(name, token).await;
        assert_eq!(answer.error(), (400, code), "{name} {answer:?}");
    }
    put("3", upload.clone()).await.done();
    stage.wait(60);
    assert_eq!(put("3", upload).await.error(), (400, "InvalidJWT"));
    assert_eq!(stage.number("select count(*) from storage.objects").await, 3);
}
