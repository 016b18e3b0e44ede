//! The hook that sends mails.

use super::hook;
use crate::{
    fake_server::{Fake, Said},
    support::{ASHA, RAVI, Stage},
};
use serde_json::{Value, json};

// rows: HK8
#[tokio::test]
async fn the_mail_hook_sends_in_our_stead() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
    assert!(stage.mails(ASHA).await.is_empty(), "nothing goes out twice");
    let asked = fake.asked().remove(0).json();
    let data = &asked["email_data"];
    assert_eq!((&asked["user"]["email"], &data["email_action_type"]), (&json!(ASHA), &json!("magiclink")));
    assert_eq!(data["site_url"], "http://127.0.0.1:54321/auth/v1");
    assert_eq!((&data["token_new"], &data["token_hash_new"]), (&json!(""), &json!("")));
    let body = json!({"type": "email", "token_hash": data["token_hash"]});
    let by_hash = stage.post("/verify", &body).await;
    assert_eq!(by_hash.status, 200, "{}", by_hash.json());
    stage.wait(2);
    stage.ask(ASHA).await;
    let code = fake.asked()[1].json()["email_data"]["token"].as_str().unwrap().to_owned();
    assert_eq!(stage.verify(ASHA, &code).await.status, 200);
}

// rows: HK8
#[tokio::test]
async fn one_call_tells_both_codes_of_an_address_change() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    stage.ask(ASHA).await;
    let code = fake.asked()[0].json()["email_data"]["token"].as_str().unwrap().to_owned();
    let session = stage.verify(ASHA, &code).await;
    let put = stage.put("/user", json!({"email": RAVI})).bearer(session.field("access_token")).await;
    assert_eq!(put.status, 200, "{}", put.json());
    assert_eq!(fake.asked().len(), 2, "one call");
    let data = fake.asked()[1].json()["email_data"].clone();
    assert_eq!(data["email_action_type"], "email_change");
    let confirm = |email: &'static str, token: Value| {
        let body = json!({"type": "email_change", "email": email, "token": token});
        let stage = stage.clone();
        async move { stage.post("/verify", &body).await }
    };
    assert_eq!(confirm(ASHA, data["token"].clone()).await.status, 200, "token is the current address's");
    let body = json!({"type": "email_change", "token_hash": data["token_hash"]});
    let changed = stage.post("/verify", &body).await;
    assert_eq!(changed["user"]["email"], RAVI, "token_hash is the new one's: {}", changed.json());
}

/// `token` is what a hook mails to the current address: the new one's code never stands there.
// rows: HK8 U7
#[tokio::test]
async fn of_a_half_agreed_change_the_hook_is_told_the_other_code_alone() {
    let cases = [
        (ASHA, "token", ["token", "token_hash_new"], ["token_new", "token_hash"]),
        (RAVI, "token_new", ["token_new", "token_hash"], ["token", "token_hash_new"]),
    ];
    for (agrees, by, empty, other) in cases {
        let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
        let stage = half_agreed(&fake, (agrees, by)).await;
        let again = stage.post("/resend", json!({"type": "email_change", "email": ASHA})).await;
        assert_eq!(again.status, 200, "{}", again.json());
        let data = fake.asked()[2].json()["email_data"].clone();
        assert_eq!(empty.map(|key| data[key].clone()), ["", ""].map(Value::from), "{agrees} agreed: {data}");
        let body = json!({"type": "email_change", "token_hash": data[other[1]]});
        let changed = stage.post("/verify", &body).await;
        assert_eq!(changed["user"]["email"], RAVI, "{agrees} agreed: {}", changed.json());
    }
}

// rows: HK8 U7
#[tokio::test]
async fn when_the_mail_hook_fails_no_code_of_a_half_agreed_change_is_kept() {
    let fake = Fake::start(|_, index| Said::json(if index < 2 { 200 } else { 500 }, &json!({}))).await;
    let stage = half_agreed(&fake, (ASHA, "token")).await;
    stage.post("/resend", json!({"type": "email_change", "email": ASHA})).await;
    assert_eq!(fake.asked().len(), 3);
    assert_eq!(stage.number("select count(*) from auth.one_time_tokens").await, 0);
}

/// A stage with the hook, where one of two owners agreed to a change of address by the code that
/// the hook was told as `by`.
async fn half_agreed(fake: &Fake, (agrees, by): (&str, &str)) -> Stage {
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    stage.ask(ASHA).await;
    let told = |at: usize| fake.asked()[at].json()["email_data"].clone();
    let session = stage.verify(ASHA, told(0)["token"].as_str().unwrap()).await;
    stage.put("/user", json!({"email": RAVI})).bearer(session.field("access_token")).await;
    let body = json!({"type": "email_change", "email": agrees, "token": told(1)[by]});
    assert_eq!(stage.post("/verify", &body).await["code"], "200");
    stage.wait(5);
    stage
}

// rows: HK8
#[tokio::test]
async fn when_the_mail_hook_fails_no_code_is_kept() {
    let fake = Fake::start(|_, _| Said::json(500, &json!({}))).await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    assert_eq!(stage.ask(ASHA).await.error(), (500, "unexpected_failure"));
    assert_eq!(stage.number("select count(*) from auth.one_time_tokens").await, 0);
}
