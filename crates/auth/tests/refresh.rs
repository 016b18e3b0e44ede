use std::collections::HashSet;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;

use crate::{
    pipelines::answer_after,
    support::{ASHA, Stage},
};

// rows: R5
#[tokio::test]
async fn each_refresh_gives_a_new_token_of_the_same_session() {
    let stage = Stage::new().await;
    let first = stage.sign_in(ASHA).await;
    stage.wait(60);
    let second = stage.refresh(first.field("refresh_token")).await;
    assert_eq!(second.status, 200, "{}", second.json());
    assert_ne!(first["refresh_token"], second["refresh_token"]);
    let (old, new) = (stage.claims(first.field("access_token")), stage.claims(second.field("access_token")));
    assert_eq!(old["session_id"], new["session_id"]);
    assert_eq!(old["amr"], new["amr"], "how the session was signed in does not change");
    assert!(new["iat"].as_i64() > old["iat"].as_i64());
    assert_eq!(second.header("cache-control"), Some("no-store"));
}

// rows: R2
#[tokio::test]
async fn the_session_holds_what_proves_its_tokens_and_none_has_a_row() {
    let stage = Stage::new().await;
    let first = stage.sign_in(ASHA).await;
    let second = stage.refresh(first.field("refresh_token")).await;
    for (answer, counter) in [(&first, 0), (&second, 1)] {
        let bytes = URL_SAFE_NO_PAD.decode(answer.field("refresh_token")).unwrap();
        let session = stage.claims(answer.field("access_token"))["session_id"].as_str().unwrap().to_owned();
        assert_eq!(uuid::Uuid::from_slice(&bytes[1..17]).unwrap().to_string(), session);
        assert_eq!((bytes[0], bytes[17], bytes.len()), (0, counter, 1 + 16 + 1 + 16 + 4));
    }
    let (key, counter): (String, i64) =
        sqlx::query_as("select refresh_token_hmac_key, refresh_token_counter from auth.sessions")
            .fetch_one(stage.sql())
            .await
            .unwrap();
    assert_eq!((URL_SAFE_NO_PAD.decode(key).unwrap().len(), counter), (32, 1));
    assert_eq!(stage.number("select count(*) from auth.refresh_tokens").await, 0);
}

/// The tokens that twenty refreshes of one token at one moment give.
async fn parallel_refreshes(stage: &Stage, token: &str) -> HashSet<String> {
    let tabs: Vec<_> = (0..20)
        .map(|_| {
            let (stage, token) = (stage.clone(), token.to_owned());
            tokio::spawn(async move { stage.refresh(&token).await })
        })
        .collect();
    let mut tokens = HashSet::new();
    for tab in tabs {
        let answer = tab.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.json());
        tokens.insert(answer.field("refresh_token").to_owned());
    }
    tokens
}

// rows: T-5
#[tokio::test]
async fn twenty_parallel_refreshes_of_one_token_give_one_new_token() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let tokens = parallel_refreshes(&stage, session.field("refresh_token")).await;
    assert_eq!(tokens.len(), 1);
    let next = stage.refresh(tokens.iter().next().unwrap()).await;
    assert_eq!(next.status, 200, "the session is alive");
}

// rows: R5 R10
#[tokio::test]
async fn parallel_refreshes_without_rotation_return_the_token() {
    let stage = Stage::with("[auth]\nenable_refresh_token_rotation = false\n").await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("refresh_token").to_owned();
    assert_eq!(parallel_refreshes(&stage, &token).await, HashSet::from([token]));
}

// rows: R3 R10
#[tokio::test]
async fn parallel_refreshes_by_the_older_form_give_one_new_token() {
    let stage = Stage::new().await;
    with_token_of_the_older_form(&stage).await;
    assert_eq!(parallel_refreshes(&stage, "abcdefghijkl").await.len(), 1);
}

// rows: R6
#[tokio::test]
async fn a_client_that_lost_the_answer_gets_the_current_token_again() {
    let stage = Stage::new().await;
    let first = stage.sign_in(ASHA).await;
    let second = stage.refresh(first.field("refresh_token")).await;
    stage.wait(3600);
    let again = stage.refresh(first.field("refresh_token")).await;
    assert_eq!(again["refresh_token"], second["refresh_token"]);
}

// rows: T-6
#[tokio::test]
async fn a_token_two_generations_old_ends_its_session_and_no_other() {
    let stage = Stage::new().await;
    let stolen = stage.sign_in(ASHA).await;
    let other = stage.sign_in(ASHA).await;
    let second = stage.refresh(stolen.field("refresh_token")).await;
    let third = stage.refresh(second.field("refresh_token")).await;
    stage.wait(11);
    let replay = stage.refresh(stolen.field("refresh_token")).await;
    assert_eq!(replay.error(), (400, "refresh_token_already_used"));
    assert_eq!(replay["msg"], "Invalid Refresh Token: Already Used");
    assert_eq!(
        stage.refresh(third.field("refresh_token")).await.error(),
        (400, "refresh_token_not_found"),
        "the whole family is revoked"
    );
    let user = stage.get("/user").bearer(third.field("access_token")).await;
    assert_eq!(user.error(), (403, "session_not_found"));
    assert_eq!(stage.refresh(other.field("refresh_token")).await.status, 200, "another session lives");
}

// rows: R7
#[tokio::test]
async fn an_old_token_within_the_reuse_interval_gets_the_current_one() {
    let stage = Stage::new().await;
    let first = stage.sign_in(ASHA).await;
    let second = stage.refresh(first.field("refresh_token")).await;
    let third = stage.refresh(second.field("refresh_token")).await;
    stage.wait(9);
    let late_tab = stage.refresh(first.field("refresh_token")).await;
    assert_eq!(late_tab["refresh_token"], third["refresh_token"]);
}

// rows: R4
#[tokio::test]
async fn malformed_unknown_and_forged_tokens_are_told_apart() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let cases = [
        ("short", "validation_failed"),
        ("abcdefghijkl", "refresh_token_not_found"),
        ("not a token at all, but long", "validation_failed"),
    ];
    for (token, code) in cases {
        assert_eq!(stage.refresh(token).await.error(), (400, code), "{token}");
    }
    // The session's own token with the next counter, signed by nobody.
    stage.execute("update auth.sessions set refresh_token_hmac_key = 'AAAA'").await;
    let forged = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(forged.error(), (400, "validation_failed"));
    assert_eq!(forged["msg"], "Invalid Refresh Token: Not Issued By This Server");
}

/// A session as imported databases have it, with the token `abcdefghijkl`.
async fn with_token_of_the_older_form(stage: &Stage) {
    stage.sign_in(ASHA).await;
    stage
        .execute(
            "update auth.sessions set refresh_token_hmac_key = null, refresh_token_counter = null;
            insert into auth.refresh_tokens (token, user_id, revoked, session_id, created_at, updated_at)
            select 'abcdefghijkl', user_id, false, id, now(), now() from auth.sessions;",
        )
        .await;
}

// rows: R3
#[tokio::test]
async fn a_token_of_the_older_form_goes_on_in_the_newer() {
    let stage = Stage::new().await;
    with_token_of_the_older_form(&stage).await;
    let session = stage.refresh("abcdefghijkl").await;
    assert_eq!(session.status, 200, "{}", session.json());
    let next = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(next.status, 200, "{}", next.json());
    stage.wait(60);
    assert_eq!(stage.refresh("abcdefghijkl").await.error(), (400, "refresh_token_already_used"));
    assert_eq!(stage.refresh(next.field("refresh_token")).await.error(), (400, "refresh_token_not_found"));
}

// rows: R5
#[tokio::test]
async fn without_rotation_the_same_token_is_returned() {
    let stage = Stage::with("[auth]\nenable_refresh_token_rotation = false\n").await;
    let first = stage.sign_in(ASHA).await;
    let second = stage.refresh(first.field("refresh_token")).await;
    assert_eq!(first["refresh_token"], second["refresh_token"]);
}

// rows: R11
#[tokio::test]
async fn a_banned_user_cannot_refresh() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.execute("update auth.users set banned_until = '2100-01-01'").await;
    assert_eq!(stage.refresh(session.field("refresh_token")).await.error(), (400, "user_banned"));
    let user = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(user.error(), (403, "user_banned"));
}

// rows: H19
#[tokio::test]
async fn other_grants_are_refused() {
    let stage = Stage::new().await;
    let refused = stage.post("/token?grant_type=magic", json!({})).await;
    assert_eq!(refused.error(), (400, "invalid_credentials"));
    assert_eq!(refused["msg"], "unsupported_grant_type");
}

// rows: E8
#[tokio::test]
async fn a_database_that_is_away_is_no_reason_to_sign_out() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.execute("alter table auth.sessions rename to sessions_gone").await;
    let answer = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(answer.error(), (500, "unexpected_failure"));
    assert!(!answer.json().to_string().contains("sessions"), "the cause stays in the log: {}", answer.json());
}

// rows: R10
#[tokio::test]
async fn a_refresh_of_a_session_that_somebody_holds_is_a_conflict() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let mut holder = stage.sql().begin().await.unwrap();
    sqlx::raw_sql("select from auth.sessions for update").execute(&mut *holder).await.unwrap();
    let refused = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(refused.error(), (409, "conflict"), "{}", refused.json());
    holder.rollback().await.unwrap();
    assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 200);
}

// rows: R8 R10
#[tokio::test]
async fn a_token_that_seems_stolen_is_judged_anew_if_its_session_has_changed() {
    let mut config = banyan_testkit::config_with("");
    config.auth.refresh_token_reuse_interval = std::time::Duration::ZERO;
    let stage = Stage::of(config).await;
    with_token_of_the_older_form(&stage).await;
    stage.execute("update auth.refresh_tokens set revoked = true, updated_at = '2020-01-01'").await;
    // The request has judged the token, and waits for its account. Another goes on with the
    // session.
    let lock = "select from auth.users for update";
    let refreshed = "update auth.sessions set refresh_token_hmac_key = 'AAAA', refresh_token_counter = 0";
    let refresh = Box::pin(stage.refresh("abcdefghijkl"));
    let answer = answer_after(&stage, lock, refresh, refreshed).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 1);
}
