//! A slow hook slows who waits for it, and nobody else.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::{
    fake::{Fake, Said},
    stage::{ASHA, RAVI, Stage},
};

const SECRET: &str = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SLOW: Duration = Duration::from_millis(1500);
/// The stage's pool has four connections.
const AT_ONCE: usize = 12;

fn hook(point: &str, uri: &str) -> String {
    format!(
        "[auth.rate_limit]\nsign_in_sign_ups = 1000\n[auth.hook.{point}]\nenabled = true\nuri = \"{uri}\"\nsecrets = \"{SECRET}\"\n"
    )
}

/// Does what meets the hook often and at once, and looks meanwhile how long others wait for their answer.
async fn others_wait<F>(stage: &Stage, token: &str, request: impl Fn(Stage, usize) -> F) -> Duration
where
    F: Future<Output = u16> + Send + 'static,
{
    let running: Vec<_> = (0..AT_ONCE).map(|number| tokio::spawn(request(stage.clone(), number))).collect();
    let mut longest = Duration::ZERO;
    while !running.iter().all(tokio::task::JoinHandle::is_finished) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let began = Instant::now();
        assert_eq!(stage.get("/user/sessions").bearer(token).send().await.status, 200);
        longest = longest.max(began.elapsed());
    }
    for one in running {
        assert_eq!(one.await.unwrap(), 200);
    }
    longest
}

#[tokio::test]
async fn auth_c15_m22_a_slow_mail_hook_holds_no_connection() {
    let fake = Fake::start(|asked, _| {
        let slow = asked.json()["user"]["email"] != ASHA;
        Said::json(200, &json!({})).after(if slow { SLOW } else { Duration::ZERO })
    })
    .await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    stage.ask(ASHA).await;
    let code = fake.asked()[0].json()["email_data"]["token"].as_str().unwrap().to_owned();
    let session = stage.verify(ASHA, &code).await;
    let began = Instant::now();
    let longest = others_wait(&stage, session.text("access_token"), async |stage, number| {
        stage.ask(&format!("u{number}@example.com")).await.status
    })
    .await;
    assert!(longest < SLOW / 2, "others waited {longest:?}");
    assert!(began.elapsed() < SLOW * 2, "they all wait together: {:?}", began.elapsed());
    assert_eq!(fake.asked().len(), AT_ONCE + 1);
}

#[tokio::test]
async fn auth_c15_hk7_a_slow_claims_hook_leaves_connections_to_others() {
    let fake = Fake::start(|asked, index| {
        let claims = asked.json()["claims"].clone();
        Said::json(200, &json!({"claims": claims})).after(if index == 0 { Duration::ZERO } else { SLOW / 2 })
    })
    .await;
    let stage = Stage::with(&hook("custom_access_token", &fake.url)).await;
    let session = stage.sign_in(ASHA).await;
    let mut codes = Vec::new();
    for number in 0..AT_ONCE {
        let email = format!("u{number}@example.com");
        stage.ask(&email).await;
        codes.push((email.clone(), stage.code(&email).await));
    }
    let codes = Arc::new(codes);
    let longest = others_wait(&stage, session.text("access_token"), |stage, number| {
        let codes = Arc::clone(&codes);
        async move { stage.verify(&codes[number].0, &codes[number].1).await.status }
    })
    .await;
    assert!(longest < SLOW / 4, "others waited {longest:?}");
}

#[tokio::test]
async fn auth_c15_hk12_a_function_that_asks_the_service_itself_gets_its_answer() {
    let stage = Stage::with(&hook("custom_access_token", "functions:///claims")).await;
    let other = stage.clone();
    stage.call_functions_by(Arc::new(move |request: http::Request<banyan_auth::Body>| {
        let stage = other.clone();
        Box::pin(async move {
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let event: Value = serde_json::from_slice(&body).unwrap();
            let key = stage.service_key();
            let path = format!("/admin/users/{}", event["user_id"].as_str().unwrap());
            let user = stage.get(&path).header("apikey", &key).bearer(&key).send().await;
            let mut claims = event["claims"].clone();
            claims["known"] = json!(user.status);
            let answer = json!({"claims": claims}).to_string();
            http::Response::new(Full::from(answer).map_err(|never| match never {}).boxed_unsync())
        })
    }));
    let mut running = Vec::new();
    for number in 0..AT_ONCE {
        let email = format!("u{number}@example.com");
        stage.ask(&email).await;
        let (stage, code) = (stage.clone(), stage.code(&email).await);
        running.push(tokio::spawn(async move { stage.verify(&email, &code).await }));
    }
    for one in running {
        let session = one.await.unwrap();
        assert_eq!(session.status, 200, "{}", session.body);
        assert!(stage.claims(session.text("access_token"))["known"].is_number());
    }
}

#[tokio::test]
async fn auth_hk1_a_hook_elsewhere_hears_of_a_new_account_once_it_is_there() {
    let fake = Fake::start(|_, _| Said::json(500, &json!({}))).await;
    let stage = Stage::with(&hook("after_user_created", &fake.url)).await;
    assert_eq!(stage.ask(ASHA).await.status, 200, "what it says of that undoes nothing");
    assert_eq!(fake.asked()[0].json()["user"]["email"], ASHA);
    assert_eq!(stage.ask(RAVI).await.status, 200);
}

#[tokio::test]
async fn auth_hk8_m36_a_notice_that_cannot_be_sent_undoes_nothing() {
    let fake = Fake::start(|asked, _| {
        let notice = asked.json()["email_data"]["email_action_type"] == "password_changed_notification";
        Said::json(if notice { 500 } else { 200 }, &json!({}))
    })
    .await;
    let toml = format!(
        "{}[auth.email.notification.password_changed]\nenabled = true\n",
        hook("send_email", &fake.url)
    );
    let stage = Stage::with(&toml).await;
    let body = json!({"email": ASHA, "password": "long enough"});
    let session = stage.post("/signup", &body).send().await;
    let token = session.text("access_token");
    let put = stage.put("/user", &json!({"password": "another one"})).bearer(token).send().await;
    assert_eq!(put.status, 200, "{}", put.body);
    assert_eq!(fake.asked().len(), 1);
}
