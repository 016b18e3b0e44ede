use banyan_testkit::Answer;
use http::Method;
use serde_json::{Value, json};

use crate::{
    authenticator::{Authenticator, ORIGIN},
    factors,
    support::{ASHA, RAVI, Stage},
};

pub(crate) const ON: &str = "[auth.passkey]\nenabled = true\n[auth.webauthn]\nrp_id = \"localhost\"\nrp_display_name = \"School\"\n\
                  rp_origins = [\"http://localhost:3000\"]\n[auth.mfa.web_authn]\nenroll_enabled = true\n\
                  verify_enabled = true\n[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n";

async fn options(stage: &Stage, token: &str) -> Answer {
    stage.post("/passkeys/registration/options", json!({})).bearer(token).await
}

pub(crate) async fn register(stage: &Stage, token: &str, device: &mut Authenticator) -> Answer {
    let asked = options(stage, token).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    let body =
        json!({"challenge_id": asked.field("challenge_id"), "credential": device.create(&asked["options"])});
    stage.post("/passkeys/registration/verify", &body).bearer(token).await
}

async fn sign_in_options(stage: &Stage) -> Answer {
    stage.post("/passkeys/authentication/options", json!({})).await
}

async fn answer(stage: &Stage, challenge: &str, credential: Value) -> Answer {
    let body = json!({"challenge_id": challenge, "credential": credential});
    stage.post("/passkeys/authentication/verify", &body).await
}

pub(crate) async fn sign_in(stage: &Stage, device: &mut Authenticator) -> Answer {
    let asked = sign_in_options(stage).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    let credential = device.get(&asked["options"]);
    answer(stage, asked.field("challenge_id"), credential).await
}

// rows: H34 H35 H36 H37 F11 F12
#[tokio::test]
async fn a_passkey_is_made_and_signs_in() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let asked = options(&stage, token).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    assert_eq!(asked["expires_at"], stage.now().unix_timestamp() + 300);
    let shown = &asked["options"];
    assert_eq!((&shown["rp"]["id"], &shown["rp"]["name"]), (&json!("localhost"), &json!("School")));
    assert_eq!(shown["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(shown["authenticatorSelection"]["userVerification"], "preferred");
    assert_eq!((&shown["attestation"], &shown["user"]["name"]), (&json!("none"), &json!(ASHA)));
    let mut device = Authenticator::new(7);
    let body = json!({"challenge_id": asked.field("challenge_id"), "credential": device.create(shown)});
    let made = stage.post("/passkeys/registration/verify", &body).bearer(token).await;
    assert_eq!((made.status, made.field("friendly_name")), (200, "Passkey"), "{}", made.json());
    assert!(made.field("created_at").ends_with('Z'));
    let asked = sign_in_options(&stage).await;
    assert_eq!(asked["options"]["rpId"], "localhost");
    let credential = device.get(&asked["options"]);
    let signed_in = answer(&stage, asked.field("challenge_id"), credential).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.json());
    let claims = stage.claims(signed_in.field("access_token"));
    assert_eq!((&claims["aal"], &claims["amr"][0]["method"]), (&json!("aal1"), &json!("passkey")));
    assert_eq!(claims["sub"], session["user"]["id"]);
    assert_eq!(stage.number("select sign_count from auth.webauthn_credentials").await, 2);
    assert_eq!(stage.number("select count(*) from auth.webauthn_challenges").await, 0, "each was used up");
}

// rows: F11
#[tokio::test]
async fn a_question_is_answered_once_in_time_and_by_whom_it_was_asked() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let mut device = Authenticator::new(7);
    register(&stage, session.field("access_token"), &mut device).await;
    let asked = sign_in_options(&stage).await;
    let credential = device.get(&asked["options"]);
    assert_eq!(answer(&stage, asked.field("challenge_id"), credential.clone()).await.status, 200);
    let again = answer(&stage, asked.field("challenge_id"), credential).await;
    assert_eq!(again.error(), (400, "webauthn_challenge_not_found"), "a replay");
    let late = sign_in_options(&stage).await;
    let credential = device.get(&late["options"]);
    stage.wait(301);
    assert_eq!(
        answer(&stage, late.field("challenge_id"), credential).await.error(),
        (400, "webauthn_challenge_expired")
    );
    let ravi = stage.sign_in(RAVI).await;
    let asked = options(&stage, session.field("access_token")).await;
    let body = json!({"challenge_id": asked.field("challenge_id"), "credential": Authenticator::new(8).create(&asked["options"])});
    let stolen = stage.post("/passkeys/registration/verify", &body).bearer(ravi.field("access_token")).await;
    assert_eq!(stolen.error(), (400, "webauthn_challenge_not_found"));
    for (id, credential) in [("", json!({})), ("x", json!({}))] {
        assert_eq!(answer(&stage, id, credential).await.error(), (400, "validation_failed"));
    }
}

// rows: F11
#[tokio::test]
async fn signatures_of_other_keys_places_and_copies_are_refused() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let mut device = Authenticator::new(7);
    register(&stage, session.field("access_token"), &mut device).await;
    let failed = (400, "webauthn_verification_failed");
    device.origin = "https://evil.example";
    assert_eq!(sign_in(&stage, &mut device).await.error(), failed, "another place");
    device.origin = ORIGIN;
    let asked = sign_in_options(&stage).await;
    let other = sign_in_options(&stage).await;
    let credential = device.get(&other["options"]);
    assert_eq!(
        answer(&stage, asked.field("challenge_id"), credential).await.error(),
        failed,
        "another question"
    );
    let asked = sign_in_options(&stage).await;
    let mut forged = device.get(&asked["options"]);
    forged["response"]["signature"] = json!("MEUCIQ");
    assert_eq!(answer(&stage, asked.field("challenge_id"), forged).await.error(), failed);
    assert_eq!(sign_in(&stage, &mut device).await.status, 200);
    let asked = sign_in_options(&stage).await;
    device.counter = 1;
    let copied = device.get_again(&asked["options"]);
    assert_eq!(
        answer(&stage, asked.field("challenge_id"), copied).await.error(),
        failed,
        "a copy lags behind"
    );
    assert_eq!(sign_in(&stage, &mut Authenticator::new(9)).await.error(), failed, "nobody's key");
}

// rows: F11
#[tokio::test]
async fn a_credential_belongs_to_one_and_a_user_has_ten() {
    let stage = Stage::with(ON).await;
    let (asha, ravi) = (stage.sign_in(ASHA).await, stage.sign_in(RAVI).await);
    let mut device = Authenticator::new(1);
    assert_eq!(register(&stage, asha.field("access_token"), &mut device).await.status, 200);
    let taken = register(&stage, ravi.field("access_token"), &mut device).await;
    assert_eq!(taken.error(), (422, "webauthn_credential_exists"));
    stage.wait(300);
    for seed in 2..=10 {
        let made = register(&stage, asha.field("access_token"), &mut Authenticator::new(seed)).await;
        assert_eq!(made.status, 200, "{}", made.json());
        stage.wait(60);
    }
    let full = options(&stage, asha.field("access_token")).await;
    assert_eq!(full.error(), (422, "too_many_passkeys"));
}

// rows: H38 F11
#[tokio::test]
async fn passkeys_are_listed_renamed_and_removed_by_their_owner() {
    let stage = Stage::with(ON).await;
    let (asha, ravi) = (stage.sign_in(ASHA).await, stage.sign_in(RAVI).await);
    let made = register(&stage, asha.field("access_token"), &mut Authenticator::new(7)).await;
    let path = format!("/passkeys/{}", made.field("id"));
    let rename = |token: String, name: String| {
        let (stage, path) = (stage.clone(), path.clone());
        async move {
            let call = stage.call(Method::PATCH, &path).json(json!({"friendly_name": name}));
            call.bearer(&token).await
        }
    };
    let token = asha.field("access_token").to_owned();
    let renamed = rename(token.clone(), "my phone".into()).await;
    assert_eq!((renamed.status, renamed.field("friendly_name")), (200, "my phone"));
    assert_eq!(rename(token.clone(), String::new()).await.error(), (400, "validation_failed"));
    assert_eq!(rename(token.clone(), "x".repeat(121)).await.error(), (400, "validation_failed"));
    let stranger = rename(ravi.field("access_token").to_owned(), "mine".into()).await;
    assert_eq!(stranger.error(), (404, "validation_failed"), "as if it were not there");
    let listed = stage.get("/passkeys").bearer(&token).await;
    assert_eq!(listed[0]["friendly_name"], "my phone");
    assert!(listed[0].get("public_key").is_none());
    let others = stage.get("/passkeys").bearer(ravi.field("access_token")).await;
    assert_eq!(others.json(), json!([]));
    let stranger = stage.call(Method::DELETE, &path).bearer(ravi.field("access_token")).await;
    assert_eq!(stranger.error(), (404, "validation_failed"));
    assert_eq!(stage.call(Method::DELETE, &path).bearer(&token).await.status, 204);
    assert_eq!(stage.call(Method::DELETE, &path).bearer(&token).await.error(), (404, "validation_failed"));
}

// rows: H46
#[tokio::test]
async fn admins_see_and_remove_passkeys() {
    let stage = Stage::with(ON).await;
    let asha = stage.sign_in(ASHA).await;
    let made = register(&stage, asha.field("access_token"), &mut Authenticator::new(7)).await;
    let (key, user) = (stage.service_key(), asha["user"]["id"].as_str().unwrap());
    let list = format!("/admin/users/{user}/passkeys");
    let one = format!("{list}/{}", made.field("id"));
    let found = stage.get(&list).header("apikey", &key).bearer(&key).await;
    assert_eq!(found[0]["id"], made["id"]);
    assert_eq!(stage.get(&list).bearer(asha.field("access_token")).await.error(), (403, "not_admin"));
    let delete = stage.call(Method::DELETE, &one).header("apikey", &key).bearer(&key);
    assert_eq!(delete.await.status, 204);
    let delete = stage.call(Method::DELETE, &one).header("apikey", &key).bearer(&key);
    assert_eq!(delete.await.error(), (404, "validation_failed"));
}

// rows: H34 H36 H38
#[tokio::test]
async fn while_passkeys_are_off_every_path_says_so() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let off = (404, "passkey_disabled");
    let refused = options(&stage, token).await;
    assert_eq!((refused.error(), refused.field("msg")), (off, "Passkeys are disabled"));
    assert_eq!(sign_in_options(&stage).await.error(), off);
    assert_eq!(stage.get("/passkeys").bearer(token).await.error(), off);
    assert_eq!(answer(&stage, "x", json!({})).await.error(), off);
}

// rows: F12
#[tokio::test]
async fn banned_unconfirmed_and_single_sign_on_users_are_refused() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let mut device = Authenticator::new(7);
    register(&stage, session.field("access_token"), &mut device).await;
    stage.execute("update auth.users set banned_until = '2100-01-01'").await;
    assert_eq!(sign_in(&stage, &mut device).await.error(), (403, "user_banned"));
    stage.execute("update auth.users set banned_until = null, email_confirmed_at = null").await;
    assert_eq!(sign_in(&stage, &mut device).await.error(), (403, "email_not_confirmed"));
    stage.execute("update auth.users set email_confirmed_at = now(), is_sso_user = true").await;
    let refused = options(&stage, session.field("access_token")).await;
    assert_eq!(refused.error(), (422, "validation_failed"));
}

// rows: B10 F11
#[tokio::test]
async fn who_may_not_manage_passkeys() {
    let stage = Stage::with(&format!("[auth]\nenable_anonymous_sign_ins = true\n{ON}")).await;
    let anonymous = stage.post("/signup", json!({})).await;
    assert_eq!(options(&stage, anonymous.field("access_token")).await.error(), (403, "no_authorization"));
    factors::with_factor(&stage, ASHA).await;
    let low = stage.sign_in(ASHA).await;
    assert_eq!(options(&stage, low.field("access_token")).await.error(), (403, "insufficient_aal"));
}

// rows: F8 H31 H32
#[tokio::test]
async fn a_security_key_is_a_second_factor() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let body = json!({"factor_type": "webauthn", "friendly_name": "key"});
    let enrolled = stage.post("/factors", &body).bearer(token).await;
    assert_eq!((enrolled.status, enrolled.field("type")), (200, "webauthn"), "{}", enrolled.json());
    let id = enrolled.field("id");
    let mut device = Authenticator::new(5);
    let asked = factors::challenge(&stage, token, id).await;
    assert_eq!(asked["webauthn"]["type"], "create", "{}", asked.json());
    let created = device.create(&asked["webauthn"]["credential_options"]["publicKey"]);
    let raised = said(&stage, token, id, &asked, "create", &created).await;
    assert_eq!(raised.status, 200, "{}", raised.json());
    let claims = stage.claims(raised.field("access_token"));
    assert_eq!(claims["aal"], "aal2");
    assert!(claims["amr"].to_string().contains("mfa/webauthn"));
    let factor = &raised["user"]["factors"][0];
    assert_eq!((&factor["status"], factor["web_authn_credential"].is_null()), (&json!("verified"), true));
    let low = stage.sign_in(ASHA).await;
    let token = low.field("access_token");
    let asked = factors::challenge(&stage, token, id).await;
    assert_eq!(asked["webauthn"]["type"], "request");
    let public = &asked["webauthn"]["credential_options"]["publicKey"];
    let forged = said(&stage, token, id, &asked, "request", &Authenticator::new(6).get(public)).await;
    assert_eq!(forged.error(), (400, "webauthn_verification_failed"));
    let right = said(&stage, token, id, &asked, "request", &device.get(public)).await;
    assert_eq!(right.status, 200, "{}", right.json());
    let replayed =
        said(&stage, right.field("access_token"), id, &asked, "request", &device.get(public)).await;
    assert_eq!(replayed.error(), (422, "mfa_factor_not_found"), "the challenge is gone");
}

async fn said(
    stage: &Stage,
    token: &str,
    id: &str,
    asked: &Answer,
    kind: &str,
    credential: &Value,
) -> Answer {
    let body = json!({
        "challenge_id": asked.field("id"),
        "webauthn": {"type": kind, "credential_response": credential, "rpId": "localhost", "rpOrigins": [ORIGIN]},
    });
    stage.post(&format!("/factors/{id}/verify"), &body).bearer(token).await
}

/// A thief of a session registers a passkey in the very moment in which the owner's first factor is
/// verified.
// rows: H35 F11
#[tokio::test]
async fn a_passkey_is_not_added_beside_a_factor_that_is_just_being_verified() {
    let stage = Stage::with(ON).await;
    let thief = stage.sign_in(ASHA).await;
    let token = thief.field("access_token");
    let asked = options(&stage, token).await;
    let mut device = Authenticator::new(7);
    let body =
        json!({"challenge_id": asked.field("challenge_id"), "credential": device.create(&asked["options"])});
    let mut owner = stage.sql().begin().await.unwrap();
    sqlx::raw_sql("select from auth.users for update").execute(&mut *owner).await.unwrap();
    let registering = stage.post("/passkeys/registration/verify", &body).bearer(token).into_future();
    let verifying = async {
        let waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
        while stage.number(waiting).await == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        let verified = "insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
            select gen_random_uuid(), id, 'owner', 'totp', 'verified', now(), now() from auth.users";
        sqlx::raw_sql(verified).execute(&mut *owner).await.unwrap();
        owner.commit().await.unwrap();
    };
    let (registered, ()) = tokio::join!(registering, verifying);
    assert_eq!(registered.error(), (403, "insufficient_aal"), "{}", registered.json());
    assert_eq!(stage.number("select count(*) from auth.webauthn_credentials").await, 0);
}
