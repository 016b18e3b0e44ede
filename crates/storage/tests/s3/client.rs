//! A client that signs its requests as AWS describes it, apart from the service's own code.

use banyan_testkit::{Answer, Call, token};
use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac};
use http::Method;
use serde_json::Value;
use sha2::{Digest, Sha256};
use time::{OffsetDateTime, macros::format_description};
use uuid::Uuid;

use crate::support::Stage;

pub(crate) const HOST: &str = "stack.test:54321";

/// The key of `[storage.s3_protocol]`, as every local stack has it.
const ACCESS_KEY: &str = "625729a08b95bf1b7ff351a663f3a23c";
const SECRET: &str = "850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907";

/// Who signs, and for where.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    pub(crate) access_key: String,
    pub(crate) secret: String,
    pub(crate) session_token: Option<String>,
    pub(crate) region: String,
}

impl Keys {
    /// The static key: `service_role`.
    pub(crate) fn service() -> Self {
        Self {
            access_key: ACCESS_KEY.into(),
            secret: SECRET.into(),
            session_token: None,
            region: "local".into(),
        }
    }

    /// A session of whoever has this token.
    pub(crate) fn session(stage: &Stage, token: &str) -> Self {
        Self {
            access_key: "stub".into(),
            secret: stage.anon_key().into(),
            session_token: Some(token.into()),
            region: "local".into(),
        }
    }

    /// A session of a user.
    pub(crate) fn user(stage: &Stage, id: Uuid) -> Self {
        Self::session(stage, &token("authenticated", Some(id), Value::Null))
    }

    pub(crate) fn key(&self, now: OffsetDateTime) -> Vec<u8> {
        let day = date(now)[..8].to_owned();
        let first = format!("AWS4{}", self.secret).into_bytes();
        [day.as_str(), &self.region, "s3", "aws4_request"]
            .iter()
            .fold(first, |key, part| hmac(&key, part.as_bytes()))
    }

    pub(crate) fn scope(&self, now: OffsetDateTime) -> String {
        format!("{}/{}/s3/aws4_request", &date(now)[..8], self.region)
    }

    pub(crate) fn credential(&self, now: OffsetDateTime) -> String {
        format!("{}/{}", self.access_key, self.scope(now))
    }
}

pub(crate) fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Such as `20130524T000000Z`.
pub(crate) fn date(now: OffsetDateTime) -> String {
    now.format(format_description!("[year][month][day]T[hour][minute][second]Z")).unwrap()
}

/// A request that is signed when it is sent.
#[derive(Clone)]
pub(crate) struct Ask {
    stage: Stage,
    pub(crate) keys: Keys,
    pub(crate) method: Method,
    /// Below `/s3`, escaped.
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    /// Those that are signed beside `host` and `x-amz-date`.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) payload: String,
    pub(crate) body: Vec<u8>,
    pub(crate) at: OffsetDateTime,
}

/// Asks with the static key.
pub(crate) fn ask(stage: &Stage, request: &str) -> Ask {
    ask_as(stage, &Keys::service(), request)
}

/// Asks as somebody: `GET /bucket/key?list-type=2`.
pub(crate) fn ask_as(stage: &Stage, keys: &Keys, request: &str) -> Ask {
    let (method, uri) = request.split_once(' ').unwrap();
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (name.to_owned(), value.to_owned())
    };
    Ask {
        stage: stage.clone(),
        keys: keys.clone(),
        method: method.parse().unwrap(),
        path: path.into(),
        query: query.split('&').filter(|part| !part.is_empty()).map(pair).collect(),
        headers: vec![],
        payload: hash(b""),
        body: vec![],
        at: stage.clock.now(),
    }
}

impl Ask {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// A body whose hash is signed.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.payload = hash(&self.body);
        self
    }

    /// A body of which the header says something else.
    pub(crate) fn encoded(mut self, payload: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.payload = payload.into();
        self
    }

    fn signed_headers(&self) -> Vec<(String, String)> {
        let mut headers = self.headers.clone();
        headers.push(("host".into(), HOST.into()));
        headers.push(("x-amz-date".into(), date(self.at)));
        headers.push(("x-amz-content-sha256".into(), self.payload.clone()));
        headers.extend(
            self.keys.session_token.iter().map(|token| ("x-amz-security-token".into(), token.clone())),
        );
        headers.sort();
        headers
    }

    fn uri(&self) -> String {
        let query: Vec<String> = self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("/s3{}{mark}{}", self.path, query.join("&"))
    }

    fn canonical_query(&self) -> String {
        let mut query: Vec<String> =
            self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        query.sort();
        query.join("&")
    }

    /// The signature of the headers.
    pub(crate) fn signature(&self) -> String {
        let headers = self.signed_headers();
        self.sign(&headers, &self.payload)
    }

    fn sign(&self, headers: &[(String, String)], payload: &str) -> String {
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        let lines: String =
            headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
        let canonical = format!(
            "{}\n/storage/v1/s3{}\n{}\n{lines}\n{}\n{payload}",
            self.method,
            self.path,
            self.canonical_query(),
            names.join(";"),
        );
        let text = format!(
            "AWS4-HMAC-SHA256\n{}\n{}\n{}",
            date(self.at),
            self.keys.scope(self.at),
            hash(canonical.as_bytes())
        );
        hex::encode(hmac(&self.keys.key(self.at), text.as_bytes()))
    }

    /// The signed request, before it is sent.
    pub(crate) fn call(&self) -> Call {
        let headers = self.signed_headers();
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={}, SignedHeaders={}, Signature={}",
            self.keys.credential(self.at),
            names.join(";"),
            self.sign(&headers, &self.payload),
        );
        let mut call =
            self.stage.call(self.method.clone(), &self.uri()).header("authorization", authorization);
        for (name, value) in &headers {
            call = call.header(name, value);
        }
        call.header("content-length", self.body.len().to_string()).bytes(self.body.clone())
    }

    pub(crate) async fn send(&self) -> Answer {
        self.call().await
    }

    /// A URL that is valid for so many seconds, below `/s3`.
    pub(crate) fn presigned(mut self, seconds: u32) -> String {
        let credential = self.keys.credential(self.at).replace('/', "%2F");
        let mut add = |name: &str, value: String| self.query.push((name.into(), value));
        add("X-Amz-Algorithm", "AWS4-HMAC-SHA256".into());
        add("X-Amz-Credential", credential);
        add("X-Amz-Date", date(self.at));
        add("X-Amz-Expires", seconds.to_string());
        if let Some(token) = self.keys.session_token.clone() {
            add("X-Amz-Security-Token", token);
        }
        add("X-Amz-SignedHeaders", "host".into());
        let signature = self.sign(&[("host".into(), HOST.into())], "UNSIGNED-PAYLOAD");
        self.query.push(("X-Amz-Signature".into(), signature));
        self.uri()
    }
}

/// Code and text of an error in XML.
pub(crate) fn error(answer: &Answer) -> (u16, String) {
    (answer.status, element(answer.text(), "Code").unwrap_or_default())
}

/// The text of the first element of this name.
pub(crate) fn element(xml: &str, name: &str) -> Option<String> {
    elements(xml, name).into_iter().next()
}

/// The texts of all elements of this name that hold no others.
pub(crate) fn elements(xml: &str, name: &str) -> Vec<String> {
    let opening = format!("<{name}>");
    let parts = xml.split(&opening).skip(1);
    let text = |part: &str| {
        let text = part.split(&format!("</{name}>")).next().unwrap();
        text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    };
    parts.map(text).collect()
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}
