//! Signed URLs, and forged ones.

use http::Method;
use serde_json::{Value, json};

use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who, assert_error};

const SERVICE: Who = Who::Service;

async fn bucket() -> Stage {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    assert_eq!(stage.upload(SERVICE, "a/k/x.txt", "water").await.status, 200);
    stage
}

async fn sign(stage: &Stage, seconds: i64) -> String {
    let signed = stage.post_by(SERVICE, "/object/sign/a/k/x.txt", json!({"expiresIn": seconds})).await;
    signed.ok()["signedURL"].as_str().expect("a URL").to_owned()
}

/// The claims of the token of a URL.
fn claims(stage: &Stage, url: &str) -> Value {
    let (_, token) = url.split_once("?token=").expect("a token");
    let claims = stage.keyring().check_signature(token).expect("signed by the project");
    serde_json::from_str(claims.json()).expect("claims")
}

// rows: S01 S04
#[tokio::test]
async fn a_signed_url_names_one_object_and_no_role() {
    let stage = bucket().await;
    let url = sign(&stage, 60).await;
    assert!(url.starts_with("/object/sign/a/k/x.txt?token="), "{url}");
    let now = stage.clock.now().unix_timestamp();
    let expected = json!({"url": "a/k/x.txt", "scope": "download", "iat": now, "exp": now + 60});
    assert_eq!(claims(&stage, &url), expected);
    assert_eq!(stage.get(&url).await.text(), "water");
    let missing = stage.post_by(SERVICE, "/object/sign/a/none", json!({"expiresIn": 60})).await;
    assert_error(&missing, 400, ["404", "not_found", "NoSuchKey", "Object not found"]);
    let endless = stage.post_by(SERVICE, "/object/sign/a/k/x.txt", json!({"expiresIn": i64::MAX})).await;
    assert_eq!(endless.error(), (400, "InvalidRequest"));
}

// rows: S01 S04
#[tokio::test]
async fn a_body_cannot_put_claims_into_a_token() {
    let stage = bucket().await;
    let body = json!({
        "expiresIn": 60, "role": "service_role", "upsert": true, "owner": "me", "url": "b/y", "scope": "upload",
        "transform": {"width": 10, "role": "service_role"},
    });
    let signed = stage.post_by(SERVICE, "/object/sign/a/k/x.txt", body).await.ok();
    let claims = claims(&stage, signed["signedURL"].as_str().unwrap());
    let names: Vec<_> = claims.as_object().unwrap().keys().collect();
    assert_eq!(names, ["exp", "iat", "scope", "url"]);
}

// rows: S01 I08
#[tokio::test]
async fn a_signed_url_of_an_image_carries_its_transformation() {
    let stage = Stage::with("[storage.image_transformation]\nenabled = true").await;
    stage.bucket("a", false).await;
    stage.upload(SERVICE, "a/x.png", "no image").await;
    let sign = |transform: Value| {
        stage.post_by(SERVICE, "/object/sign/a/x.png", json!({"expiresIn": 60, "transform": transform}))
    };
    let signed = sign(json!({"width": 200, "height": "300", "quality": 60, "format": "origin"})).await.ok();
    let url = signed["signedURL"].as_str().unwrap();
    assert!(url.starts_with("/render/image/sign/a/x.png?token="), "{url}");
    let claims = claims(&stage, url);
    assert_eq!(claims["transformations"], "height:300,width:200,resize:cover,quality:60,format:origin");
    let plain = sign(json!({})).await.ok();
    assert!(plain["signedURL"].as_str().unwrap().starts_with("/object/sign/"));
    let wrong = sign(json!({"quality": 101})).await;
    assert_error(&wrong, 400, ["400", "Error", "InvalidRequest", "body/transform/quality must be <= 100"]);
}

// rows: S02 R09
#[tokio::test]
async fn many_urls_are_signed_in_the_order_of_the_request() {
    let stage = bucket().await;
    stage.upload(SERVICE, "a/y", "fire").await;
    let body = json!({"expiresIn": 60, "paths": ["none", "y", "k/x.txt", "y"]});
    let signed = stage.post_by(SERVICE, "/object/sign/a", body.clone()).await.ok();
    let paths: Vec<_> = signed.as_array().unwrap().iter().map(|one| one["path"].clone()).collect();
    assert_eq!(json!(paths), body["paths"]);
    let error = "Either the object does not exist or you do not have access to it";
    assert_eq!(signed[0], json!({"error": error, "path": "none", "signedURL": null}));
    assert_eq!(signed[2]["error"], Value::Null);
    assert_eq!(stage.get(signed[2]["signedURL"].as_str().unwrap()).await.text(), "water");
    let hidden = stage.post_by(Who::User(ASHA), "/object/sign/a", body).await.ok();
    assert!(hidden.as_array().unwrap().iter().all(|one| one["error"] == error));
}

// rows: S06 R01
#[tokio::test]
async fn a_url_for_an_upload_is_signed_for_who_may_insert() {
    let stage = bucket().await;
    stage.sql("create policy own on storage.objects for insert to authenticated with check ((storage.foldername(name))[1] = auth.uid()::text)").await;
    let path = format!("/object/upload/sign/a/{ASHA}/new.txt");
    let sign = |who| stage.by(who, Method::POST, &path).json(json!({}));
    let refused = sign(Who::User(RAVI)).await;
    let message = "new row violates row-level security policy";
    assert_error(&refused, 400, ["403", "Unauthorized", "AccessDenied", message]);
    let signed = sign(Who::User(ASHA)).await.ok();
    let url = signed["url"].as_str().unwrap();
    assert!(url.ends_with(&format!("?token={}", signed["token"].as_str().unwrap())));
    let claims = claims(&stage, url);
    let life = claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap();
    assert_eq!((&claims["scope"], &claims["upsert"], life), (&json!("upload"), &json!(false), 7200));
    assert_eq!(claims["owner"], json!(ASHA));
    assert_eq!(stage.number("select count(*) from storage.objects").await, 1);
    let uploaded = stage.call(Method::PUT, url).body("text/plain", "new").await;
    assert_eq!(uploaded.ok(), json!({"Key": format!("a/{ASHA}/new.txt")}));
    let taken = sign(Who::User(ASHA)).await;
    assert_error(&taken, 400, ["409", "Duplicate", "KeyAlreadyExists", "The resource already exists"]);
    let upsert = sign(Who::User(ASHA)).header("x-upsert", "true").await;
    assert_eq!(upsert.error(), (400, "AccessDenied"));
    let nowhere = stage.by(SERVICE, Method::POST, "/object/upload/sign/none/x").json(json!({})).await;
    assert_eq!(nowhere.error(), (400, "NoSuchBucket"));
}

// rows: S04 S05 InvalidJWT InvalidSignature
#[tokio::test]
async fn ten_forged_urls_open_nothing() {
    let stage = bucket().await;
    stage.upload(SERVICE, "a/y.txt", "fire").await;
    let good = sign(&stage, 60).await;
    let (_, token) = good.split_once("?token=").unwrap();
    let parts: Vec<&str> = token.split('.').collect();
    let upload = stage.by(SERVICE, Method::POST, "/object/upload/sign/a/k/x.txt").header("x-upsert", "true");
    let upload = upload.json(json!({})).await.ok()["token"].as_str().unwrap().to_owned();
    let anon = stage.config().keys.anon_key.clone();
    let user = banyan_testkit::token("service_role", Some(ASHA), json!({"url": "a/k/x.txt"}));
    let flipped: String = parts[2].chars().rev().collect();
    let forged = [
        ("another object", "/object/sign/a/y.txt", token.to_owned()),
        ("another form of the name", "/object/sign/a/k/../k/x.txt", token.to_owned()),
        ("another bucket", "/object/sign/b/k/x.txt", token.to_owned()),
        ("changed claims", "/object/sign/a/y.txt", token_with_url(&parts, "a/y.txt")),
        ("another signature", "/object/sign/a/k/x.txt", [parts[0], parts[1], &flipped].join(".")),
        ("no signature", "/object/sign/a/k/x.txt", [parts[0], parts[1], ""].join(".")),
        ("no algorithm", "/object/sign/a/k/x.txt", [NO_ALGORITHM, parts[1], ""].join(".")),
        ("a token for uploads", "/object/sign/a/k/x.txt", upload),
        ("the anon key", "/object/sign/a/k/x.txt", anon),
        ("a token of a person", "/object/sign/a/k/x.txt", user),
        ("nothing", "/object/sign/a/k/x.txt", String::new()),
    ];
    for (what, path, token) in forged {
        let answer = stage.get(&format!("{path}?token={token}")).await;
        assert_eq!(answer.status, 400, "{what}: {answer:?}");
        assert!(!answer.text().contains("water"), "{what}");
    }
    stage.wait(61);
    assert_eq!(stage.get(&good).await.error(), (400, "InvalidJWT"));
}

/// `{"alg":"none"}`
const NO_ALGORITHM: &str = "eyJhbGciOiJub25lIn0";

/// The same token, saying that it opens something else.
fn token_with_url(parts: &[&str], url: &str) -> String {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    let claims = URL_SAFE_NO_PAD.decode(parts[1]).expect("claims");
    let mut claims: Value = serde_json::from_slice(&claims).expect("claims");
    claims["url"] = url.into();
    let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
    [parts[0], &claims, parts[2]].join(".")
}

// rows: S08
#[tokio::test]
async fn a_token_of_a_signed_url_is_no_login() {
    let stage = bucket().await;
    stage.sql(OWN_FOLDER).await;
    let url = sign(&stage, 60).await;
    let (_, token) = url.split_once("?token=").unwrap();
    for path in ["/bucket", "/object/authenticated/a/k/x.txt"] {
        let answer = stage.get(path).bearer(token).await;
        assert_eq!(answer.error(), (400, "AccessDenied"), "{path}");
    }
}
