//! Sessions that a hook elsewhere gives no token (CONTRACT.md HK7).

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    browser::World,
    factors::{code, enroll, verify},
    fake_server::{Fake, Said},
    support::{ASHA, RAVI, Stage},
};

const USERS: &str = "select count(*) from auth.users";
const SESSIONS: &str = "select count(*) from auth.sessions";

fn hook(uri: &str) -> String {
    format!(
        "[auth.hook.custom_access_token]\nenabled = true\nuri = \"{uri}\"\n\
         secrets = \"v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n"
    )
}

fn no() -> Said {
    Said::json(200, &json!({"error": {"http_code": 403, "message": "Not in this school"}}))
}

fn yes(claims: &Value) -> Said {
    Said::json(200, &json!({"claims": claims}))
}

// rows: HK7
#[tokio::test]
async fn an_account_that_gets_no_claims_is_not_made() {
    let fake = Fake::start(|asked, _| match asked.json()["claims"]["email"] == RAVI {
        true => yes(&asked.json()["claims"]),
        false => no(),
    })
    .await;
    let world = World::with("enable_anonymous_sign_ins = true", "", &hook(&fake.url)).await;
    let stage = &world.stage;
    let password = json!({"email": "u1@example.com", "password": "long enough"});
    let id_token =
        world.google.id_token(&json!({"sub": "9", "email": "u2@example.com", "email_verified": true}));
    let id_token = json!({"provider": "google", "id_token": id_token});
    for (path, body) in
        [("/signup", &password), ("/signup", &json!({})), ("/token?grant_type=id_token", &id_token)]
    {
        let refused = stage.post(path, body).await;
        assert_eq!((refused.status, refused.field("msg")), (403, "Not in this school"), "{path}");
        assert_eq!(stage.number(USERS).await, 0, "{path} {body}");
    }
    let landing = world.sign_in("").await;
    assert_eq!(landing.query["error_description"], "Not in this school", "{landing:?}");
    assert_eq!(stage.number("select count(*) from auth.users, auth.identities").await, 0);
    // Who was there before stays, with the sessions of before.
    stage.sign_in(RAVI).await;
    stage.execute("update auth.users set email = 'gone@example.com'").await;
    stage.ask("gone@example.com").await;
    let code = stage.code("gone@example.com").await;
    assert_eq!(stage.verify("gone@example.com", &code).await.status, 403);
    assert_eq!((stage.number(USERS).await, stage.number(SESSIONS).await), (1, 1));
}

// rows: HK7
#[tokio::test]
async fn an_account_that_the_projects_rows_hold_stays_without_a_session() {
    let fake = Fake::start(|_, _| no()).await;
    let stage = Stage::with(&hook(&fake.url)).await;
    stage
        .execute(
            "create table public.kept (id uuid references auth.users);
            create function public.keep() returns trigger language plpgsql security definer as $$
                begin insert into public.kept values (new.id); return new; end $$;
            create trigger keep after insert on auth.users for each row execute function public.keep()",
        )
        .await;
    let body = json!({"email": ASHA, "password": "long enough"});
    assert_eq!(stage.post("/signup", &body).await.status, 403);
    assert_eq!((stage.number(USERS).await, stage.number(SESSIONS).await), (1, 0));
}

// rows: F4 HK7 C1
#[tokio::test]
async fn a_hook_that_fails_while_a_factor_is_verified_ends_no_session() {
    let raised = Arc::new(AtomicUsize::new(0));
    let fake = Fake::start(move |asked, _| {
        let claims = &asked.json()["claims"];
        if claims["aal"] != "aal2" {
            return yes(claims);
        }
        match raised.fetch_add(1, Ordering::Relaxed) {
            0 => Said::json(500, &json!({})),
            1 => no(),
            _ => yes(claims),
        }
    })
    .await;
    let toml = format!("[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n{}", hook(&fake.url));
    let stage = Stage::with(&toml).await;
    let other = stage.sign_in(ASHA).await;
    let mut session = stage.sign_in(ASHA).await;
    let enrolled = enroll(&stage, session.field("access_token"), "phone app").await;
    let (factor, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
    let mut other = other.field("refresh_token").to_owned();
    for status in [500, 403] {
        let refused = verify(&stage, session.field("access_token"), factor, &code(&stage, secret, 0)).await;
        assert_eq!(refused.status, status, "{}", refused.json());
        stage.wait(60);
        session = stage.refresh(session.field("refresh_token")).await;
        assert_eq!(session.status, 200, "{}", session.json());
        assert_eq!(stage.claims(session.field("access_token"))["aal"], "aal1", "nothing was raised");
        let elsewhere = stage.refresh(&other).await;
        assert_eq!(elsewhere.status, 200, "{}", elsewhere.json());
        other = elsewhere.field("refresh_token").to_owned();
    }
    let raised = verify(&stage, session.field("access_token"), factor, &code(&stage, secret, 0)).await;
    assert_eq!(raised.status, 200, "{}", raised.json());
    assert_eq!(stage.claims(raised.field("access_token"))["aal"], "aal2");
    assert_eq!(stage.number(SESSIONS).await, 1, "the lower one ended");
    stage.wait(60);
    let next = stage.refresh(raised.field("refresh_token")).await;
    assert_eq!(stage.claims(next.field("access_token"))["aal"], "aal2", "{}", next.json());
    stage.wait(60);
    assert_eq!(
        stage.refresh(session.field("refresh_token")).await.error(),
        (400, "refresh_token_already_used")
    );
}

// rows: HK7 S4 W10
#[tokio::test]
async fn who_hangs_up_while_claims_are_asked_keeps_the_session_of_before() {
    let pause = Duration::from_millis(600);
    let fake = Fake::start(move |asked, index| {
        yes(&asked.json()["claims"]).after(if index == 1 { pause } else { Duration::ZERO })
    })
    .await;
    let mut config = banyan_testkit::config_with(&hook(&fake.url));
    config.auth.sessions.single_per_user = true;
    let stage = Stage::of(config).await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(60);
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let impatient = {
        let stage = stage.clone();
        tokio::spawn(async move { stage.verify(ASHA, &code).await })
    };
    while fake.asked().len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    impatient.abort();
    let began = Instant::now();
    while stage.number(SESSIONS).await != 1 {
        assert!(began.elapsed() < pause * 10, "a session that nobody has a token of");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.json());
}
