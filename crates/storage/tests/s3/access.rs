//! Who may do what, and what is no signature (CONTRACT.md X01, X02, X04, X11).

use banyan_testkit::{Answer, token};
use http::Method;
use serde_json::{Value, json};
use time::Duration;

use super::client::{Ask, HOST, Keys, ask, ask_as, element, error};
use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who};

/// A stage with an object of Asha's and one of Ravi's, each in a folder of its own.
async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.sql(OWN_FOLDER).await;
    stage.bucket("b", false).await;
    for id in [ASHA, RAVI] {
        assert_eq!(stage.upload(Who::User(id), &format!("b/{id}/note.txt"), "mine").await.status, 200);
    }
    stage
}

fn note(id: uuid::Uuid) -> String {
    format!("/b/{id}/note.txt")
}

// rows: X01
#[tokio::test]
async fn the_static_key_acts_as_the_service() {
    let stage = stage().await;
    for id in [ASHA, RAVI] {
        assert_eq!(ask(&stage, &format!("GET {}", note(id))).send().await.text(), "mine");
    }
}

// rows: X01 R09
#[tokio::test]
async fn a_session_has_the_rights_of_its_user() {
    let stage = stage().await;
    let asha = Keys::user(&stage, ASHA);
    let of = |request: &str, id| ask_as(&stage, &asha, &format!("{request} {}", note(id)));
    assert_eq!(of("GET", ASHA).send().await.text(), "mine");
    assert_eq!(of("PUT", ASHA).body("more").send().await.status, 200);
    assert_eq!(error(&of("GET", RAVI).send().await), (404, "NoSuchKey".into()));
    assert_eq!(of("HEAD", RAVI).send().await.status, 404);
    assert_eq!(error(&of("PUT", RAVI).body("more").send().await), (403, "AccessDenied".into()));
    assert_eq!(error(&of("DELETE", RAVI).send().await), (403, "AccessDenied".into()));
    let begin = ask_as(&stage, &asha, &format!("POST {}?uploads=", note(RAVI)));
    assert_eq!(error(&begin.send().await), (403, "AccessDenied".into()));
    let copy = of("PUT", ASHA).header("x-amz-copy-source", &note(RAVI));
    assert_eq!(error(&copy.send().await), (404, "NoSuchKey".into()));
    let list = ask_as(&stage, &asha, "GET /b?list-type=2").send().await;
    assert_eq!(element(list.text(), "KeyCount").as_deref(), Some("1"));
    assert!(list.text().contains(&ASHA.to_string()));
    assert!(!ask_as(&stage, &asha, "GET /").send().await.text().contains("<Name>"), "no bucket is shown");
    assert_eq!(stage.get_by(Who::User(RAVI), &format!("/object{}", note(RAVI))).await.text(), "mine");
}

// rows: X01 X05 X06 X07 X08 R09
#[tokio::test]
async fn no_operation_gives_or_changes_anything_of_another_user() {
    let stage = stage().await;
    let begun =
        ask_as(&stage, &Keys::user(&stage, ASHA), &format!("POST /b/{ASHA}/big?uploads=")).send().await;
    let upload = element(begun.text(), "UploadId").expect("an id");
    let rows = "select concat((select json_agg(o)::text from storage.objects as o), (select json_agg(b)::text from storage.buckets as b),
        (select json_agg(u)::text from storage.s3_multipart_uploads as u), (select json_agg(p)::text from storage.s3_multipart_uploads_parts as p))";
    let before = stage.text(rows).await;
    let delete = format!("<Delete><Object><Key>{ASHA}/note.txt</Key></Object></Delete>");
    let anon = Keys::session(&stage, &token("anon", None, Value::Null));
    for keys in [Keys::user(&stage, RAVI), anon] {
        for (request, body, status) in [
            ("PUT /new", "", 403),
            ("DELETE /b", "", 409),
            ("GET /b", "", 200),
            ("GET /b?list-type=2", "", 200),
            ("GET /b?versions=", "", 200),
            ("GET /b?uploads=", "", 200),
            ("GET /b/KEY", "", 404),
            ("HEAD /b/KEY", "", 404),
            ("GET /b/KEY?tagging=", "", 404),
            ("PUT /b/KEY", "fire", 403),
            ("DELETE /b/KEY", "", 403),
            ("POST /b?delete=", delete.as_str(), 200),
            ("POST /b/KEY?uploads=", "", 403),
            ("PUT /b/BIG?partNumber=1&uploadId=ID", "fire", 404),
            ("GET /b/BIG?uploadId=ID", "", 404),
            ("POST /b/BIG?uploadId=ID", "", 404),
            ("DELETE /b/BIG?uploadId=ID", "", 404),
        ] {
            let named =
                request.replace("KEY", &format!("{ASHA}/note.txt")).replace("BIG", &format!("{ASHA}/big"));
            let answer = ask_as(&stage, &keys, &named.replace("ID", &upload)).body(body).send().await;
            assert_eq!(answer.status, status, "{request}: {answer:?}");
            let is_told = |told: &str| answer.text().contains(told);
            assert!(!is_told("mine") && !is_told("<Deleted>"), "{request}: {answer:?}");
            assert!(
                request.starts_with("POST") || !is_told(&format!("<Key>{ASHA}")),
                "{request}: {answer:?}"
            );
            assert_eq!(stage.text(rows).await, before, "{request}");
        }
    }
}

// rows: X01 C03 InvalidAccessKeyId
#[tokio::test]
async fn a_session_needs_a_good_token_and_the_anon_key() {
    let stage = stage().await;
    let code = |keys: Keys| {
        let stage = stage.clone();
        async move { error(&ask_as(&stage, &keys, &format!("GET {}", note(ASHA))).send().await) }
    };
    let denied = (403, "AccessDenied".to_owned());
    let good = Keys::user(&stage, ASHA);
    let old = token("authenticated", Some(ASHA), json!({"exp": 1_700_000_000}));
    assert_eq!(code(Keys::session(&stage, &old)).await, denied);
    assert_eq!(code(Keys::session(&stage, "no.token.atall")).await, denied);
    assert_eq!(
        code(Keys::session(&stage, &format!("{}x", good.session_token.clone().unwrap()))).await,
        denied
    );
    let other = |change: fn(&mut Keys)| {
        let mut keys = good.clone();
        change(&mut keys);
        keys
    };
    let wrong = (403, "SignatureDoesNotMatch".to_owned());
    assert_eq!(code(other(|keys| keys.secret = Keys::service().secret)).await, wrong);
    let unknown = (403, "InvalidAccessKeyId".to_owned());
    assert_eq!(code(other(|keys| keys.access_key = Keys::service().access_key)).await, unknown);
    assert_eq!(code(other(|keys| keys.session_token = None)).await, unknown);
    let anonymous = Keys::session(&stage, &token("anon", None, Value::Null));
    assert_eq!(code(anonymous).await, (404, "NoSuchKey".to_owned()));
}

// rows: X02
#[tokio::test]
async fn a_region_is_the_own_one_or_none_in_particular() {
    let stage = stage().await;
    let code = |region: &str| {
        let (stage, keys) = (stage.clone(), Keys { region: region.into(), ..Keys::service() });
        async move { ask_as(&stage, &keys, &format!("GET {}", note(ASHA))).send().await.status }
    };
    for region in ["local", "auto", "us-east-1", ""] {
        assert_eq!(code(region).await, 200, "{region}");
    }
    assert_eq!(code("eu-west-1").await, 403);
}

/// What comes of a request that is changed after it was signed.
async fn changed(stage: &Stage, change: impl FnOnce(&mut Ask)) -> (u16, String) {
    let signed = ask(stage, "PUT /b/changed.txt?x=1").header("x-amz-meta-a", "1").body("body");
    let (authorization, mut sent) = (signed.clone(), signed);
    let signature = authorization.signature();
    change(&mut sent);
    // The request as it is sent, with the signature of the request as it was.
    let headers = sent.headers.iter().map(|(name, _)| name.as_str());
    let mut names: Vec<&str> = headers.chain(["host", "x-amz-content-sha256", "x-amz-date"]).collect();
    names.sort_unstable();
    let query: Vec<String> = sent.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let path = format!("/s3{}?{}", sent.path, query.join("&"));
    let mut call = stage
        .call(sent.method.clone(), &path)
        .header("host", HOST)
        .header("x-amz-date", super::client::date(sent.at))
        .header("x-amz-content-sha256", &sent.payload)
        .header(
            "authorization",
            format!(
                "AWS4-HMAC-SHA256 Credential={}, SignedHeaders={}, Signature={signature}",
                sent.keys.credential(sent.at),
                names.join(";")
            ),
        )
        .header("content-length", sent.body.len().to_string());
    for (name, value) in &sent.headers {
        call = call.header(name, value);
    }
    error(&call.bytes(sent.body.clone()).await)
}

// rows: X02 X03 X04
#[tokio::test]
async fn a_request_that_was_changed_does_nothing() {
    let stage = stage().await;
    let wrong = (403, "SignatureDoesNotMatch".to_owned());
    assert_eq!(changed(&stage, |_| {}).await.0, 200, "as it was signed");
    assert_eq!(ask(&stage, "DELETE /b/changed.txt").send().await.status, 204);
    assert_eq!(changed(&stage, |ask| ask.method = Method::DELETE).await, wrong);
    assert_eq!(changed(&stage, |ask| ask.path = "/b/other.txt".into()).await, wrong);
    assert_eq!(changed(&stage, |ask| ask.query[0].1 = "2".into()).await, wrong);
    assert_eq!(changed(&stage, |ask| ask.query.push(("y".into(), String::new()))).await, wrong);
    assert_eq!(changed(&stage, |ask| ask.headers[0].1 = "2".into()).await, wrong);
    assert_eq!(
        changed(&stage, |ask| ask.headers.push(("x-amz-acl".into(), "public-read".into()))).await,
        wrong
    );
    assert_eq!(changed(&stage, |ask| ask.payload = super::client::hash(b"other")).await, wrong);
    assert_eq!(changed(&stage, |ask| ask.keys.region = "auto".into()).await, wrong);
    assert_eq!(changed(&stage, |ask| ask.at += Duration::SECOND).await, wrong);
    let body = changed(&stage, |ask| ask.body = b"other".to_vec()).await;
    assert_eq!(body, (400, "XAmzContentSHA256Mismatch".to_owned()), "another body under the signed hash");
    assert_eq!(stage.number("select count(*) from storage.objects where name like '%ed.txt'").await, 0);
}

// rows: X02
#[tokio::test]
async fn a_signature_is_neither_old_nor_of_the_future() {
    let stage = stage().await;
    let at = |after: Duration| {
        let mut ask = ask(&stage, &format!("GET {}", note(ASHA)));
        ask.at += after;
        async move { error(&ask.send().await) }
    };
    let skewed = (403, "RequestTimeTooSkewed".to_owned());
    assert_eq!(at(Duration::minutes(14)).await.0, 200);
    assert_eq!(at(Duration::minutes(-14)).await.0, 200);
    assert_eq!(at(Duration::minutes(16)).await, skewed);
    assert_eq!(at(Duration::minutes(-16)).await, skewed);
}

async fn fetch(stage: &Stage, method: Method, url: &str) -> Answer {
    stage.call(method, url).header("host", HOST).await
}

// rows: X02 ExpiredToken
#[tokio::test]
async fn a_signed_url_is_good_for_its_time_method_and_user() {
    let stage = stage().await;
    let of = |keys: &Keys| ask_as(&stage, keys, &format!("GET {}", note(ASHA))).presigned(60);
    let (service, asha, ravi) = (Keys::service(), Keys::user(&stage, ASHA), Keys::user(&stage, RAVI));
    assert_eq!(fetch(&stage, Method::GET, &of(&service)).await.text(), "mine");
    assert_eq!(fetch(&stage, Method::GET, &of(&asha)).await.text(), "mine");
    assert_eq!(error(&fetch(&stage, Method::GET, &of(&ravi)).await), (404, "NoSuchKey".into()));
    let wrong = (403, "SignatureDoesNotMatch".to_owned());
    assert_eq!(error(&fetch(&stage, Method::PUT, &of(&service)).await), wrong);
    let longer = of(&service).replace("Expires=60", "Expires=600");
    assert_eq!(error(&fetch(&stage, Method::GET, &longer).await), wrong);
    let other = of(&service).replace(&ASHA.to_string(), &RAVI.to_string());
    assert_eq!(error(&fetch(&stage, Method::GET, &other).await), wrong);
    let swapped =
        of(&asha).replace(asha.session_token.as_deref().unwrap(), ravi.session_token.as_deref().unwrap());
    assert_eq!(error(&fetch(&stage, Method::GET, &swapped).await), wrong, "another user's token");
    let url = of(&service);
    stage.wait(61);
    assert_eq!(error(&fetch(&stage, Method::GET, &url).await), (400, "ExpiredToken".into()));
}

// rows: X02
#[tokio::test]
async fn a_signed_url_for_an_upload_is_for_no_copy() {
    let stage = stage().await;
    let url = ask(&stage, "PUT /b/up.txt").presigned(60);
    let put = |url: &str| stage.call(Method::PUT, url).header("host", HOST);
    let copy = put(&url).header("x-amz-copy-source", note(RAVI)).await;
    assert_eq!(error(&copy), (403, "AccessDenied".into()));
    assert_eq!(put(&url).body("text/plain", "up").await.status, 200);
    assert_eq!(ask(&stage, "GET /b/up.txt").send().await.text(), "up");
}

// rows: X04
#[tokio::test]
async fn an_error_is_xml_with_its_real_status() {
    let stage = stage().await;
    let answer = ask(&stage, "GET /b/none.txt").send().await;
    assert_eq!((answer.status, answer.header("content-type")), (404, Some("application/xml")));
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Resource>b/none.txt</Resource>\
                    <Code>NoSuchKey</Code><Message>Object not found</Message></Error>";
    assert_eq!(answer.text(), expected);
    let nobody = stage.get("/s3/b/none.txt").await;
    assert_eq!(error(&nobody), (403, "AccessDenied".into()));
    assert_eq!(error(&ask(&stage, "GET /b?acl=").send().await), (501, "NotImplemented".into()));
    let head = ask(&stage, "HEAD /b/none.txt").send().await;
    assert_eq!((head.status, head.text()), (404, ""));
}

// rows: X11
#[tokio::test]
async fn the_protocol_can_be_switched_off() {
    let stage = Stage::with("[storage.s3_protocol]\nenabled = false\n").await;
    let answer = ask(&stage, "GET /").send().await;
    assert_eq!((answer.status, answer["error"].as_str()), (404, Some("Not Found")));
}
