//! Forms of browsers (CONTRACT.md X02, X07).

use banyan_testkit::Answer;
use http::Method;
use serde_json::{Value, json};
use time::{Duration, format_description::well_known::Rfc3339};

use super::client::{HOST, Keys, ask, base64, date, error, hmac};
use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage};

/// A form that a page was given, and its file.
struct Form {
    keys: Keys,
    conditions: Vec<Value>,
    fields: Vec<(String, String)>,
    file: String,
    life: Duration,
}

impl Form {
    fn new(keys: Keys, key: &str) -> Self {
        let conditions = vec![
            json!({"bucket": "b"}),
            json!(["starts-with", "$key", key.split('/').next().unwrap()]),
            json!(["content-length-range", 1, 10]),
            json!(["starts-with", "$x-amz-meta-a", ""]),
        ];
        let fields = vec![("key".into(), key.into()), ("x-amz-meta-a".into(), "1".into())];
        Self { keys, conditions, fields, file: "hello".into(), life: Duration::MINUTE }
    }

    async fn send(mut self, stage: &Stage) -> Answer {
        let now = stage.clock.now();
        let expiration = (now + self.life).format(&Rfc3339).unwrap();
        let policy =
            base64(json!({"expiration": expiration, "conditions": self.conditions}).to_string().as_bytes());
        let signature = hex::encode(hmac(&self.keys.key(now), policy.as_bytes()));
        for (name, value) in [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256".to_owned()),
            ("X-Amz-Credential", self.keys.credential(now)),
            ("X-Amz-Date", date(now)),
            ("Policy", policy),
            ("X-Amz-Signature", signature),
        ] {
            if !self.fields.iter().any(|(found, _)| found == name) {
                self.fields.push((name.into(), value));
            }
        }
        self.fields
            .extend(self.keys.session_token.take().map(|token| ("X-Amz-Security-Token".into(), token)));
        let field = |(name, value): &(String, String)| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let fields: String = self.fields.iter().map(field).collect();
        let file = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"n.txt\"\r\n\
             Content-Type: text/plain\r\n\r\n{}\r\n--x--\r\n",
            self.file
        );
        let call = stage.call(Method::POST, "/s3/b").header("host", HOST);
        call.body("multipart/form-data; boundary=x", fields + &file).await
    }
}

async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.sql(OWN_FOLDER).await;
    stage.bucket("b", false).await;
    stage
}

// rows: X02 X07
#[tokio::test]
async fn a_signed_form_uploads_its_file() {
    let stage = stage().await;
    let answer = Form::new(Keys::service(), "in/${filename}").send(&stage).await;
    assert_eq!((answer.status, answer.header("location")), (204, Some("/b/in/n.txt")), "{answer:?}");
    let get = ask(&stage, "GET /b/in/n.txt").send().await;
    assert_eq!((get.text(), get.header("x-amz-meta-a")), ("hello", Some("1")));
}

// rows: X01 X02
#[tokio::test]
async fn a_form_of_a_session_has_the_rights_of_its_user() {
    let stage = stage().await;
    let asha = Keys::user(&stage, ASHA);
    let own = Form::new(asha.clone(), &format!("{ASHA}/a.txt")).send(&stage).await;
    assert_eq!(own.status, 204, "{own:?}");
    let other = Form::new(asha, &format!("{RAVI}/a.txt")).send(&stage).await;
    assert_eq!(error(&other), (403, "AccessDenied".into()));
}

// rows: X02
#[tokio::test]
async fn a_form_that_was_changed_does_nothing() {
    let stage = stage().await;
    let changed = |change: fn(&mut Form)| {
        let stage = stage.clone();
        async move {
            let mut form = Form::new(Keys::service(), "in/a.txt");
            change(&mut form);
            error(&form.send(&stage).await)
        }
    };
    let denied = (403, "AccessDenied".to_owned());
    assert_eq!(changed(|form| form.fields[0].1 = "out/a.txt".into()).await, denied, "another key");
    assert_eq!(changed(|form| form.fields.push(("acl".into(), "x".into()))).await, denied, "one more field");
    assert_eq!(changed(|form| form.conditions[0] = json!({"bucket": "c"})).await, denied, "another bucket");
    assert_eq!(changed(|form| form.file = "more than ten".into()).await, (413, "EntityTooLarge".into()));
    assert_eq!(changed(|form| form.file = String::new()).await, (400, "EntityTooSmall".into()));
    assert_eq!(changed(|form| form.life = Duration::seconds(-1)).await, (400, "ExpiredToken".into()));
    assert_eq!(changed(|form| form.keys.secret = "x".into()).await, (403, "SignatureDoesNotMatch".into()));
    let policy = |form: &mut Form| form.fields.push(("Policy".into(), base64(b"{}")));
    assert_eq!(changed(policy).await, (403, "SignatureDoesNotMatch".into()), "another policy");
    let twice = changed(|form| form.fields.push(("KEY".into(), "in/b.txt".into()))).await;
    assert_eq!(twice, (400, "InvalidSignature".into()));
    assert_eq!(stage.number("select count(*) from storage.objects").await, 0);
    let unsigned = stage.call(Method::POST, "/s3/b").header("host", HOST);
    let file = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"n\"\r\n\r\n1\r\n--x--\r\n";
    assert_eq!(error(&unsigned.body("multipart/form-data; boundary=x", file).await), denied);
}
