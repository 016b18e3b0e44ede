use banyan_testkit::Answer;
use std::time::Instant;

use serde_json::json;

use crate::{
    passwords::{LEAST_TIME, PASSWORD, sign_up},
    support::{ASHA, RAVI, Stage, wrong},
};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const NEW: &str = "a wholly new password";

async fn sign_in(stage: &Stage, password: &str) -> u16 {
    let body = json!({"email": ASHA, "password": password});
    stage.post("/token?grant_type=password", &body).await.status
}

// rows: H13 U18 V3
#[tokio::test]
async fn who_forgot_the_password_comes_in_by_a_code_and_sets_another() {
    let stage = Stage::new().await;
    let old = sign_up(&stage, ASHA).await;
    let asked = stage.post("/recover", json!({"email": ASHA})).await;
    assert_eq!((asked.status, asked.json()), (200, json!({})));
    assert!(stage.mails(ASHA).await[0].0.contains("reset the password"), "M30");
    let body = json!({"type": "recovery", "email": ASHA, "token": stage.code(ASHA).await});
    let session = stage.post("/verify", &body).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert!(session["user"]["recovery_sent_at"].is_string(), "O8");
    let token = session.field("access_token");
    assert_eq!(stage.put("/user", json!({"password": NEW})).bearer(token).await.status, 200);
    assert_eq!((sign_in(&stage, PASSWORD).await, sign_in(&stage, NEW).await), (400, 200));
    let ended = stage.get("/user").bearer(old.field("access_token")).await;
    assert_eq!(ended.error(), (403, "session_not_found"), "S10: the other sessions end");
    assert_eq!(stage.get("/user").bearer(token).await.status, 200, "this one stays");
}

// rows: M16 V14
#[tokio::test]
async fn who_asks_to_recover_or_resend_does_not_learn_who_has_an_account() {
    let stage = Stage::with("[auth.email]\nenable_confirmations = true\n").await;
    sign_up(&stage, ASHA).await;
    stage.wait(2);
    let timed = async |path: &str, email: &str| {
        let began = Instant::now();
        let answer = stage.post(path, json!({"type": "signup", "email": email})).await;
        ((answer.status, answer.json()), began.elapsed())
    };
    for path in ["/recover", "/resend"] {
        stage.wait(2);
        let (known, known_time) = timed(path, ASHA).await;
        let (unknown, unknown_time) = timed(path, "nobody@example.com").await;
        assert_eq!((known.0, &known), (200, &unknown), "{path}");
        assert!(known_time.min(unknown_time) >= LEAST_TIME, "{path}: {known_time:?} and {unknown_time:?}");
    }
    assert_eq!(stage.mails(ASHA).await.len(), 3, "one each was sent");
    assert!(stage.mails("nobody@example.com").await.is_empty());
}

// rows: M6 M7
#[tokio::test]
async fn sign_in_and_recovery_share_one_slot_and_one_timer() {
    let stage = Stage::with("[auth.email]\nmax_frequency = \"60s\"\n").await;
    stage.ask(ASHA).await;
    let first = stage.code(ASHA).await;
    let refused = stage.post("/recover", json!({"email": ASHA})).await;
    assert_eq!(refused.error(), (429, "over_email_send_rate_limit"));
    stage.wait(61);
    assert_eq!(stage.post("/recover", json!({"email": ASHA})).await.status, 200);
    if first != stage.code(ASHA).await {
        assert_eq!(stage.verify(ASHA, &first).await.error(), (403, "otp_expired"));
    }
}

// rows: H13 K2 T14
#[tokio::test]
async fn a_recovery_link_with_a_challenge_says_so_in_the_session() {
    let mut config = banyan_testkit::config();
    let template = banyan_config::EmailTemplate {
        subject: Some("{{ .ConfirmationURL }}".into()),
        content: Some("x".into()),
    };
    config.auth.templates.insert("recovery".into(), template);
    config.auth.passwords.require_current = true;
    let stage = Stage::of(config).await;
    sign_up(&stage, ASHA).await;
    let body = json!({"email": ASHA, "code_challenge": CHALLENGE, "code_challenge_method": "s256"});
    assert_eq!(stage.post("/recover", &body).await.status, 200);
    let (subject, _) = stage.mails(ASHA).await.pop().unwrap();
    let link = subject.strip_prefix("http://127.0.0.1:54321/auth/v1").unwrap();
    assert!(link.contains("type=recovery") && link.contains("token=pkce_"), "M21: {link}");
    let followed = stage.get(link).await;
    let location = url::Url::parse(followed.header("location").unwrap_or_default()).unwrap();
    let code = location.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
    let body = json!({"auth_code": code, "code_verifier": VERIFIER});
    let session = stage.post("/token?grant_type=pkce", &body).await;
    let token = session.field("access_token");
    assert_eq!(stage.claims(token)["amr"][0]["method"], "recovery");
    let set = stage.put("/user", json!({"password": NEW})).bearer(token).await;
    assert_eq!(set.status, 200, "U12: who recovers has forgotten the current one: {}", set.json());
}

// rows: U10 S10
#[tokio::test]
async fn a_new_password_counts_at_once_and_must_be_another() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let token = session.field("access_token");
    let same = stage.put("/user", json!({"password": PASSWORD})).bearer(token).await;
    assert_eq!(same.error(), (422, "same_password"));
    assert_eq!(same.field("msg"), "New password should be different from the old password.");
    let other = stage.sign_in(ASHA).await;
    let ravi = stage.sign_in(RAVI).await;
    let set = stage.put("/user", json!({"password": NEW})).bearer(token).await;
    assert_eq!((set.status, &set["email"]), (200, &json!(ASHA)));
    assert_eq!((sign_in(&stage, PASSWORD).await, sign_in(&stage, NEW).await), (400, 200));
    assert_eq!(stage.refresh(other.field("refresh_token")).await.status, 400);
    assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 200);
    assert_eq!(stage.refresh(ravi.field("refresh_token")).await.status, 200, "nobody else's session ends");
}

// rows: U10
#[tokio::test]
async fn who_came_by_code_sets_a_first_password() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let set = stage.put("/user", json!({"password": NEW})).bearer(session.field("access_token")).await;
    assert_eq!(set.status, 200, "{}", set.json());
    assert_eq!(sign_in(&stage, NEW).await, 200);
}

// rows: U11 U15 H22
#[tokio::test]
async fn an_older_session_changes_the_password_with_a_nonce() {
    let stage = Stage::with("[auth.email]\nsecure_password_change = true\n").await;
    let session = sign_up(&stage, ASHA).await;
    let token = session.field("access_token").to_owned();
    let fresh = stage.put("/user", json!({"password": "password one"})).bearer(&token).await;
    assert_eq!(fresh.status, 200, "within a day none is needed");
    stage.wait(25 * 3600);
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    let token = refreshed.field("access_token").to_owned();
    let put = async |body: serde_json::Value| stage.put("/user", &body).bearer(&token).await;
    let missing = put(json!({"password": NEW})).await;
    assert_eq!(missing.error(), (400, "reauthentication_needed"));
    assert_eq!(put(json!({"data": {"a": 1}})).await.status, 200, "only passwords need it");
    let early = put(json!({"password": NEW, "nonce": "123456"})).await;
    assert_eq!(early.error(), (422, "reauthentication_not_valid"), "none was sent");
    let asked = stage.get("/reauthenticate").bearer(&token).await;
    assert_eq!((asked.status, asked.json()), (200, json!({})));
    let nonce = stage.code(ASHA).await;
    assert!(stage.mails(ASHA).await.pop().unwrap().0.contains(&nonce), "M35: the subject has the code");
    let refused = put(json!({"password": NEW, "nonce": wrong(&nonce, 1)})).await;
    assert_eq!(
        (refused.error(), refused.field("msg")),
        ((422, "reauthentication_not_valid"), "Nonce has expired or is invalid")
    );
    let as_code = json!({"type": "email", "email": ASHA, "token": nonce});
    assert_eq!(stage.post("/verify", &as_code).await.error(), (403, "otp_expired"), "it signs nobody in");
    assert_eq!(put(json!({"password": NEW, "nonce": nonce})).await.status, 200);
    let again = put(json!({"password": "password two", "nonce": nonce})).await;
    assert_eq!(again.error(), (422, "reauthentication_not_valid"), "it counts once");
}

// rows: U15 M9
#[tokio::test]
async fn the_nonce_cannot_be_guessed_nor_used_by_another() {
    let stage = Stage::with("[auth.email]\nsecure_password_change = true\n").await;
    let (asha, ravi) = (sign_up(&stage, ASHA).await, sign_up(&stage, RAVI).await);
    stage.wait(25 * 3600);
    let (asha, ravi) =
        (stage.refresh(asha.field("refresh_token")).await, stage.refresh(ravi.field("refresh_token")).await);
    stage.get("/reauthenticate").bearer(asha.field("access_token")).await;
    let nonce = stage.code(ASHA).await;
    let put = async |session: &Answer, nonce: &str| {
        let body = json!({"password": NEW, "nonce": nonce});
        stage.put("/user", &body).bearer(session.field("access_token")).await
    };
    assert_eq!(put(&ravi, &nonce).await.error(), (422, "reauthentication_not_valid"));
    for step in 1..=5 {
        assert_eq!(put(&asha, &wrong(&nonce, step)).await.status, 422);
    }
    assert_eq!(put(&asha, &nonce).await.error(), (422, "reauthentication_not_valid"), "no tries are left");
}

// rows: H22 U15
#[tokio::test]
async fn who_has_no_confirmed_address_cannot_reauthenticate() {
    let stage = Stage::with("[auth]\nenable_anonymous_sign_ins = true\n").await;
    let anonymous = stage.post("/signup", json!({})).await;
    let none = stage.get("/reauthenticate").bearer(anonymous.field("access_token")).await;
    assert_eq!(none.error(), (400, "validation_failed"));
    assert_eq!(none.field("msg"), "Reauthentication requires the user to have an email or a phone number");
    let session = sign_up(&stage, ASHA).await;
    stage.execute("update auth.users set email_confirmed_at = null where email is not null").await;
    let unconfirmed = stage.get("/reauthenticate").bearer(session.field("access_token")).await;
    assert_eq!(unconfirmed.error(), (422, "email_not_confirmed"));
    assert_eq!(stage.get("/reauthenticate").await.error(), (401, "no_authorization"));
}

// rows: U12
#[tokio::test]
async fn a_project_can_ask_for_the_current_password() {
    let mut config = banyan_testkit::config();
    config.auth.passwords.require_current = true;
    let stage = Stage::of(config).await;
    let session = sign_up(&stage, ASHA).await;
    let put =
        async |body: serde_json::Value| stage.put("/user", &body).bearer(session.field("access_token")).await;
    assert_eq!(put(json!({"password": NEW})).await.error(), (400, "current_password_required"));
    let wrong = json!({"password": NEW, "current_password": "no"});
    assert_eq!(put(wrong).await.error(), (400, "current_password_invalid"));
    assert_eq!(put(json!({"password": NEW, "current_password": PASSWORD})).await.status, 200);
}

// rows: U12 T14
#[tokio::test]
async fn who_came_by_a_code_or_a_link_need_not_know_the_current_password() {
    for path in ["/recover", "/otp"] {
        for by_link in [false, true] {
            let mut config = banyan_testkit::config();
            config.auth.passwords.require_current = true;
            for name in ["recovery", "magic_link"] {
                let template = banyan_config::EmailTemplate {
                    subject: Some("{{ .TokenHash }}".into()),
                    content: Some("{{ .Token }}".into()),
                };
                config.auth.templates.insert(name.into(), template);
            }
            let stage = Stage::of(config).await;
            sign_up(&stage, ASHA).await;
            stage.post(path, json!({"email": ASHA})).await;
            let hash = stage.mails(ASHA).await.pop().unwrap().0;
            let session = if by_link {
                stage.post("/verify", json!({"type": "email", "token_hash": hash})).await
            } else {
                stage.verify(ASHA, &stage.code(ASHA).await).await
            };
            let token = session.field("access_token");
            let set = stage.put("/user", json!({"password": NEW})).bearer(token).await;
            assert_eq!(set.status, 200, "{path}, by link: {by_link}: {}", set.json());
        }
    }
}

// rows: U13
#[tokio::test]
async fn with_a_second_factor_what_signs_in_changes_at_aal2_only() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    stage
        .execute(
            "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
            select gen_random_uuid(), id, 'totp', 'verified', now(), now() from auth.users",
        )
        .await;
    let put =
        async |body: serde_json::Value| stage.put("/user", &body).bearer(session.field("access_token")).await;
    assert_eq!(put(json!({"password": NEW})).await.error(), (401, "insufficient_aal"));
    assert_eq!(put(json!({"email": RAVI})).await.error(), (401, "insufficient_aal"));
    assert_eq!(put(json!({"email": ASHA, "data": {"a": 1}})).await.status, 200, "no change of either");
    stage.execute("update auth.sessions set aal = 'aal2'").await;
    assert_eq!(put(json!({"password": NEW})).await.status, 200);
}

// rows: U16
#[tokio::test]
async fn accounts_of_single_sign_on_are_not_changed_here() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    stage.execute("update auth.users set is_sso_user = true").await;
    for body in [json!({"password": NEW}), json!({"email": RAVI})] {
        let refused = stage.put("/user", &body).bearer(session.field("access_token")).await;
        assert_eq!(refused.error(), (422, "user_sso_managed"), "{body}");
    }
}

// rows: U9
#[tokio::test]
async fn a_new_number_agrees_by_its_code() {
    let toml = "[auth.sms]\nenable_signup = true\nenable_confirmations = true\n[auth.sms.test_otp]\n919800000000 = \"123456\"\n";
    let stage = Stage::with(toml).await;
    let session = sign_up(&stage, ASHA).await;
    let put = async |phone: &str| {
        stage.put("/user", json!({"phone": phone})).bearer(session.field("access_token")).await
    };
    assert_eq!(put("12-34").await.error(), (400, "validation_failed"));
    let asked = put("+919800000000").await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    assert_eq!((&asked["new_phone"], &asked["phone"]), (&json!("919800000000"), &json!("")), "O9");
    assert_eq!(put("919800000000").await.error(), (429, "over_sms_send_rate_limit"));
    let verify = json!({"type": "phone_change", "phone": "919800000000", "token": "123456"});
    let done = stage.post("/verify", &verify).await;
    assert_eq!((done.status, &done["user"]["phone"]), (200, &json!("919800000000")), "{}", done.json());
    assert_eq!(done["user"]["app_metadata"]["providers"], json!(["email", "phone"]), "O12");
    let ravi = sign_up(&stage, RAVI).await;
    let taken = stage.put("/user", json!({"phone": "919800000000"})).bearer(ravi.field("access_token")).await;
    assert_eq!(taken.error(), (422, "phone_exists"));
}

// rows: H12 M15
#[tokio::test]
async fn what_is_pending_is_sent_again() {
    let toml = "[auth.email]\nenable_confirmations = true\n[auth.sms]\nenable_signup = true\n";
    let stage = Stage::with(toml).await;
    let of = async |body: serde_json::Value| stage.post("/resend", &body).await;
    for body in [
        json!({"type": "magiclink", "email": ASHA}),
        json!({"type": "signup", "phone": "919800000000"}),
        json!({"type": "sms", "email": ASHA}),
        json!({"type": "signup"}),
    ] {
        assert_eq!(of(body.clone()).await.error(), (400, "validation_failed"), "{body}");
    }
    let user = sign_up(&stage, ASHA).await;
    assert_eq!(
        of(json!({"type": "signup", "email": ASHA})).await.error(),
        (429, "over_email_send_rate_limit")
    );
    stage.wait(2);
    assert_eq!(of(json!({"type": "signup", "email": ASHA})).await.status, 200);
    assert_eq!(stage.mails(ASHA).await.len(), 2);
    let confirmed = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(confirmed["user"]["id"], user["id"]);
    stage.wait(2);
    assert_eq!(of(json!({"type": "signup", "email": ASHA})).await.status, 200);
    stage.wait(6);
    assert_eq!(of(json!({"type": "email_change", "email": ASHA})).await.status, 200);
    assert_eq!(of(json!({"type": "phone_change", "phone": "919800000000"})).await.status, 200);
    stage.wait(6);
    assert_eq!(of(json!({"type": "sms", "phone": "919800000000"})).await.status, 200);
    assert_eq!(stage.mails(ASHA).await.len(), 2, "nothing is pending, nothing is sent");
}

/// A project that asks for the current password, and does not count requests.
async fn careful() -> Stage {
    let mut config = banyan_testkit::config();
    config.auth.passwords.require_current = true;
    config.auth.rate_limits.sign_in_sign_ups = 1000;
    Stage::of(config).await
}

// rows: PW1 U12
#[tokio::test]
async fn guesses_of_the_current_password_are_counted_like_sign_ins() {
    let stage = careful().await;
    let session = sign_up(&stage, ASHA).await;
    let put = async |current: &str| {
        let body = json!({"password": NEW, "current_password": current});
        stage.put("/user", &body).bearer(session.field("access_token")).await
    };
    let sign_in = json!({"email": ASHA, "password": "a guess"});
    for _ in 0..10 {
        assert_eq!(put("a guess").await.error(), (400, "current_password_invalid"));
        let refused = stage.post("/token?grant_type=password", &sign_in).await;
        assert_eq!(refused.error(), (400, "invalid_credentials"));
    }
    assert_eq!(
        put(PASSWORD).await.error(),
        (429, "over_request_rate_limit"),
        "nor is the right one looked at"
    );
    stage.wait(301);
    assert_eq!(put(PASSWORD).await.status, 200);
}

// rows: PW1 U12
#[tokio::test]
async fn a_right_current_password_costs_no_try() {
    let stage = careful().await;
    let session = sign_up(&stage, ASHA).await;
    let (mut current, mut next) = (PASSWORD, NEW);
    for times in 0..22 {
        let body = json!({"password": next, "current_password": current});
        let changed = stage.put("/user", &body).bearer(session.field("access_token")).await;
        assert_eq!(changed.status, 200, "{times}: {}", changed.json());
        std::mem::swap(&mut current, &mut next);
    }
}

// rows: U11
#[tokio::test]
async fn an_older_session_does_not_learn_the_password_without_the_nonce() {
    let stage = Stage::with("[auth.email]\nsecure_password_change = true\n").await;
    let session = sign_up(&stage, ASHA).await;
    stage.wait(25 * 3600);
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    for guess in ["a wrong guess", PASSWORD] {
        let body = json!({"password": guess});
        let refused = stage.put("/user", &body).bearer(refreshed.field("access_token")).await;
        assert_eq!(refused.error(), (400, "reauthentication_needed"), "{guess}");
    }
}

// rows: U11 U12
#[tokio::test]
async fn who_leaves_the_current_password_out_loses_neither_the_nonce_nor_a_try() {
    let mut config = banyan_testkit::config();
    config.auth.passwords.require_current = true;
    config.auth.passwords.require_reauthentication = true;
    config.auth.rate_limits.sign_in_sign_ups = 1000;
    let stage = Stage::of(config).await;
    let session = sign_up(&stage, ASHA).await;
    stage.wait(25 * 3600);
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    let token = refreshed.field("access_token");
    stage.get("/reauthenticate").bearer(token).await;
    let nonce = stage.code(ASHA).await;
    let put = async |body: serde_json::Value| stage.put("/user", &body).bearer(token).await;
    for _ in 0..25 {
        let forgotten = put(json!({"password": NEW, "nonce": nonce})).await;
        assert_eq!(forgotten.error(), (400, "current_password_required"));
    }
    let whole = put(json!({"password": NEW, "nonce": nonce, "current_password": PASSWORD})).await;
    assert_eq!(whole.status, 200, "{}", whole.json());
}
