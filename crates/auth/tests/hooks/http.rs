//! Hooks that are asked by HTTP.

use super::{OTHER, SECRET, hook};
use crate::{
    fake_server::{Fake, Said},
    support::{ASHA, Stage},
};
use banyan_testkit::CapturedLog;
use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use serde_json::json;
use sha2::Sha256;
use std::time::Instant;

// rows: HK3 HK10
#[tokio::test]
async fn an_http_hook_is_called_with_signatures_that_check() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let config = hook("before_user_created", &fake.url).replace(SECRET, &format!("{SECRET}|{OTHER}"));
    let stage = Stage::with(&config).await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
    let asked = fake.asked().remove(0);
    assert_eq!(asked.json()["user"]["email"], ASHA);
    assert_eq!(asked.headers["content-type"], "application/json");
    let (id, timestamp) = (&asked.headers["webhook-id"], &asked.headers["webhook-timestamp"]);
    assert_eq!(*timestamp, stage.now().unix_timestamp().to_string());
    let expected: Vec<String> = [SECRET, OTHER]
        .iter()
        .map(|secret| {
            let key = STANDARD.decode(secret.strip_prefix("v1,whsec_").unwrap()).unwrap();
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
            mac.update(format!("{id}.{timestamp}.{}", asked.json()).as_bytes());
            format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
        })
        .collect();
    assert_eq!(asked.headers["webhook-signature"], expected.join(", "));
}

// rows: HK4 HK5
#[tokio::test]
async fn answers_of_http_hooks_are_read_as_documented() {
    let said = |index: usize| match index {
        0 => Said::text(204, "text/plain", ""),
        1 => Said::json(202, &json!({})),
        2 => Said::json(200, &json!({"error": {"http_code": 418, "message": "tea only"}})),
        3 => Said::text(200, "text/html", "<p>"),
        4 => Said::json(403, &json!({})),
        5 => Said::text(200, "application/json", "{"),
        6 => Said::json(200, &json!({"long": "x".repeat(201 * 1024)})),
        _ => Said::json(503, &json!({})),
    };
    let fake = Fake::start(move |_, index| said(index)).await;
    let stage = Stage::with(&hook("before_user_created", &fake.url)).await;
    let expected = [
        (200, ""),
        (200, ""),
        (418, "unknown"),
        (400, "hook_payload_invalid_content_type"),
        (500, "unexpected_failure"),
        (500, "unexpected_failure"),
        (422, "hook_payload_over_size_limit"),
        (500, "unexpected_failure"),
    ];
    for (index, expected) in expected.into_iter().enumerate() {
        let answer = stage.ask(&format!("user{index}@example.com")).await;
        assert_eq!(answer.error(), expected, "{index}: {}", answer.json());
    }
    assert_eq!(fake.asked().len(), 8, "none of them is asked twice");
}

// rows: HK4
#[tokio::test]
async fn a_hook_that_asks_to_come_back_is_asked_three_times() {
    let busy = |index: usize| {
        if index < 2 {
            Said::json(429, &json!({})).with("retry-after", "true")
        } else {
            Said::json(200, &json!({}))
        }
    };
    let fake = Fake::start(move |_, index| busy(index)).await;
    let stage = Stage::with(&hook("before_user_created", &fake.url)).await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
    let ids: std::collections::BTreeSet<String> =
        fake.asked().into_iter().map(|asked| asked.headers["webhook-id"].clone()).collect();
    assert_eq!(ids.len(), 3, "each call has its id");
}

// rows: HK3
#[tokio::test]
async fn a_hook_that_is_not_there_or_never_answers_ends_within_five_seconds() {
    let stage = Stage::with(&hook("before_user_created", "http://127.0.0.1:1/")).await;
    let began = Instant::now();
    let refused = stage.ask(ASHA).await;
    assert_eq!(refused.error(), (422, "hook_timeout_after_retry"), "{}", refused.json());
    assert!(began.elapsed().as_secs() < 7);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let stage = Stage::with(&hook("before_user_created", &silent)).await;
    let began = Instant::now();
    assert_eq!(stage.ask(ASHA).await.error(), (422, "hook_timeout"));
    assert!(began.elapsed().as_secs() < 7);
}

// rows: HK1
#[tokio::test]
async fn the_log_tells_why_a_hook_could_not_be_told() {
    let stage = Stage::with(&hook("after_user_created", "functions:///greet")).await;
    let (written, _listening) = CapturedLog::listen();
    let signed = stage.post("/signup", json!({"email": ASHA, "password": "long enough"})).await;
    assert_eq!(signed.status, 200, "{}", signed.json());
    let line = written.lines("a hook could not be told of what was done").remove(0);
    for told in ["after_user_created", "functions:///greet", "this server hosts no functions"] {
        assert!(line.contains(told), "{told} is not in {line}");
    }
}
