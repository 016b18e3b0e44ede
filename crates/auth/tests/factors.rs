use banyan_testkit::Answer;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha1::Sha1;

use crate::support::{ASHA, RAVI, Stage};

const ON: &str = "[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n";

/// The code of a secret at the stage's time, some steps away.
pub(crate) fn code(stage: &Stage, secret: &str, steps: i64) -> String {
    let key = base32(secret);
    let step = stage.now().unix_timestamp() / 30 + steps;
    let mut mac = Hmac::<Sha1>::new_from_slice(&key).unwrap();
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[19] & 15);
    let number = u32::from_be_bytes(hash[offset..offset + 4].try_into().unwrap()) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}

fn base32(text: &str) -> Vec<u8> {
    let bits: String = text
        .chars()
        .map(|letter| format!("{:05b}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(letter).unwrap()))
        .collect();
    bits.as_bytes()
        .chunks_exact(8)
        .map(|byte| u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap())
        .collect()
}

pub(crate) async fn enroll(stage: &Stage, token: &str, name: &str) -> Answer {
    stage.post("/factors", json!({"factor_type": "totp", "friendly_name": name})).bearer(token).await
}

pub(crate) async fn challenge(stage: &Stage, token: &str, factor: &str) -> Answer {
    stage.post(&format!("/factors/{factor}/challenge"), json!({})).bearer(token).await
}

pub(crate) async fn answer(stage: &Stage, token: &str, factor: &str, challenge: &str, code: &str) -> Answer {
    let body = json!({"challenge_id": challenge, "code": code});
    stage.post(&format!("/factors/{factor}/verify"), &body).bearer(token).await
}

/// Challenge and answer in one.
pub(crate) async fn verify(stage: &Stage, token: &str, factor: &str, code: &str) -> Answer {
    let asked = challenge(stage, token, factor).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    answer(stage, token, factor, asked.field("id"), code).await
}

/// A user with a verified factor: its id, its secret and the raised session.
pub(crate) async fn with_factor(stage: &Stage, email: &str) -> (String, String, Answer) {
    let session = stage.sign_in(email).await;
    let enrolled = enroll(stage, session.field("access_token"), "phone app").await;
    assert_eq!(enrolled.status, 200, "{}", enrolled.json());
    let (id, secret) =
        (enrolled.field("id").to_owned(), enrolled["totp"]["secret"].as_str().unwrap().to_owned());
    let raised = verify(stage, session.field("access_token"), &id, &code(stage, &secret, 0)).await;
    assert_eq!(raised.status, 200, "{}", raised.json());
    (id, secret, raised)
}

// rows: H30 F1
#[tokio::test]
async fn enrolling_shows_secret_uri_and_picture_once() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let enrolled = enroll(&stage, token, "phone app").await;
    assert_eq!(enrolled.status, 200, "{}", enrolled.json());
    assert_eq!((enrolled.field("type"), enrolled.field("friendly_name")), ("totp", "phone app"));
    let totp = &enrolled["totp"];
    assert!(totp["qr_code"].as_str().unwrap().contains("<svg"));
    assert!(!totp["qr_code"].as_str().unwrap().starts_with("data:"), "clients add it");
    let secret = totp["secret"].as_str().unwrap();
    assert_eq!(base32(secret).len(), 20, "160 bits");
    let uri = totp["uri"].as_str().unwrap();
    assert!(uri.starts_with("otpauth://totp/127.0.0.1") && uri.contains(secret), "{uri}");
    let user = stage.get("/user").bearer(token).await;
    assert!(!user.json().to_string().contains(secret), "and never again");
    let body = json!({"factor_type": "totp", "issuer": "School", "friendly_name": "b"});
    let named = stage.post("/factors", &body).bearer(token).await;
    assert!(named["totp"]["uri"].as_str().unwrap().starts_with("otpauth://totp/School:"));
}

// rows: O15 O24 O25
#[tokio::test]
async fn the_user_shows_factors_without_their_secrets() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    assert!(session["user"].get("factors").is_none(), "left out when there is none");
    let token = session.field("access_token");
    enroll(&stage, token, "phone app").await;
    let user = stage.get("/user").bearer(token).await;
    let factor = &user["factors"][0];
    assert_eq!((&factor["status"], &factor["factor_type"]), (&json!("unverified"), &json!("totp")));
    assert_eq!(factor["friendly_name"], "phone app");
    assert!(factor["created_at"].as_str().unwrap().ends_with('Z'), "{factor}");
    for hidden in ["secret", "web_authn_credential", "user_id"] {
        assert!(factor.get(hidden).is_none(), "{hidden}");
    }
}

// rows: H31 H32 F4 S11 T11
#[tokio::test]
async fn the_right_code_raises_the_session_and_ends_the_lower_ones() {
    let stage = Stage::with(ON).await;
    let other = stage.sign_in(ASHA).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    assert_eq!(stage.claims(token)["aal"], "aal1");
    let enrolled = enroll(&stage, token, "phone app").await;
    let (id, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
    let asked = challenge(&stage, token, id).await;
    assert_eq!((asked.status, asked.field("type")), (200, "totp"));
    assert_eq!(asked["expires_at"], stage.now().unix_timestamp() + 300);
    let raised = answer(&stage, token, id, asked.field("id"), &code(&stage, secret, 0)).await;
    assert_eq!(raised.status, 200, "{}", raised.json());
    let claims = stage.claims(raised.field("access_token"));
    assert_eq!(claims["aal"], "aal2");
    assert_eq!(claims["session_id"], stage.claims(token)["session_id"], "the same session");
    let methods: Vec<&str> =
        claims["amr"].as_array().unwrap().iter().map(|entry| entry["method"].as_str().unwrap()).collect();
    assert!(methods.contains(&"totp") && methods.contains(&"otp"), "{methods:?}");
    assert_eq!(raised["user"]["factors"][0]["status"], "verified");
    let ended = stage.get("/user").bearer(other.field("access_token")).await;
    assert_eq!(ended.error(), (403, "session_not_found"));
    let refreshed = stage.refresh(raised.field("refresh_token")).await;
    assert_eq!(stage.claims(refreshed.field("access_token"))["aal"], "aal2", "and it stays so");
}

// rows: R9
#[tokio::test]
async fn a_refresh_token_from_before_the_second_factor_never_takes_part() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let enrolled = enroll(&stage, session.field("access_token"), "a").await;
    let (id, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
    let raised = verify(&stage, session.field("access_token"), id, &code(&stage, secret, 0)).await;
    assert_eq!(raised.status, 200);
    let old = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(old.error(), (400, "refresh_token_already_used"), "{}", old.json());
}

// rows: F2
#[tokio::test]
async fn names_numbers_and_levels_bound_new_factors() {
    let stage = Stage::with(&format!("[auth.mfa]\nmax_enrolled_factors = 2\n{ON}")).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    assert_eq!(enroll(&stage, token, "a").await.status, 200);
    assert_eq!(enroll(&stage, token, "a").await.error(), (422, "mfa_factor_name_conflict"));
    assert_eq!(enroll(&stage, token, "b").await.status, 200);
    assert_eq!(enroll(&stage, token, "c").await.error(), (422, "too_many_enrolled_mfa_factors"));
    stage.wait(301);
    assert_eq!(enroll(&stage, token, "a").await.status, 200, "what was begun and left is gone");
    let (_, _, raised) = with_factor(&stage, RAVI).await;
    let low = stage.sign_in(RAVI).await;
    assert_eq!(enroll(&stage, low.field("access_token"), "more").await.error(), (403, "insufficient_aal"));
    assert_eq!(enroll(&stage, raised.field("access_token"), "more").await.status, 200);
}

// rows: F2
#[tokio::test]
async fn a_factor_begun_before_the_owners_first_does_not_stand_for_that() {
    let stage = Stage::with(ON).await;
    let thief = stage.sign_in(ASHA).await;
    let token = thief.field("access_token");
    let begun = enroll(&stage, token, "thief").await;
    stage
        .execute(
            "insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, phone)
            select gen_random_uuid(), id, 'owner', 'phone', 'verified', now(), now(), '919800000001' from auth.users",
        )
        .await;
    let right = code(&stage, begun["totp"]["secret"].as_str().unwrap(), 0);
    let verified = verify(&stage, token, begun.field("id"), &right).await;
    assert_eq!(verified.error(), (403, "insufficient_aal"));
    let raised = "select count(*) from auth.sessions where aal <> 'aal1'";
    assert_eq!(stage.number(raised).await, 0);
}

// rows: F2
#[tokio::test]
async fn parallel_enrollments_do_not_pass_the_limit() {
    let stage = Stage::with(&format!("[auth.mfa]\nmax_enrolled_factors = 3\n{ON}")).await;
    let session = stage.sign_in(ASHA).await;
    let tries: Vec<_> = (0..8)
        .map(|name| {
            let (stage, token) = (stage.clone(), session.field("access_token").to_owned());
            tokio::spawn(async move { enroll(&stage, &token, &format!("f{name}")).await.status })
        })
        .collect();
    for one in tries {
        assert!(matches!(one.await.unwrap(), 200 | 422));
    }
    assert_eq!(stage.number("select count(*) from auth.mfa_factors").await, 3);
}

// rows: F2
#[tokio::test]
async fn what_is_off_is_refused_with_its_own_code() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    for (kind, code) in [
        ("totp", "mfa_totp_enroll_not_enabled"),
        ("phone", "mfa_phone_enroll_not_enabled"),
        ("webauthn", "mfa_webauthn_enroll_not_enabled"),
    ] {
        let body = json!({"factor_type": kind, "phone": "+919800000000"});
        let refused = stage.post("/factors", &body).bearer(session.field("access_token")).await;
        assert_eq!(refused.error(), (422, code));
    }
    let body = json!({"factor_type": "retina"});
    let refused = stage.post("/factors", &body).bearer(session.field("access_token")).await;
    assert_eq!(refused.error(), (400, "validation_failed"));
    stage
        .execute(
            "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
            select '00000000-0000-0000-0000-0000000000f1', id, 'totp', 'verified', now(), now(), 'GEZDGNBVGY3TQOJQ'
            from auth.users",
        )
        .await;
    let refused =
        challenge(&stage, session.field("access_token"), "00000000-0000-0000-0000-0000000000f1").await;
    assert_eq!(refused.error(), (422, "mfa_totp_verify_not_enabled"));
}

// rows: F4
#[tokio::test]
async fn wrong_and_empty_codes_raise_nothing() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let enrolled = enroll(&stage, token, "a").await;
    let (id, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
    let wrong = verify(&stage, token, id, &code(&stage, secret, 5)).await;
    assert_eq!(wrong.error(), (422, "mfa_verification_failed"));
    assert_eq!(verify(&stage, token, id, "").await.error(), (400, "validation_failed"));
    let unknown = "00000000-0000-0000-0000-000000000001";
    let refused = answer(&stage, token, id, unknown, &code(&stage, secret, 0)).await;
    assert_eq!(refused.error(), (422, "mfa_factor_not_found"), "no such challenge");
    assert_eq!(challenge(&stage, token, unknown).await.error(), (404, "mfa_factor_not_found"));
    assert_eq!(stage.number("select count(*) from auth.sessions where aal = 'aal2'").await, 0);
}

// rows: F3
#[tokio::test]
async fn a_challenge_lives_five_minutes_and_is_answered_once() {
    let stage = Stage::with(ON).await;
    let (id, secret, session) = with_factor(&stage, ASHA).await;
    let (id, secret, token) = (id.as_str(), secret.as_str(), session.field("access_token"));
    let late = challenge(&stage, token, id).await;
    stage.wait(301);
    let refused = answer(&stage, token, id, late.field("id"), &code(&stage, secret, 0)).await;
    assert_eq!(refused.error(), (422, "mfa_challenge_expired"));
    let asked = challenge(&stage, token, id).await;
    let raised = answer(&stage, token, id, asked.field("id"), &code(&stage, secret, 0)).await;
    stage.wait(60);
    let again =
        answer(&stage, raised.field("access_token"), id, asked.field("id"), &code(&stage, secret, 0)).await;
    assert_eq!(again.error(), (422, "mfa_ip_address_mismatch"), "the reference's word for an answered one");
}

// rows: F3
#[tokio::test]
async fn a_roaming_phone_may_answer_unless_addresses_are_bound() {
    for bound in [false, true] {
        let mut config = banyan_testkit::config_with(ON);
        config.auth.mfa.bind_challenges_to_address = bound;
        let stage = Stage::of(config).await;
        let session = stage.sign_in(ASHA).await;
        let token = session.field("access_token");
        let enrolled = enroll(&stage, token, "a").await;
        let (id, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
        let asked = challenge(&stage, token, id).await;
        let body = json!({"challenge_id": asked.field("id"), "code": code(&stage, secret, 0)});
        let call = stage.post(&format!("/factors/{id}/verify"), &body).bearer(token);
        let moved = call.from([203, 0, 113, 7]).await;
        if bound {
            assert_eq!(moved.error(), (422, "mfa_ip_address_mismatch"));
        } else {
            assert_eq!(moved.status, 200, "{}", moved.json());
        }
    }
}

// rows: F5
#[tokio::test]
async fn a_code_is_accepted_once() {
    let stage = Stage::with(ON).await;
    let (id, secret, raised) = with_factor(&stage, ASHA).await;
    let token = raised.field("access_token");
    let used = code(&stage, &secret, 0);
    assert_eq!(verify(&stage, token, &id, &used).await.error(), (422, "mfa_verification_failed"));
    let before = code(&stage, &secret, -1);
    assert_eq!(
        verify(&stage, token, &id, &before).await.error(),
        (422, "mfa_verification_failed"),
        "nor an older one"
    );
    stage.wait(30);
    assert_eq!(verify(&stage, token, &id, &code(&stage, &secret, 0)).await.status, 200);
}

// rows: F5
#[tokio::test]
async fn one_code_entered_in_parallel_wins_once() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let enrolled = enroll(&stage, session.field("access_token"), "a").await;
    let (id, secret) =
        (enrolled.field("id").to_owned(), enrolled["totp"]["secret"].as_str().unwrap().to_owned());
    let now = code(&stage, &secret, 0);
    let tries: Vec<_> = (0..6)
        .map(|_| {
            let (stage, token) = (stage.clone(), session.field("access_token").to_owned());
            let (id, now) = (id.clone(), now.clone());
            tokio::spawn(async move { verify(&stage, &token, &id, &now).await.status })
        })
        .collect();
    let mut won = 0;
    for one in tries {
        won += usize::from(one.await.unwrap() == 200);
    }
    assert_eq!(won, 1);
}

// rows: F4
#[tokio::test]
async fn guessing_closes_the_factor_for_a_while() {
    let stage = Stage::with(ON).await;
    let (id, secret, raised) = with_factor(&stage, ASHA).await;
    let token = raised.field("access_token");
    stage.wait(60);
    for _ in 0..5 {
        let wrong = verify(&stage, token, &id, &code(&stage, &secret, 9)).await;
        assert_eq!(wrong.error(), (422, "mfa_verification_failed"));
    }
    let closed = verify(&stage, token, &id, &code(&stage, &secret, 0)).await;
    assert_eq!(closed.error(), (429, "over_request_rate_limit"), "not even the right one");
    assert!(closed.header("retry-after").unwrap_or_default().parse::<u64>().unwrap() <= 31);
    stage.wait(31);
    assert_eq!(verify(&stage, token, &id, &code(&stage, &secret, 0)).await.status, 200);
}

// rows: H33 F6 S11
#[tokio::test]
async fn a_verified_factor_goes_from_a_raised_session_only_and_lowers_it() {
    let stage = Stage::with(ON).await;
    let (id, _, raised) = with_factor(&stage, ASHA).await;
    let low = stage.sign_in(ASHA).await;
    let path = format!("/factors/{id}");
    let refused = stage.call(http::Method::DELETE, &path).bearer(low.field("access_token")).await;
    assert_eq!(refused.error(), (422, "insufficient_aal"));
    let removed = stage.call(http::Method::DELETE, &path).bearer(raised.field("access_token")).await;
    assert_eq!((removed.status, removed.field("id")), (200, id.as_str()));
    let refreshed = stage.refresh(raised.field("refresh_token")).await;
    let claims = stage.claims(refreshed.field("access_token"));
    assert_eq!(claims["aal"], "aal1");
    assert!(!claims["amr"].to_string().contains("totp"), "{}", claims["amr"]);
    let again = stage.call(http::Method::DELETE, &path).bearer(raised.field("access_token")).await;
    assert_eq!(again.error(), (404, "mfa_factor_not_found"));
}

/// An authenticator raised the session first, then a security key did.
// rows: S11 T12
#[tokio::test]
async fn a_factor_that_goes_leaves_nothing_of_itself_in_a_session_that_another_raised() {
    let stage = Stage::with(ON).await;
    let (id, _, raised) = with_factor(&stage, ASHA).await;
    stage
        .execute(
            "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
            select '5a0b8f5c-0000-4000-8000-000000000009', id, 'webauthn', 'verified', now(), now() from auth.users;
            update auth.sessions set factor_id = '5a0b8f5c-0000-4000-8000-000000000009';
            insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
            select gen_random_uuid(), id, now(), now(), 'mfa/webauthn' from auth.sessions",
        )
        .await;
    let path = format!("/factors/{id}");
    let removed = stage.call(http::Method::DELETE, &path).bearer(raised.field("access_token")).await;
    assert_eq!(removed.status, 200, "{}", removed.json());
    let refreshed = stage.refresh(raised.field("refresh_token")).await;
    let claims = stage.claims(refreshed.field("access_token"));
    assert_eq!(claims["aal"], "aal2", "the security key still stands for it");
    assert!(claims["amr"].to_string().contains("webauthn") && !claims["amr"].to_string().contains("totp"));
}

// rows: T11
#[tokio::test]
async fn a_session_of_the_highest_level_counts_as_raised() {
    let stage = Stage::with(ON).await;
    let (_, _, raised) = with_factor(&stage, ASHA).await;
    stage.execute("update auth.sessions set aal = 'aal3'").await;
    assert_eq!(enroll(&stage, raised.field("access_token"), "another").await.status, 200);
}

// rows: H33
#[tokio::test]
async fn somebody_elses_factor_is_none() {
    let stage = Stage::with(ON).await;
    let (id, secret, _) = with_factor(&stage, ASHA).await;
    let ravi = stage.sign_in(RAVI).await;
    let token = ravi.field("access_token");
    let none = (404, "mfa_factor_not_found");
    assert_eq!(challenge(&stage, token, &id).await.error(), none);
    assert_eq!(answer(&stage, token, &id, &id, &code(&stage, &secret, 1)).await.error(), none);
    let deleted = stage.call(http::Method::DELETE, &format!("/factors/{id}")).bearer(token).await;
    assert_eq!(deleted.error(), none);
}

// rows: B10
#[tokio::test]
async fn an_anonymous_user_has_no_factors() {
    let stage = Stage::with(&format!("[auth]\nenable_anonymous_sign_ins = true\n{ON}")).await;
    let session = stage.post("/signup", json!({})).await;
    let refused = enroll(&stage, session.field("access_token"), "a").await;
    assert_eq!(refused.error(), (403, "no_authorization"));
    assert_eq!(refused.field("msg"), "Anonymous user not allowed to perform these actions");
}

// rows: F10 Q11
#[tokio::test]
async fn challenges_and_answers_are_limited_to_fifteen_a_minute() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let enrolled = enroll(&stage, token, "a").await;
    let id = enrolled.field("id");
    for _ in 0..30 {
        assert_eq!(challenge(&stage, token, id).await.status, 200, "the burst");
    }
    let refused = challenge(&stage, token, id).await;
    assert_eq!(refused.error(), (429, "over_request_rate_limit"));
    assert_eq!(refused.header("retry-after"), Some("4"), "fifteen a minute");
    stage.wait(60);
    let granted = {
        let mut granted = 0;
        for _ in 0..20 {
            granted += usize::from(challenge(&stage, token, id).await.status == 200);
        }
        granted
    };
    assert_eq!(granted, 15);
    let elsewhere = stage.post(&format!("/factors/{id}/challenge"), json!({})).bearer(token);
    assert_eq!(elsewhere.from([198, 51, 100, 1]).await.status, 200, "another address has its own");
}

// rows: F10 Q11
#[tokio::test]
async fn answers_take_of_the_same_fifteen_as_challenges() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let enrolled = enroll(&stage, token, "a").await;
    let id = enrolled.field("id");
    let asked = challenge(&stage, token, id).await;
    for _ in 0..15 {
        assert_eq!(challenge(&stage, token, id).await.status, 200);
    }
    for _ in 0..14 {
        // Beyond the fifth the factor is closed, which is another refusal than the limit's and is
        // counted like it.
        let wrong = answer(&stage, token, id, asked.field("id"), "000000").await;
        assert_ne!(wrong.header("ratelimit-limit").unwrap_or_default(), "15", "{}", wrong.json());
    }
    let refused = answer(&stage, token, id, asked.field("id"), "000000").await;
    assert_eq!(
        (refused.error(), refused.header("ratelimit-limit").unwrap_or_default()),
        ((429, "over_request_rate_limit"), "15")
    );
    let refused = challenge(&stage, token, id).await;
    assert_eq!(
        (refused.status, refused.header("ratelimit-limit").unwrap_or_default()),
        (429, "15"),
        "it is one limit"
    );
    stage.wait(60);
    let mut granted = 0;
    for round in 0..20 {
        let answered = match round % 2 {
            0 => answer(&stage, token, id, asked.field("id"), "000000").await,
            _ => challenge(&stage, token, id).await,
        };
        granted += usize::from(answered.header("ratelimit-limit").unwrap_or_default() != "15");
    }
    assert_eq!(granted, 15);
}

// rows: H45
#[tokio::test]
async fn admins_see_rename_and_remove_factors() {
    let stage = Stage::with(ON).await;
    let (id, _, raised) = with_factor(&stage, ASHA).await;
    let user = raised["user"]["id"].as_str().unwrap();
    let (list, one) = (format!("/admin/users/{user}/factors"), format!("/admin/users/{user}/factors/{id}"));
    let key = stage.service_key();
    let found = stage.get(&list).header("apikey", &key).bearer(&key).await;
    assert_eq!((found.status, &found[0]["id"]), (200, &json!(id)));
    assert!(found[0].get("secret").is_none());
    let renamed = stage.put(&one, json!({"friendly_name": "lost"})).header("apikey", &key).bearer(&key).await;
    assert_eq!((renamed.status, renamed.field("friendly_name")), (200, "lost"));
    let as_user = stage.get(&list).bearer(raised.field("access_token")).await;
    assert_eq!(as_user.error(), (403, "not_admin"), "not for the user itself");
    let removed = stage.call(http::Method::DELETE, &one).header("apikey", &key).bearer(&key).await;
    assert_eq!((removed.status, removed.field("id")), (200, id.as_str()));
    let refreshed = stage.refresh(raised.field("refresh_token")).await;
    assert_eq!(stage.claims(refreshed.field("access_token"))["aal"], "aal1", "S11");
    let none = stage.call(http::Method::DELETE, &one).header("apikey", &key).bearer(&key).await;
    assert_eq!(none.error(), (404, "mfa_factor_not_found"));
}

// rows: F13
#[tokio::test]
async fn the_answer_carries_what_clients_compute_their_level_from() {
    let stage = Stage::with(ON).await;
    with_factor(&stage, ASHA).await;
    let low = stage.sign_in(ASHA).await;
    let claims = stage.claims(low.field("access_token"));
    let verified: Vec<&Value> = low["user"]["factors"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|factor| factor["status"] == "verified")
        .collect();
    assert_eq!(
        (claims["aal"].as_str(), verified.len()),
        (Some("aal1"), 1),
        "aal2 is possible and not reached"
    );
}

// rows: M36
#[tokio::test]
async fn new_and_removed_factors_are_told_where_the_notices_are_on() {
    let notices = "[auth.email.notification.mfa_factor_enrolled]\nenabled = true\n\
                   [auth.email.notification.mfa_factor_unenrolled]\nenabled = true\nsubject = \"{{ .FactorType }} is gone\"\n";
    let stage = Stage::with(&format!("{ON}{notices}")).await;
    let (id, _, raised) = with_factor(&stage, ASHA).await;
    let before = stage.mails(ASHA).await.len();
    let path = format!("/factors/{id}");
    stage.call(http::Method::DELETE, &path).bearer(raised.field("access_token")).await;
    let mails = stage.mails(ASHA).await;
    assert_eq!((before, mails.len()), (2, 3), "one for the code, one for each change: {mails:?}");
    assert!(mails.iter().any(|(subject, _)| subject == "totp is gone"), "{mails:?}");
}

async fn guess(stage: &Stage, token: &str, factor: &str, code: &str, ip: [u8; 4]) -> Answer {
    let asked = stage.post(&format!("/factors/{factor}/challenge"), json!({})).bearer(token).from(ip);
    let challenge = asked.await;
    assert_eq!(challenge.status, 200, "{}", challenge.json());
    let body = json!({"challenge_id": challenge.field("id"), "code": code});
    stage.post(&format!("/factors/{factor}/verify"), &body).bearer(token).from(ip).await
}

// rows: F4
#[tokio::test]
async fn guessing_elsewhere_does_not_close_the_factor_for_its_owner() {
    let stage = Stage::with(ON).await;
    let (id, secret, raised) = with_factor(&stage, ASHA).await;
    let thief = stage.sign_in(ASHA).await;
    for machine in 1..=5 {
        let ip = [198, 51, 100, machine];
        let wrong = guess(&stage, thief.field("access_token"), &id, &code(&stage, &secret, 9), ip).await;
        assert_eq!(wrong.error(), (422, "mfa_verification_failed"), "{machine}");
    }
    stage.wait(29);
    let right = code(&stage, &secret, 0);
    let elsewhere = guess(&stage, thief.field("access_token"), &id, &right, [198, 51, 100, 9]).await;
    assert_eq!(elsewhere.error(), (429, "over_request_rate_limit"), "all others together have five");
    let own = verify(&stage, raised.field("access_token"), &id, &right).await;
    assert_eq!(own.status, 200, "{}", own.json());
    stage.wait(60);
    let new_place =
        guess(&stage, own.field("access_token"), &id, &code(&stage, &secret, 0), [203, 0, 113, 9]).await;
    assert_eq!(new_place.status, 200, "who knows the code is let in anywhere once the pause is over");
}

// rows: F4
#[tokio::test]
async fn a_client_is_known_for_ninety_days_after_its_last_right_answer() {
    let home = [192, 0, 2, 1];
    for (days, status) in [(89, 200), (91, 429)] {
        let stage = Stage::with(ON).await;
        let (id, secret, _) = with_factor(&stage, ASHA).await;
        stage.wait(days * 86_400);
        let owner = stage.sign_in(ASHA).await;
        let thief = stage.sign_in(ASHA).await;
        for machine in 1..=5 {
            let wrong = code(&stage, &secret, 9);
            let wrong =
                guess(&stage, thief.field("access_token"), &id, &wrong, [198, 51, 100, machine]).await;
            assert_eq!(wrong.error(), (422, "mfa_verification_failed"), "{machine}");
        }
        let right = code(&stage, &secret, 0);
        let own = guess(&stage, owner.field("access_token"), &id, &right, home).await;
        assert_eq!(own.status, status, "after {days} days: {}", own.json());
        stage.wait(60);
        let own = guess(&stage, owner.field("access_token"), &id, &code(&stage, &secret, 0), home).await;
        assert_eq!(own.status, 200, "and known again: {}", own.json());
        banyan_auth::clean(stage.state(), stage.now()).await;
        assert_eq!(stage.number("select count(*) from auth.banyan_factor_clients").await, 1);
        stage.wait(91 * 86_400);
        banyan_auth::clean(stage.state(), stage.now()).await;
        assert_eq!(stage.number("select count(*) from auth.banyan_factor_clients").await, 0);
    }
}

// rows: F4
#[tokio::test]
async fn parallel_guesses_are_counted_one_by_one() {
    let stage = Stage::with(ON).await;
    let (id, secret, _) = with_factor(&stage, ASHA).await;
    let thief = stage.sign_in(ASHA).await;
    stage.wait(60);
    let mut running = Vec::new();
    for machine in 1..=12 {
        let (stage, id, token) = (stage.clone(), id.clone(), thief.field("access_token").to_owned());
        let wrong = code(&stage, &secret, 9);
        running.push(tokio::spawn(async move {
            guess(&stage, &token, &id, &wrong, [198, 51, 100, machine]).await.status
        }));
    }
    let mut judged = 0;
    for one in running {
        judged += usize::from(one.await.unwrap() == 422);
    }
    assert_eq!(judged, 5, "no more than one after the other");
}

// rows: F2
#[tokio::test]
async fn what_was_begun_and_left_is_not_verified_later() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let begun = enroll(&stage, token, "left").await;
    let asked = challenge(&stage, token, begun.field("id")).await;
    stage.wait(290);
    let later = challenge(&stage, token, begun.field("id")).await;
    assert_eq!((asked.status, later.status), (200, 200), "{}", later.json());
    stage.wait(11);
    let right = code(&stage, begun["totp"]["secret"].as_str().expect("a secret"), 0);
    let refused = answer(&stage, token, begun.field("id"), later.field("id"), &right).await;
    assert_eq!(refused.error(), (404, "mfa_factor_not_found"), "{}", refused.json());
    assert_eq!(challenge(&stage, token, begun.field("id")).await.error(), (404, "mfa_factor_not_found"));
    assert_eq!(stage.number("select count(*) from auth.sessions where aal <> 'aal1'").await, 0);
}

// rows: F2 F4
#[tokio::test]
async fn the_first_factor_ends_what_was_begun_of_every_kind() {
    let stage = Stage::with(ON).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let begun = enroll(&stage, token, "phone app").await;
    stage
        .execute(
            "insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, phone)
            select gen_random_uuid(), id, 'thief', 'phone', 'unverified', created_at, created_at, '919800000001'
            from auth.users",
        )
        .await;
    let right = code(&stage, begun["totp"]["secret"].as_str().expect("a secret"), 0);
    assert_eq!(verify(&stage, token, begun.field("id"), &right).await.status, 200);
    assert_eq!(stage.number("select count(*) from auth.mfa_factors").await, 1);
}
