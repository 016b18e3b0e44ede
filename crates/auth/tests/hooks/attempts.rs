//! Hooks that judge attempts at passwords and factors.

use super::{answers, function};
use crate::{
    factors,
    passwords::LEAST_TIME,
    support::{ASHA, RAVI, Stage},
};
use banyan_testkit::CapturedLog;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A slow hook raises the pace of refusals for all: whoever tries an account, or an address that
/// nobody has, sees the same times.
// rows: PW9 C12
#[tokio::test]
async fn refusals_take_as_long_as_the_slowest_of_late_at_known_and_unknown_addresses() {
    let slow = LEAST_TIME + Duration::from_millis(100);
    let stage = Stage::with(&function("password_verification_attempt")).await;
    crate::passwords::sign_up(&stage, ASHA).await;
    let refused = async |email: &str| {
        let (began, body) = (Instant::now(), json!({"email": email, "password": "wrong horse"}));
        let refused = stage.post("/token?grant_type=password", &body).await;
        assert_eq!(refused.error(), (400, "invalid_credentials"), "{email}");
        began.elapsed()
    };
    answers(&stage, "begin perform pg_sleep(0.4); return '{\"decision\": \"continue\"}'; end").await;
    refused(ASHA).await;
    answers(&stage, "begin return '{\"decision\": \"continue\"}'; end").await;
    for turn in 0..2 {
        let (known, unknown) = tokio::join!(refused(ASHA), refused("nobody@example.com"));
        assert!(known.min(unknown) >= slow, "turn {turn}: {known:?} and {unknown:?}");
    }
}

/// A thief began a change; the hook takes their session away.
// rows: HK11 S8
#[tokio::test]
async fn a_sign_out_by_a_hook_ends_changes_that_are_under_way() {
    let stage = Stage::with(&function("password_verification_attempt")).await;
    crate::passwords::sign_up(&stage, ASHA).await;
    let thief = stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.put("/user", json!({"email": RAVI})).bearer(thief.field("access_token")).await;
    answers(&stage, "begin return '{\"decision\": \"reject\", \"should_logout_user\": true}'; end").await;
    let body = json!({"email": ASHA, "password": "wrong horse"});
    assert_eq!(stage.post("/token?grant_type=password", &body).await.status, 400);
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
    let body = json!({"type": "email_change", "email": RAVI, "token": stage.code(RAVI).await});
    assert_eq!(stage.post("/verify", &body).await.error(), (403, "otp_expired"));
}

// rows: HK11
#[tokio::test]
async fn the_log_tells_of_a_decision_that_is_none() {
    let stage = Stage::with(&function("password_verification_attempt")).await;
    crate::passwords::sign_up(&stage, ASHA).await;
    answers(&stage, "begin return '{\"decision\": \"deny\"}'; end").await;
    let (written, _listening) = CapturedLog::listen();
    let body = json!({"email": ASHA, "password": crate::passwords::PASSWORD});
    let session = stage.post("/token?grant_type=password", &body).await;
    assert_eq!(session.status, 200, "as in the reference: {}", session.json());
    let line = written.lines("a hook's decision is unknown").remove(0);
    assert!(line.contains("deny") && line.contains("password_verification_attempt"), "{line}");
}

// rows: HK11
#[tokio::test]
async fn a_decision_that_is_no_text_is_a_hook_that_failed() {
    let stage = Stage::with(&function("password_verification_attempt")).await;
    crate::passwords::sign_up(&stage, ASHA).await;
    let body = json!({"email": ASHA, "password": crate::passwords::PASSWORD});
    let unclear = "\"reject\", \"should_logout_user\": \"true\"";
    for said in ["false", "[\"reject\"]", "{\"decision\": \"reject\"}", unclear] {
        answers(&stage, &format!("begin return '{{\"decision\": {said}}}'; end")).await;
        let refused = stage.post("/token?grant_type=password", &body).await;
        assert_eq!(refused.error(), (500, "unexpected_failure"), "{said}: {}", refused.json());
    }
    for said in ["\"reject\"", "[\"reject\"]", "true"] {
        answers(&stage, &format!("begin return '{said}'; end")).await;
        let refused = stage.post("/token?grant_type=password", &body).await;
        assert_eq!(refused.error(), (500, "unexpected_failure"), "{said}: {}", refused.json());
    }
    answers(&stage, "begin return '{\"Decision\": \"reject\"}'; end").await;
    assert_eq!(stage.post("/token?grant_type=password", &body).await.status, 400, "as in the reference");
    answers(&stage, "begin return '{\"decision\": null}'; end").await;
    assert_eq!(stage.post("/token?grant_type=password", &body).await.status, 200);
}

const TOTP: &str = "[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n";

// rows: F9 HK11
#[tokio::test]
async fn the_factor_hook_rejects_and_signs_out_and_keeps_what_it_counts() {
    let stage = Stage::with(&format!("{TOTP}{}", function("mfa_verification_attempt"))).await;
    stage
        .execute("create table public.tries (event jsonb); grant all on public.tries to supabase_auth_admin")
        .await;
    answers(
        &stage,
        "begin
            insert into public.tries values (event);
            if (select count(*) from public.tries where not (tries.event -> 'valid')::boolean) >= 2 then
                return '{\"decision\": \"reject\", \"message\": \"too often\"}';
            end if;
            return '{\"decision\": \"continue\"}';
        end",
    )
    .await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let enrolled = factors::enroll(&stage, token, "a").await;
    let (id, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
    let wrong = factors::verify(&stage, token, id, &factors::code(&stage, secret, 9)).await;
    assert_eq!(wrong.error(), (422, "mfa_verification_failed"));
    let rejected = factors::verify(&stage, token, id, &factors::code(&stage, secret, 9)).await;
    assert_eq!((rejected.error(), rejected.field("msg")), ((403, "mfa_verification_rejected"), "too often"));
    assert_eq!(stage.get("/user").bearer(token).await.error(), (403, "session_not_found"));
    let event: Value =
        sqlx::query_scalar("select event from public.tries limit 1").fetch_one(stage.sql()).await.unwrap();
    assert_eq!((&event["factor_id"], &event["factor_type"]), (&json!(id), &json!("totp")));
    assert_eq!(stage.number("select count(*) from public.tries").await, 2, "rejections are kept");
}

/// The answer of a hook that means to say something, and a change of address that a thief began.
// rows: F9 HK11 S8
#[tokio::test]
async fn the_factor_hook_fails_without_a_word_and_its_sign_out_ends_changes() {
    let no_double = "[auth.email]\ndouble_confirm_changes = false\n";
    let stage = Stage::with(&format!("{no_double}{TOTP}{}", function("mfa_verification_attempt"))).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    stage.wait(2);
    stage.put("/user", json!({"email": RAVI})).bearer(token).await;
    let enrolled = factors::enroll(&stage, token, "a").await;
    let (id, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
    let tried = async |said: &str| {
        answers(&stage, &format!("begin return '{{\"decision\": {said}}}'; end")).await;
        factors::verify(&stage, token, id, &factors::code(&stage, secret, 9)).await
    };
    assert_eq!(tried("true").await.error(), (500, "unexpected_failure"));
    assert_eq!(tried("\"reject\"").await.error(), (403, "mfa_verification_rejected"));
    let body = json!({"type": "email_change", "email": RAVI, "token": stage.code(RAVI).await});
    assert_eq!(stage.post("/verify", &body).await.error(), (403, "otp_expired"));
}

// rows: HK11 PW11
#[tokio::test]
async fn the_password_hook_rejects_right_passwords_too() {
    let stage = Stage::with(&function("password_verification_attempt")).await;
    stage
        .execute("create table public.tries (event jsonb); grant all on public.tries to supabase_auth_admin")
        .await;
    answers(
        &stage,
        "begin insert into public.tries values (event); return '{\"decision\": \"continue\"}'; end",
    )
    .await;
    let signed = stage.post("/signup", json!({"email": ASHA, "password": "long enough"})).await;
    assert_eq!(signed.status, 200, "{}", signed.json());
    let try_with = |password: &'static str| {
        let stage = stage.clone();
        async move {
            let body = json!({"email": ASHA, "password": password});
            stage.post("/token?grant_type=password", &body).await
        }
    };
    assert_eq!(try_with("long enough").await.status, 200);
    assert_eq!(try_with("wrong").await.error(), (400, "invalid_credentials"));
    let valid: Vec<bool> =
        sqlx::query_scalar("select (event -> 'valid')::boolean from public.tries order by 1")
            .fetch_all(stage.sql())
            .await
            .unwrap();
    assert_eq!(valid, [false, true]);
    answers(&stage, "begin return '{\"decision\": \"reject\", \"should_logout_user\": true}'; end").await;
    let began = Instant::now();
    let rejected = try_with("long enough").await;
    assert_eq!(rejected.error(), (400, "invalid_credentials"));
    assert_eq!(rejected.field("msg"), "Further password verification attempts will be rejected.");
    let time = began.elapsed();
    assert!(time >= LEAST_TIME, "only known accounts come to the hook, which no time may tell: {time:?}");
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0, "signed out");
}
