//! A slow hook slows who waits for it, and nobody else.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_web::{Body, full};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::{
    fake_server::{Fake, Said},
    support::{ASHA, RAVI, Stage},
};

const SECRET: &str = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// More than the stage's pool has connections, which are four.
const AT_ONCE: usize = 8;

fn hook(point: &str, uri: &str) -> String {
    format!(
        "[auth.rate_limit]\nsign_in_sign_ups = 1000\n[auth.hook.{point}]\nenabled = true\nuri = \"{uri}\"\nsecrets = \"{SECRET}\"\n"
    )
}

/// Has a hook hold more requests than there are connections, all at once, while others are
/// answered. Where requests wait for the hook with a connection, the hook is not asked by all of
/// them before the first has lost patience with it.
async fn others_go_on<F>(stage: &Stage, fake: &Fake, token: &str, request: impl Fn(Stage, usize) -> F)
where
    F: Future<Output = u16> + Send + 'static,
{
    let before = fake.asked().len();
    let running: Vec<_> = (0..AT_ONCE).map(|number| tokio::spawn(request(stage.clone(), number))).collect();
    fake.was_asked(before + AT_ONCE, |_| true).await;
    for _ in 0..3 {
        assert_eq!(stage.get("/user/sessions").bearer(token).await.status, 200);
    }
    assert!(!running.iter().any(tokio::task::JoinHandle::is_finished), "the hook still holds them all");
    fake.open();
    for one in running {
        assert_eq!(one.await.unwrap(), 200);
    }
}

// rows: C15 M22
#[tokio::test]
async fn a_slow_mail_hook_holds_no_connection() {
    let fake = Fake::start(|asked, _| {
        let said = Said::json(200, &json!({}));
        if asked.json()["user"]["email"] == ASHA { said } else { said.held() }
    })
    .await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    stage.ask(ASHA).await;
    let code = fake.asked()[0].json()["email_data"]["token"].as_str().unwrap().to_owned();
    let session = stage.verify(ASHA, &code).await;
    others_go_on(&stage, &fake, session.field("access_token"), async |stage, number| {
        stage.ask(&format!("u{number}@example.com")).await.status
    })
    .await;
    assert_eq!(fake.asked().len(), AT_ONCE + 1);
}

/// A claims hook that answers the first at once, and holds its answers to the others.
async fn thoughtful_claims() -> Fake {
    Fake::start(|asked, index| {
        let said = Said::json(200, &json!({"claims": asked.json()["claims"]}));
        if index == 0 { said } else { said.held() }
    })
    .await
}

// rows: C15 HK7
#[tokio::test]
async fn a_slow_claims_hook_leaves_connections_to_others() {
    let fake = thoughtful_claims().await;
    let stage = Stage::with(&hook("custom_access_token", &fake.url)).await;
    let session = stage.sign_in(ASHA).await;
    let mut codes = Vec::new();
    for number in 0..AT_ONCE {
        let email = format!("u{number}@example.com");
        stage.ask(&email).await;
        codes.push((email.clone(), stage.code(&email).await));
    }
    let codes = Arc::new(codes);
    others_go_on(&stage, &fake, session.field("access_token"), |stage, number| {
        let codes = Arc::clone(&codes);
        async move { stage.verify(&codes[number].0, &codes[number].1).await.status }
    })
    .await;
}

// rows: C15 HK12
#[tokio::test]
async fn a_function_that_asks_the_service_itself_gets_its_answer() {
    let stage = Stage::with(&hook("custom_access_token", "functions:///claims")).await;
    let other = stage.clone();
    stage.call_functions_by(Arc::new(move |request: http::Request<Body>| {
        let stage = other.clone();
        Box::pin(async move {
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let event: Value = serde_json::from_slice(&body).unwrap();
            let key = stage.service_key();
            let path = format!("/admin/users/{}", event["user_id"].as_str().unwrap());
            let user = stage.get(&path).header("apikey", &key).bearer(&key).await;
            let mut claims = event["claims"].clone();
            claims["known"] = json!(user.status);
            let answer = json!({"claims": claims}).to_string();
            http::Response::new(full(answer))
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
        assert_eq!(session.status, 200, "{}", session.json());
        assert!(stage.claims(session.field("access_token"))["known"].is_number());
    }
}

// rows: HK1
#[tokio::test]
async fn a_hook_elsewhere_hears_of_a_new_account_once_it_is_there() {
    let fake = Fake::start(|_, _| Said::json(500, &json!({}))).await;
    let stage = Stage::with(&hook("after_user_created", &fake.url)).await;
    assert_eq!(stage.ask(ASHA).await.status, 200, "what it says of that undoes nothing");
    assert_eq!(fake.asked()[0].json()["user"]["email"], ASHA);
    assert_eq!(stage.ask(RAVI).await.status, 200);
}

// rows: HK8 M36
#[tokio::test]
async fn a_notice_that_cannot_be_sent_undoes_nothing() {
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
    let session = stage.post("/signup", &body).await;
    let token = session.field("access_token");
    let put = stage.put("/user", json!({"password": "another one"})).bearer(token).await;
    assert_eq!(put.status, 200, "{}", put.json());
    assert_eq!(fake.asked().len(), 1);
}

/// Who waits for a row of one account needs no hook, and holds a connection.
// rows: C15 HK7
#[tokio::test]
async fn a_slow_claims_hook_locks_no_account() {
    let fake = thoughtful_claims().await;
    let stage = Stage::with(&hook("custom_access_token", &fake.url)).await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let signing_in = {
        let stage = stage.clone();
        tokio::spawn(async move { stage.verify(ASHA, &code).await })
    };
    fake.was_asked(2, |_| true).await;
    let token = session.field("access_token");
    let body = json!({"data": {"city": "Pune"}});
    for changed in [stage.put("/user", &body).bearer(token).await, stage.ask(RAVI).await] {
        assert_eq!(changed.status, 200, "{}", changed.json());
    }
    assert!(!signing_in.is_finished(), "the hook is still thinking");
    fake.open();
    assert_eq!(signing_in.await.unwrap().status, 200);
}

// rows: HK7 R8
#[tokio::test]
async fn refreshes_of_one_session_keep_nobody_from_signing_in() {
    let fake = thoughtful_claims().await;
    let stage = Stage::with(&hook("custom_access_token", &fake.url)).await;
    let session = stage.sign_in(ASHA).await;
    stage.ask(RAVI).await;
    let code = stage.code(RAVI).await;
    let refreshing: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (stage, token) = (stage.clone(), session.field("refresh_token").to_owned());
            tokio::spawn(async move { stage.refresh(&token).await })
        })
        .collect();
    fake.was_asked(2, |_| true).await;
    let signing_in = {
        let stage = stage.clone();
        tokio::spawn(async move { stage.verify(RAVI, &code).await })
    };
    fake.was_asked(1, |asked| asked.json()["claims"]["email"] == RAVI).await;
    assert!(!refreshing.iter().any(tokio::task::JoinHandle::is_finished), "asked beside them, not after");
    fake.open();
    assert_eq!(signing_in.await.unwrap().status, 200);
    let mut tokens = std::collections::BTreeSet::new();
    for one in refreshing {
        let refreshed = one.await.unwrap();
        assert_eq!(refreshed.status, 200, "{}", refreshed.json());
        tokens.insert(refreshed.field("refresh_token").to_owned());
    }
    assert_eq!(tokens.len(), 1, "they end up with one token");
}

/// The ways to a new account; each gives 200 once it is made.
async fn new_account(stage: Stage, way: &'static str, number: usize) -> u16 {
    let email = format!("u{number}@example.com");
    let key = stage.service_key();
    let admin =
        |path: &str, body: &Value| stage.post(path, body).header("apikey", &key).bearer(&key).into_future();
    match way {
        "code" => stage.ask(&email).await.status,
        "password" => stage.post("/signup", json!({"email": email, "password": "long enough"})).await.status,
        "anonymous" => stage.post("/signup", json!({})).await.status,
        "invitation" => admin("/invite", &json!({"email": email})).await.status,
        _ => admin("/admin/generate_link", &json!({"type": "magiclink", "email": email})).await.status,
    }
}

const WAYS: [&str; 5] = ["code", "password", "anonymous", "invitation", "link"];

// rows: C15 HK10
#[tokio::test]
async fn a_slow_judge_of_new_accounts_holds_no_connection_whatever_the_way() {
    for way in WAYS {
        let fake = Fake::start(|_, _| Said::json(200, &json!({})).held()).await;
        let toml =
            format!("[auth]\nenable_anonymous_sign_ins = true\n{}", hook("before_user_created", &fake.url));
        let stage = Stage::with(&toml).await;
        let key = stage.service_key();
        stage.post("/admin/users", json!({"email": ASHA})).header("apikey", &key).bearer(&key).await;
        let session = stage.sign_in(ASHA).await;
        others_go_on(&stage, &fake, session.field("access_token"), move |stage, number| {
            new_account(stage, way, number)
        })
        .await;
        assert_eq!(fake.asked().len(), AT_ONCE, "{way}: each is judged once, and who is known is not");
        for asked in fake.asked() {
            let id = asked.json()["user"]["id"].as_str().unwrap().to_owned();
            let known: i64 = sqlx::query_scalar("select count(*) from auth.users where id::text = $1")
                .bind(&id)
                .fetch_one(stage.sql())
                .await
                .unwrap();
            assert_eq!(known, 1, "{way}: the account has the id that was judged");
        }
    }
}

// rows: HK10 HK5
#[tokio::test]
async fn a_judge_elsewhere_keeps_accounts_from_being_made_whatever_the_way() {
    let no = json!({"error": {"http_code": 403, "message": "Not in this school"}});
    let fake = Fake::start(move |_, _| Said::json(200, &no)).await;
    let toml =
        format!("[auth]\nenable_anonymous_sign_ins = true\n{}", hook("before_user_created", &fake.url));
    let stage = Stage::with(&toml).await;
    for (number, way) in WAYS.into_iter().enumerate() {
        assert_eq!(new_account(stage.clone(), way, number).await, 403, "{way}");
    }
    assert_eq!(fake.asked().len(), WAYS.len());
    assert_eq!(stage.number("select count(*) from auth.users").await, 0);
    let world = crate::browser::World::with("", "", &hook("before_user_created", &fake.url)).await;
    let landing = world.sign_in("").await;
    assert_eq!(landing.fragment["error_description"], "Not in this school");
    assert_eq!(world.stage.number("select count(*) from auth.users").await, 0);
}

/// People whom a provider knows come back from there all at once.
// rows: C15 HK10 G11
#[tokio::test]
async fn a_slow_judge_holds_no_connection_of_who_comes_from_a_provider() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({})).held()).await;
    let world = crate::browser::World::with("", "", &hook("before_user_created", &fake.url)).await;
    let stage = &world.stage;
    let key = stage.service_key();
    stage.post("/admin/users", json!({"email": RAVI})).header("apikey", &key).bearer(&key).await;
    let session = stage.sign_in(RAVI).await;
    let mut returns = Vec::new();
    for number in 0..AT_ONCE {
        world.google.person(&number.to_string(), &format!("u{number}@example.com"), true, &json!({}));
        returns.push(world.leave(&crate::browser::World::authorize("")).await);
    }
    let returns = Arc::new(returns);
    others_go_on(stage, &fake, session.field("access_token"), |stage, number| {
        let back = returns[number].clone();
        async move {
            let answer = stage.get(&back.path).header("cookie", &back.cookie).await;
            if crate::browser::Landing::of(&answer).fragment.contains_key("access_token") { 200 } else { 500 }
        }
    })
    .await;
    assert_eq!(stage.number("select count(*) from auth.users").await, AT_ONCE as i64 + 1);
}

// rows: HK5 HK7
#[tokio::test]
async fn who_gets_no_claims_elsewhere_has_no_session() {
    let fake = Fake::start(|_, index| match index {
        0 => Said::json(200, &json!({"error": {"http_code": 403, "message": "Not in this school"}})),
        _ => Said::json(500, &json!({})),
    })
    .await;
    let stage = Stage::with(&hook("custom_access_token", &fake.url)).await;
    for (status, text) in
        [(403, "Not in this school"), (500, "Unexpected status code returned from hook: 500")]
    {
        stage.wait(2);
        stage.ask(ASHA).await;
        let code = stage.code(ASHA).await;
        let refused = stage.verify(ASHA, &code).await;
        assert_eq!((refused.status, refused.field("msg")), (status, text));
        assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
    }
}

// rows: HK7 R7
#[tokio::test]
async fn a_refresh_that_the_hook_fails_can_be_made_again() {
    let fake = Fake::start(|asked, index| match index {
        1 => Said::json(500, &json!({})),
        _ => Said::json(200, &json!({"claims": asked.json()["claims"]})),
    })
    .await;
    let stage = Stage::with(&hook("custom_access_token", &fake.url)).await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(60);
    assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 500);
    stage.wait(60);
    let again = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(again.status, 200, "{}", again.json());
}

/// A function of the project that, asked about anything but its own doing, makes a link for
/// somebody new.
fn that_makes_links(stage: &Stage, answers: fn(&Value) -> Value) {
    let other = stage.clone();
    stage.call_functions_by(Arc::new(move |request: http::Request<Body>| {
        let stage = other.clone();
        Box::pin(async move {
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let event: Value = serde_json::from_slice(&body).unwrap();
            let key = stage.service_key();
            let is_of_link = event["user"]["email"].as_str().is_some_and(|email| email.starts_with("link"));
            if !is_of_link {
                let email = format!("link-{}@example.com", event["metadata"]["uuid"].as_str().unwrap());
                let body = json!({"type": "magiclink", "email": email});
                let call = stage.post("/admin/generate_link", &body).header("apikey", &key).bearer(&key);
                let made = call.await;
                assert_eq!(made.status, 200, "{}", made.json());
            }
            let answer = answers(&event).to_string();
            http::Response::new(full(answer))
        })
    }));
}

// rows: C15 HK12
#[tokio::test]
async fn functions_that_ask_for_what_hooks_judge_get_their_answer() {
    for point in ["custom_access_token", "before_user_created"] {
        let stage = Stage::with(&hook(point, "functions:///judge")).await;
        that_makes_links(&stage, |event| json!({"claims": event["claims"]}));
        let running: Vec<_> = (0..AT_ONCE)
            .map(|number| {
                let stage = stage.clone();
                tokio::spawn(async move {
                    let email = format!("u{number}@example.com");
                    let asked = stage.ask(&email).await;
                    assert_eq!(asked.status, 200, "{}", asked.json());
                    stage.verify(&email, &stage.code(&email).await).await
                })
            })
            .collect();
        for one in running {
            let session = one.await.unwrap();
            assert_eq!(session.status, 200, "{point}: {}", session.json());
        }
    }
}

/// Holds its answer to the first mail, which is a fault; the others go out.
async fn forgetful_mails() -> Fake {
    Fake::start(|_, index| match index {
        0 => Said::json(500, &json!({})).held(),
        _ => Said::json(200, &json!({})),
    })
    .await
}

const CODES: &str = "select count(*) from auth.one_time_tokens";

// rows: M22 HK8
#[tokio::test]
async fn a_code_is_sent_or_taken_back_although_its_client_hangs_up() {
    let fake = forgetful_mails().await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    let impatient = {
        let stage = stage.clone();
        tokio::spawn(async move { stage.ask(ASHA).await })
    };
    fake.was_asked(1, |_| true).await;
    impatient.abort();
    assert_eq!(stage.number(CODES).await, 1, "it is on its way");
    fake.open();
    let began = Instant::now();
    while stage.number(CODES).await != 0 {
        assert!(began.elapsed() < Duration::from_secs(30), "a code that was never sent still counts");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

// rows: M22 HK8
#[tokio::test]
async fn a_code_that_cannot_be_sent_takes_no_newer_one_along() {
    let fake = forgetful_mails().await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    let first = {
        let stage = stage.clone();
        tokio::spawn(async move { stage.ask(ASHA).await })
    };
    fake.was_asked(1, |_| true).await;
    stage.wait(2);
    assert_eq!(stage.ask(ASHA).await.status, 200);
    fake.open();
    assert_eq!(first.await.unwrap().status, 500, "its own client hears of it");
    let code = fake.asked()[1].json()["email_data"]["token"].as_str().unwrap().to_owned();
    assert_eq!(stage.verify(ASHA, &code).await.status, 200);
}
