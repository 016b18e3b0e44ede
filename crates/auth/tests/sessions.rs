//! How long sessions go on (CONTRACT.md S1 to S12).

use std::time::Duration;

use banyan_testkit::Answer;
use banyan_testkit::CapturedLog;
use serde_json::json;

use crate::{
    authenticator::Authenticator,
    factors::with_factor,
    passkeys,
    support::{ASHA, RAVI, Stage},
};

async fn expired(stage: &Stage, session: &Answer) -> String {
    let refused = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(refused.error(), (400, "session_expired"), "{}", refused.json());
    refused.field("msg").to_owned()
}

// rows: S1 W9
#[tokio::test]
async fn a_session_is_a_row_with_its_circumstances() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let claims = stage.claims(session.field("access_token"));
    let row: (uuid::Uuid, String, String, uuid::Uuid) =
        sqlx::query_as("select id, aal::text, host(ip), user_id from auth.sessions")
            .fetch_one(stage.sql())
            .await
            .unwrap();
    assert_eq!((json!(row.0), json!(row.3)), (claims["session_id"].clone(), claims["sub"].clone()));
    assert_eq!((row.1.as_str(), row.2.as_str()), ("aal1", "192.0.2.1"));
    assert_eq!(session.header("sb-auth-session-id").unwrap_or_default(), row.0.to_string());
    assert_eq!(session.header("sb-auth-user-id").unwrap_or_default(), row.3.to_string());
    assert_eq!(session.header("cache-control"), Some("no-store"));
}

// rows: W9
#[tokio::test]
async fn every_answer_with_a_session_says_whose_it_is() {
    let mut config = banyan_testkit::config_with(passkeys::ON);
    config.auth.enable_anonymous_sign_ins = true;
    config.auth.confirm_email = false;
    let stage = Stage::of(config).await;
    let anonymous = stage.post("/signup", json!({})).await;
    let body = json!({"email": "sunita@example.com", "password": "a long enough one"});
    let signed_up = stage.post("/signup", &body).await;
    let (_, _, raised) = with_factor(&stage, ASHA).await;
    let owner = stage.sign_in(RAVI).await;
    let mut device = Authenticator::new(7);
    passkeys::register(&stage, owner.field("access_token"), &mut device).await;
    let by_passkey = passkeys::sign_in(&stage, &mut device).await;
    for (way, answer) in [
        ("/signup of nobody", anonymous),
        ("/signup", signed_up),
        ("/factors/{id}/verify", raised),
        ("/passkeys/authentication/verify", by_passkey),
    ] {
        assert_eq!(answer.status, 200, "{way}: {}", answer.json());
        let claims = stage.claims(answer.field("access_token"));
        assert_eq!(answer.header("sb-auth-user-id").unwrap_or_default(), claims["sub"], "{way}");
        assert_eq!(answer.header("sb-auth-session-id").unwrap_or_default(), claims["session_id"], "{way}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{way}");
    }
}

// rows: S2 S7
#[tokio::test]
async fn a_session_ends_when_its_time_is_up() {
    let stage = Stage::with("[auth.sessions]\ntimebox = \"24h\"\n").await;
    let mut session = stage.sign_in(ASHA).await;
    for _ in 0..2 {
        stage.wait(11 * 3600);
        session = stage.refresh(session.field("refresh_token")).await;
        assert_eq!(session.status, 200, "{}", session.json());
    }
    stage.wait(3 * 3600);
    assert_eq!(expired(&stage, &session).await, "Invalid Refresh Token: Session Expired");
}

/// Limits are judged at the refresh alone: the token that was given before goes on to its own end
/// (README).
// rows: S7
#[tokio::test]
async fn the_access_token_of_a_session_whose_time_is_up_goes_on_until_it_expires() {
    let stage = Stage::with("[auth]\njwt_expiry = 7200\n[auth.sessions]\ntimebox = \"1h\"\n").await;
    let session = stage.sign_in(ASHA).await;
    let user = async || stage.get("/user").bearer(session.field("access_token")).await;
    stage.wait(3601);
    assert_eq!(expired(&stage, &session).await, "Invalid Refresh Token: Session Expired");
    assert_eq!(user().await.status, 200);
    stage.wait(3598);
    assert_eq!(user().await.status, 200, "its last second");
    stage.wait(1);
    assert_eq!(user().await.error(), (403, "bad_jwt"));
}

// rows: S3
#[tokio::test]
async fn a_session_that_nobody_uses_ends() {
    let stage = Stage::with("[auth.sessions]\ninactivity_timeout = \"8h\"\n").await;
    let first = stage.sign_in(ASHA).await;
    stage.wait(7 * 3600);
    let second = stage.refresh(first.field("refresh_token")).await;
    stage.wait(7 * 3600);
    let third = stage.refresh(second.field("refresh_token")).await;
    assert_eq!(third.status, 200, "each refresh begins anew: {}", third.json());
    stage.wait(9 * 3600);
    assert_eq!(expired(&stage, &third).await, "Invalid Refresh Token: Session Expired (Inactivity)");
}

// rows: S5
#[tokio::test]
async fn who_has_a_second_factor_must_use_it_within_the_time_that_the_project_gives() {
    let mut config =
        banyan_testkit::config_with("[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n");
    config.auth.sessions.low_aal = Some(std::time::Duration::from_secs(600));
    let stage = Stage::of(config).await;
    let (_, _, raised) = with_factor(&stage, ASHA).await;
    let (low, without) = (stage.sign_in(ASHA).await, stage.sign_in(RAVI).await);
    stage.wait(300);
    let low = stage.refresh(low.field("refresh_token")).await;
    assert_eq!(low.status, 200, "there is time left: {}", low.json());
    stage.wait(400);
    assert_eq!(
        expired(&stage, &low).await,
        "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)"
    );
    for session in [raised, without] {
        let refreshed = stage.refresh(session.field("refresh_token")).await;
        assert_eq!(refreshed.status, 200, "{}", refreshed.json());
    }
}

// rows: S4
#[tokio::test]
async fn only_the_newest_session_of_a_user_goes_on() {
    let mut config = banyan_testkit::config();
    config.auth.sessions.single_per_user = true;
    let stage = Stage::of(config).await;
    let old = stage.sign_in(ASHA).await;
    let other_user = stage.sign_in(RAVI).await;
    stage.wait(60);
    let new = stage.sign_in(ASHA).await;
    assert_eq!(
        expired(&stage, &old).await,
        "Invalid Refresh Token: Session Expired (Revoked by Newer Login)"
    );
    assert_eq!(stage.refresh(new.field("refresh_token")).await.status, 200);
    assert_eq!(stage.refresh(other_user.field("refresh_token")).await.status, 200);
}

// rows: S6
#[tokio::test]
async fn a_session_ends_at_its_explicit_end() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.execute("update auth.sessions set not_after = created_at + interval '1 hour'").await;
    let next = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(next.status, 200);
    stage.wait(3601);
    assert_eq!(expired(&stage, &next).await, "Invalid Refresh Token: Session Expired");
}

// rows: S9
#[tokio::test]
async fn after_sign_out_neither_token_is_good_here() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let done = stage.post("/logout", json!({})).bearer(session.field("access_token")).await;
    assert_eq!(done.status, 204);
    assert_eq!(stage.refresh(session.field("refresh_token")).await.error(), (400, "refresh_token_not_found"));
    let user = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(user.error(), (403, "session_not_found"));
    stage.claims(session.field("access_token"));
}

// rows: S8 H23
#[tokio::test]
async fn an_unknown_scope_signs_nobody_out() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let refused =
        stage.post("/logout?scope=everybody", json!({})).bearer(session.field("access_token")).await;
    assert_eq!(refused.error(), (400, "validation_failed"));
    assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 200);
    assert_eq!(stage.post("/logout", json!({})).await.error(), (401, "no_authorization"));
}

// rows: S12
#[tokio::test]
async fn a_ban_blocks_the_next_call_and_a_deletion_everything() {
    let stage = Stage::new().await;
    let (asha, ravi) = (stage.sign_in(ASHA).await, stage.sign_in(RAVI).await);
    stage.execute("update auth.users set banned_until = '2100-01-01' where email = 'asha@example.com'").await;
    assert_eq!(stage.get("/user").bearer(asha.field("access_token")).await.error(), (403, "user_banned"));
    assert_eq!(stage.refresh(asha.field("refresh_token")).await.error(), (400, "user_banned"));
    stage.execute("delete from auth.users where email = 'ravi@example.com'").await;
    assert_eq!(stage.get("/user").bearer(ravi.field("access_token")).await.error(), (403, "user_not_found"));
    assert_eq!(stage.refresh(ravi.field("refresh_token")).await.error(), (400, "refresh_token_not_found"));
}

// rows: B9
#[tokio::test]
async fn an_admins_token_of_a_session_counts_as_long_as_that() {
    let mut config = banyan_testkit::config();
    config.auth.sessions.timebox = Some(Duration::from_secs(1800));
    let stage = Stage::of(config).await;
    let session = stage.sign_in(ASHA).await;
    let id = stage.claims(session.field("access_token"))["session_id"].clone();
    let token = |session: &serde_json::Value| {
        banyan_testkit::token("service_role", None, json!({"session_id": session}))
    };
    let list = |token: String| {
        let stage = stage.clone();
        async move { stage.get("/admin/users").bearer(&token).await }
    };
    assert_eq!(list(token(&id)).await.status, 200);
    assert_eq!(
        list(token(&json!("5f0c8e1e-0000-4000-8000-000000000001"))).await.error(),
        (403, "session_expired")
    );
    assert_eq!(list(token(&json!("nonsense"))).await.error(), (403, "bad_jwt"));
    stage.wait(1801);
    assert_eq!(list(token(&id)).await.error(), (403, "session_expired"));
}

// rows: T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T14
#[tokio::test]
async fn the_claims_of_an_access_token() {
    let stage = Stage::with("[auth]\njwt_issuer = \"https://id.example/auth/v1\"\njwt_expiry = 1800\n").await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let header = {
        use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
        let part = URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap();
        serde_json::from_slice::<serde_json::Value>(&part).unwrap()
    };
    assert_eq!(header, json!({"alg": "ES256", "kid": "b81269f1-21d8-4f2e-b719-c2240a840d90", "typ": "JWT"}));
    let claims = stage.claims(token);
    let now = stage.now().unix_timestamp();
    for (name, value) in [
        ("iss", json!("https://id.example/auth/v1")),
        ("sub", session["user"]["id"].clone()),
        ("aud", json!("authenticated")),
        ("iat", json!(now)),
        ("exp", json!(now + 1800)),
        ("email", json!(ASHA)),
        ("phone", json!("")),
        ("role", json!("authenticated")),
        ("is_anonymous", json!(false)),
        ("aal", json!("aal1")),
        ("app_metadata", session["user"]["app_metadata"].clone()),
        ("user_metadata", session["user"]["user_metadata"].clone()),
        ("amr", json!([{"method": "otp", "timestamp": now}])),
    ] {
        assert_eq!(claims[name], value, "{name}");
    }
    assert!(claims["session_id"].as_str().unwrap().parse::<uuid::Uuid>().is_ok());
    assert_eq!((&session["expires_in"], &session["expires_at"]), (&json!(1800), &json!(now + 1800)), "O28");
    assert_eq!(session["token_type"], "bearer", "O26");
}

// rows: T17
#[tokio::test]
async fn tokens_stay_small_enough_to_travel() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let large = json!({"data": {"notes": "x".repeat(4000)}});
    let changed = stage.put("/user", &large).bearer(session.field("access_token")).await;
    assert_eq!(changed.status, 200, "{}", changed.json());
    let next = stage.refresh(session.field("refresh_token")).await;
    assert!(next.field("access_token").len() < 8 * 1024);
    let too_large = json!({"data": {"notes": "x".repeat(8000)}});
    let refused = stage.put("/user", &too_large).bearer(next.field("access_token")).await;
    assert_eq!(refused.error(), (400, "validation_failed"), "metadata that no token could carry");
}

// rows: T17
#[tokio::test]
async fn a_token_that_may_not_travel_is_warned_of_in_the_log() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let (written, _listening) = CapturedLog::listen();
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    assert_eq!((refreshed.status, written.warnings()), (200, vec![]), "a small one");
    let user = session["user"]["id"].as_str().unwrap();
    let (notes, key) = (json!({"notes": "x".repeat(4500)}), stage.service_key());
    let large = json!({"user_metadata": notes, "app_metadata": notes});
    let path = format!("/admin/users/{user}");
    let changed = stage.put(&path, &large).header("apikey", &key).bearer(&key).await;
    assert_eq!(changed.status, 200, "{}", changed.json());
    let next = stage.refresh(refreshed.field("refresh_token")).await;
    let size = next.field("access_token").len();
    assert!(size > 8 * 1024, "{size}");
    let warnings = written.warnings().join("");
    assert!(warnings.contains("an access token is large") && warnings.contains(user), "{warnings}");
    assert!(warnings.contains(&format!("bytes={size}")), "{warnings}");
}

// rows: R9 W9 C1
#[tokio::test]
async fn the_headers_of_a_refresh_tell_what_became_of_the_token() {
    let stage = Stage::new().await;
    let first = stage.sign_in(ASHA).await;
    let second = stage.refresh(first.field("refresh_token")).await;
    assert_eq!(second.header("sb-auth-refresh-token-reuse"), Some("false"));
    assert_eq!(second.header("sb-auth-refresh-token-counter"), Some("1"));
    assert_eq!(
        second.header("sb-auth-refresh-token-prefix").unwrap_or_default(),
        &second.field("refresh_token")[..5]
    );
    assert!(
        !second.header("sb-auth-session-id").unwrap_or_default().is_empty()
            && !second.header("sb-auth-user-id").unwrap_or_default().is_empty()
    );
    let tab = stage.refresh(first.field("refresh_token")).await;
    assert_eq!(tab.header("sb-auth-refresh-token-reuse"), Some("true"));
    assert_eq!(tab.header("sb-auth-refresh-token-reuse-cause"), Some("concurrent-refresh,fail-to-save"));
    stage.wait(60);
    let late = stage.refresh(first.field("refresh_token")).await;
    assert_eq!(late.header("sb-auth-refresh-token-reuse-cause"), Some("fail-to-save"));
    stage.refresh(late.field("refresh_token")).await;
    stage.wait(60);
    let stolen = stage.refresh(first.field("refresh_token")).await;
    assert_eq!(stolen.error(), (400, "refresh_token_already_used"));
    assert_eq!(stolen.header("sb-auth-refresh-token-rotated"), Some("true"));
    assert_eq!(stolen.header("x-sb-error-code"), Some("refresh_token_already_used"));
}

// rows: R10 C1
#[tokio::test]
async fn fifty_parallel_refreshes_of_one_token_end_with_one_family() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let tabs: Vec<_> = (0..50)
        .map(|tab: u8| {
            let (stage, token) = (stage.clone(), session.field("refresh_token").to_owned());
            tokio::spawn(async move {
                let body = json!({"refresh_token": token});
                stage.post("/token?grant_type=refresh_token", &body).from([10, 0, 0, tab]).await
            })
        })
        .collect();
    let mut tokens = std::collections::HashSet::new();
    for tab in tabs {
        let answer = tab.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.json());
        tokens.insert(answer.field("refresh_token").to_owned());
    }
    assert_eq!(tokens.len(), 1);
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 1);
    assert_eq!(stage.refresh(tokens.iter().next().unwrap()).await.status, 200);
}

// rows: R12 R13 R14
#[tokio::test]
async fn a_refresh_notes_who_came_and_keeps_no_token() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let before = session["user"]["last_sign_in_at"].clone();
    stage.wait(60);
    let body = json!({"refresh_token": session.field("refresh_token")});
    let next = stage
        .post("/token?grant_type=refresh_token", &body)
        .header("user-agent", "the new browser")
        .from([203, 0, 113, 9])
        .await;
    let row: (String, String, bool) =
        sqlx::query_as("select user_agent, host(ip), refreshed_at is not null from auth.sessions")
            .fetch_one(stage.sql())
            .await
            .unwrap();
    assert_eq!(row, ("the new browser".to_owned(), "203.0.113.9".to_owned(), true));
    assert_eq!(next["user"]["last_sign_in_at"], before, "a refresh is no sign-in");
    let actions: Vec<String> = sqlx::query_scalar(
        "select payload ->> 'action' from auth.audit_log_entries where payload ->> 'log_type' = 'token' order by 1",
    )
    .fetch_all(stage.sql())
    .await
    .unwrap();
    assert_eq!(actions, ["token_refreshed", "token_revoked"]);
    assert_eq!(stage.number("select count(*) from auth.refresh_tokens").await, 0, "R14");
    for field in ["access_token", "refresh_token", "expires_in", "expires_at", "user"] {
        assert!(next.json().get(field).is_some(), "{field}");
    }
}
