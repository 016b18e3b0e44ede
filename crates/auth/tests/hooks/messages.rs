//! The hook that sends text messages.

use super::hook;
use crate::{
    fake_server::{Fake, Said},
    support::Stage,
};
use serde_json::json;

const PHONE: &str = "[auth.sms]\nenable_signup = true\nenable_confirmations = true\n";

// rows: HK9 X13
#[tokio::test]
async fn phone_codes_go_out_by_the_sms_hook() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let stage = Stage::with(&format!("{PHONE}{}", hook("send_sms", &fake.url))).await;
    let asked = stage.post("/otp", json!({"phone": "+919800000001"})).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    let told = fake.asked().remove(0).json();
    assert_eq!((&told["sms"]["phone"], &told["sms"]["sms_type"]), (&json!("919800000001"), &json!("sms")));
    assert_eq!(told["user"]["phone"], "919800000001");
    let code = told["sms"]["otp"].as_str().unwrap();
    assert_eq!(code.len(), 6);
    let body = json!({"type": "sms", "phone": "+919800000001", "token": code});
    let session = stage.post("/verify", &body).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["user"]["phone"], "919800000001");
    let again = stage.post("/verify", &body).await;
    assert_eq!(again.error(), (403, "otp_expired"), "once");
}

// rows: HK9 X13
#[tokio::test]
async fn without_a_hook_a_named_provider_fails_when_it_is_used() {
    let stage = Stage::with(&format!("{PHONE}[auth.sms.twilio]\nenabled = true\n")).await;
    let refused = stage.post("/otp", json!({"phone": "+919800000001"})).await;
    assert_eq!(refused.error(), (422, "sms_send_failed"));
    assert_eq!(stage.number("select count(*) from auth.one_time_tokens").await, 0);
}
