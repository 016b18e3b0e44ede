//! What a new password, a sign-out and a deletion leave of what was begun before
//! (CONTRACT.md U10, D6, S8, D9): nothing.

use banyan_testkit::Answer;
use serde_json::json;

use crate::{
    browser::World,
    factors,
    passwords::{PASSWORD, sign_up},
    support::{ASHA, RAVI, Stage},
};

const NEW: &str = "a wholly new password";
const PHONE: &str = "919800000000";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str =
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256";

/// Sets the password, as its owner or as an admin.
async fn new_password(stage: &Stage, owner: &Answer, by_admin: bool) {
    let body = json!({"password": NEW});
    let set = if by_admin {
        let path = format!("/admin/users/{}", owner["user"]["id"].as_str().unwrap());
        stage.put(&path, &body).bearer(&stage.service_key()).await
    } else {
        stage.put("/user", &body).bearer(owner.field("access_token")).await
    };
    assert_eq!(set.status, 200, "{}", set.json());
    assert!(set.json().get("new_email").is_none() && set.json().get("new_phone").is_none(), "{}", set.json());
}

/// A thief of a session asks for another address and number; the owner sets a new password.
// rows: U10 D6
#[tokio::test]
async fn changes_begun_under_the_old_password_are_void() {
    let toml = "[auth.email]\ndouble_confirm_changes = false\n[auth.sms]\nenable_signup = true\nenable_confirmations = true\n[auth.sms.test_otp]\n919800000000 = \"123456\"\n";
    for by_admin in [false, true] {
        let stage = Stage::with(toml).await;
        let owner = sign_up(&stage, ASHA).await;
        let thief = stage.sign_in(ASHA).await;
        let change = json!({"email": RAVI, "phone": PHONE});
        let asked = stage.put("/user", &change).bearer(thief.field("access_token")).await;
        assert_eq!((asked.status, &asked["new_email"]), (200, &json!(RAVI)), "{}", asked.json());
        stage.wait(6);
        stage.post("/recover", json!({"email": ASHA})).await;
        let recovery = stage.code(ASHA).await;
        new_password(&stage, &owner, by_admin).await;
        for body in [
            json!({"type": "email_change", "email": RAVI, "token": stage.code(RAVI).await}),
            json!({"type": "phone_change", "phone": PHONE, "token": "123456"}),
            json!({"type": "recovery", "email": ASHA, "token": recovery}),
        ] {
            let refused = stage.post("/verify", &body).await;
            assert_eq!(refused.error(), (403, "otp_expired"), "{by_admin}: {body}");
        }
        let mails = stage.mails(RAVI).await.len();
        stage.wait(6);
        stage.post("/resend", json!({"type": "email_change", "email": ASHA})).await;
        assert_eq!(stage.mails(RAVI).await.len(), mails, "nothing is left to send again");
    }
}

/// A sign-in that came back from the provider; its code is not exchanged yet.
async fn half_way(world: &World) -> String {
    world.wait(2);
    world.sign_in(CHALLENGE).await.query["code"].clone()
}

async fn exchange(world: &World, code: &str) -> Answer {
    let body = json!({"auth_code": code, "code_verifier": VERIFIER});
    world.stage.post("/token?grant_type=pkce", &body).await
}

// rows: U10 K4
#[tokio::test]
async fn a_code_that_was_issued_before_a_new_password_brings_no_session() {
    for by_admin in [false, true] {
        let world = World::new("").await;
        let owner = sign_up(&world.stage, ASHA).await;
        let code = half_way(&world).await;
        new_password(&world.stage, &owner, by_admin).await;
        assert_eq!(exchange(&world, &code).await.error(), (404, "flow_state_not_found"), "{by_admin}");
    }
}

// rows: S8 K4
#[tokio::test]
async fn a_sign_out_everywhere_ends_sign_ins_that_are_half_way() {
    for (scope, left) in [("global", 404), ("others", 404), ("local", 200)] {
        let world = World::new("").await;
        let session = world.stage.sign_in(ASHA).await;
        let code = half_way(&world).await;
        let path = format!("/logout?scope={scope}");
        let out = world.stage.post(&path, json!({})).bearer(session.field("access_token")).await;
        assert_eq!(out.status, 204);
        assert_eq!(exchange(&world, &code).await.status, left, "{scope}");
    }
}

// rows: D9 K4
#[tokio::test]
async fn a_deleted_user_does_not_come_back_by_a_code_that_is_out() {
    let world = World::new("").await;
    let session = world.stage.sign_in(ASHA).await;
    let code = half_way(&world).await;
    let path = format!("/admin/users/{}", session["user"]["id"].as_str().unwrap());
    let body = json!({"should_soft_delete": true});
    let deleted =
        world.stage.call(http::Method::DELETE, &path).json(&body).bearer(&world.stage.service_key()).await;
    assert_eq!(deleted.status, 200, "{}", deleted.json());
    assert_eq!(exchange(&world, &code).await.error(), (404, "flow_state_not_found"));
}

/// A thief of a session begins to link an identity of their own; the owner sets a new password
/// meanwhile.
// rows: U10 I7
#[tokio::test]
async fn a_link_begun_under_the_old_password_is_void() {
    for challenge in ["", CHALLENGE] {
        let world = World::new("enable_manual_linking = true").await;
        let owner = sign_up(&world.stage, ASHA).await;
        let thief =
            world.stage.post("/token?grant_type=password", json!({"email": ASHA, "password": PASSWORD}));
        let thief = thief.await;
        world.google.person("666", RAVI, true, &json!({}));
        let (address, cookie) = world.begin_link(thief.field("access_token"), challenge).await;
        new_password(&world.stage, &owner, false).await;
        let back = world.come_back(&address, cookie).await;
        let landing = world.enter(&back).await;
        assert_eq!(landing.query["error_code"], "bad_oauth_state", "{landing:?}");
        assert_eq!(
            world.stage.number("select count(*) from auth.identities where provider = 'google'").await,
            0
        );
    }
}

/// Has all accounts, as whoever changes one has it.
async fn hold_accounts(stage: &Stage) -> sqlx::Transaction<'static, sqlx::Postgres> {
    let mut held = stage.sql().begin().await.unwrap();
    sqlx::raw_sql("select from auth.users for update").execute(&mut *held).await.unwrap();
    held
}

/// Lets go of the accounts as soon as somebody waits for them, after something was done there.
async fn meanwhile(stage: &Stage, mut held: sqlx::Transaction<'static, sqlx::Postgres>, done: &'static str) {
    wait_for_row(stage, 1).await;
    sqlx::raw_sql("set local lock_timeout = '5s'").execute(&mut *held).await.unwrap();
    let done = sqlx::raw_sql(done).execute(&mut *held).await;
    done.expect("nobody who waits for the account holds anything of it");
    held.commit().await.unwrap();
}

/// Waits until so many wait for a row.
async fn wait_for_row(stage: &Stage, waiting: i64) {
    let count = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    let wait = async {
        while stage.number(count).await < waiting {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), wait).await.expect("somebody waits");
}

/// Who has the user's row, as a password change does, ends flows while a code is being exchanged:
/// none waits for the other.
// rows: U10 K4
#[tokio::test]
async fn an_exchange_waits_for_the_account_and_never_the_other_way_round() {
    for linking in [false, true] {
        let world = World::new("enable_manual_linking = true").await;
        let owner = sign_up(&world.stage, if linking { RAVI } else { ASHA }).await;
        let code = if linking {
            let (address, _) = world.begin_link(owner.field("access_token"), CHALLENGE).await;
            let back = world.come_back(&address, String::new()).await;
            world.enter(&back).await.query["code"].clone()
        } else {
            half_way(&world).await
        };
        let change = hold_accounts(&world.stage).await;
        let exchanging = exchange(&world, &code);
        let changing = meanwhile(&world.stage, change, "delete from auth.flow_state");
        let (exchanged, ()) = tokio::join!(exchanging, changing);
        assert_eq!(exchanged.error(), (404, "flow_state_not_found"), "{linking}");
    }
}

// rows: R8
#[tokio::test]
async fn a_reused_token_waits_for_the_account_and_holds_no_session_meanwhile() {
    let stage = Stage::new().await;
    let first = stage.sign_in(ASHA).await;
    let second = stage.refresh(first.field("refresh_token")).await;
    stage.refresh(second.field("refresh_token")).await;
    stage.wait(11);
    let change = hold_accounts(&stage).await;
    let replay = stage.refresh(first.field("refresh_token"));
    let changing = meanwhile(&stage, change, "update auth.sessions set user_agent = 'another'");
    let (refused, ()) = tokio::join!(replay, changing);
    assert_eq!(refused.error(), (400, "refresh_token_already_used"));
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
}

/// A thief of a session asks for another address and number; the owner signs out, or adds a first
/// factor.
// rows: S8 F4
#[tokio::test]
async fn changes_begun_before_a_sign_out_everywhere_or_the_first_factor_are_void() {
    let toml = "[auth.email]\ndouble_confirm_changes = false\n[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n[auth.sms]\nenable_signup = true\nenable_confirmations = true\n[auth.sms.test_otp]\n919800000000 = \"123456\"\n";
    for by in ["global", "others", "session", "admin", "reuse", "factor"] {
        let stage = Stage::with(toml).await;
        let owner = sign_up(&stage, ASHA).await;
        let thief = stage.sign_in(ASHA).await;
        let change = json!({"email": RAVI, "phone": PHONE});
        let asked = stage.put("/user", &change).bearer(thief.field("access_token")).await;
        assert_eq!(asked.status, 200, "{}", asked.json());
        let token = owner.field("access_token");
        if by == "factor" {
            let enrolled = factors::enroll(&stage, token, "phone app").await;
            let secret = enrolled["totp"]["secret"].as_str().unwrap();
            stage.wait(6);
            stage.post("/recover", json!({"email": ASHA})).await;
            let recovery = stage.code(ASHA).await;
            let code = factors::code(&stage, secret, 0);
            let raised = factors::verify(&stage, token, enrolled.field("id"), &code).await;
            assert_eq!(raised.status, 200, "{}", raised.json());
            let body = json!({"type": "recovery", "email": ASHA, "token": recovery});
            assert_eq!(stage.post("/verify", &body).await.error(), (403, "otp_expired"), "a code too");
        } else if by == "session" {
            let listed = stage.get("/user/sessions").bearer(token).await;
            let other = listed["sessions"].as_array().unwrap().iter().find(|one| one["current"] == false);
            let path = format!("/user/sessions/{}", other.unwrap()["id"].as_str().unwrap());
            let ended = stage.call(http::Method::DELETE, &path).bearer(token).await;
            assert_eq!(ended.status, 204);
        } else if by == "admin" {
            let id = owner["user"]["id"].as_str().unwrap();
            let session = stage.claims(thief.field("access_token"))["session_id"].clone();
            let path = format!("/admin/users/{id}/sessions/{}", session.as_str().unwrap());
            let ended = stage.call(http::Method::DELETE, &path).bearer(&stage.service_key()).await;
            assert_eq!(ended.status, 204);
        } else if by == "reuse" {
            let used = owner.field("refresh_token");
            let next = stage.refresh(used).await;
            stage.wait(11);
            stage.refresh(next.field("refresh_token")).await;
            stage.wait(11);
            assert_eq!(stage.refresh(used).await.error(), (400, "refresh_token_already_used"));
        } else {
            let path = format!("/logout?scope={by}");
            assert_eq!(stage.post(&path, json!({})).bearer(token).await.status, 204);
        }
        for body in [
            json!({"type": "email_change", "email": RAVI, "token": stage.code(RAVI).await}),
            json!({"type": "phone_change", "phone": PHONE, "token": "123456"}),
        ] {
            let refused = stage.post("/verify", &body).await;
            assert_eq!(refused.error(), (403, "otp_expired"), "{by}: {body}");
        }
    }
}

/// A thief's change has begun but not ended when the owner signs the others out: whichever comes
/// first, nothing of it stays.
// rows: S8
#[tokio::test]
async fn a_change_that_meets_a_sign_out_is_void() {
    let stage = Stage::with("[auth.email]\ndouble_confirm_changes = false\n").await;
    let owner = sign_up(&stage, ASHA).await;
    let thief = stage.sign_in(ASHA).await;
    let held = hold_accounts(&stage).await;
    let change = json!({"email": RAVI});
    let change = stage.put("/user", &change).bearer(thief.field("access_token")).into_future();
    let out = async {
        wait_for_row(&stage, 1).await;
        stage.post("/logout?scope=others", json!({})).bearer(owner.field("access_token")).await
    };
    let release = async {
        wait_for_row(&stage, 2).await;
        held.commit().await.unwrap();
    };
    let (asked, out, ()) = tokio::join!(change, out, release);
    assert_eq!((asked.status, out.status), (200, 204));
    let body = json!({"type": "email_change", "email": RAVI, "token": stage.code(RAVI).await});
    assert_eq!(stage.post("/verify", &body).await.error(), (403, "otp_expired"));
}

// rows: B6 B7 S8
#[tokio::test]
async fn who_is_signed_out_or_banned_while_a_request_waits_changes_nothing() {
    for (end, code) in [
        ("delete from auth.sessions", "session_not_found"),
        ("update auth.users set banned_until = now() + interval '10 years'", "user_banned"),
    ] {
        let stage = Stage::with("").await;
        sign_up(&stage, ASHA).await;
        let thief = stage.sign_in(ASHA).await;
        let out = hold_accounts(&stage).await;
        let change = json!({"email": RAVI});
        let change = stage.put("/user", &change).bearer(thief.field("access_token")).into_future();
        let end = meanwhile(&stage, out, end);
        let (refused, ()) = tokio::join!(change, end);
        assert_eq!(refused.error(), (403, code));
        assert_eq!(stage.mails(RAVI).await.len(), 0);
    }
}

/// What the session does meanwhile comes before the end or finds it.
// rows: S8
#[tokio::test]
async fn the_sign_out_of_one_session_waits_for_the_account_too() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let held = hold_accounts(&stage).await;
    let out =
        stage.post("/logout?scope=local", json!({})).bearer(session.field("access_token")).into_future();
    let release = async {
        wait_for_row(&stage, 1).await;
        held.commit().await.unwrap();
    };
    let (out, ()) = tokio::join!(out, release);
    assert_eq!(out.status, 204);
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
}

/// The thief links an identity of their own, which would bring them a session of their own.
// rows: I6 S8
#[tokio::test]
async fn a_session_that_ends_while_its_link_waits_for_the_account_links_nothing() {
    let world = World::new("enable_manual_linking = true").await;
    let thief = world.stage.sign_in(RAVI).await;
    let claims = json!({"sub": "666", "email": "thief@example.com", "email_verified": true});
    let body =
        json!({"provider": "google", "id_token": world.google.id_token(&claims), "link_identity": true});
    let out = hold_accounts(&world.stage).await;
    let link = world.stage.post("/token?grant_type=id_token", &body).bearer(thief.field("access_token"));
    let end = meanwhile(&world.stage, out, "delete from auth.sessions");
    let (refused, ()) = tokio::join!(link, end);
    assert_eq!(refused.error(), (403, "session_not_found"));
    let left = "select (select count(*) from auth.sessions) + (select count(*) from auth.identities where provider = 'google')";
    assert_eq!(world.stage.number(left).await, 0);
}

/// Asking the provider takes time, in which a sign-out finds no flow to end.
// rows: I7 S8
#[tokio::test]
async fn a_link_that_is_begun_beside_a_sign_out_is_none() {
    let world = World::new("enable_manual_linking = true").await;
    let thief = world.stage.sign_in(RAVI).await;
    let out = hold_accounts(&world.stage).await;
    let path = World::authorize(CHALLENGE).replacen("/authorize", "/user/identities/authorize", 1);
    let begin =
        world.stage.get(&format!("{path}&skip_http_redirect=true")).bearer(thief.field("access_token"));
    let end = meanwhile(&world.stage, out, "delete from auth.sessions; delete from auth.flow_state");
    let (refused, ()) = tokio::join!(begin, end);
    assert_eq!(refused.error(), (403, "session_not_found"));
    assert_eq!(world.stage.number("select count(*) from auth.flow_state").await, 0);
}

/// A thief of a session without a second factor; the owner verifies the first one while the thief's
/// request waits.
// rows: U13 F4
#[tokio::test]
async fn a_factor_that_is_verified_meanwhile_has_to_be_shown() {
    let stage = Stage::with("").await;
    sign_up(&stage, ASHA).await;
    let thief = stage.sign_in(ASHA).await;
    let owner = hold_accounts(&stage).await;
    let change = json!({"email": RAVI, "password": NEW});
    let change = stage.put("/user", &change).bearer(thief.field("access_token")).into_future();
    let verify = meanwhile(
        &stage,
        owner,
        "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
            select gen_random_uuid(), id, 'totp', 'verified', now(), now() from auth.users",
    );
    let (refused, ()) = tokio::join!(change, verify);
    assert_eq!(refused.error(), (401, "insufficient_aal"));
}
