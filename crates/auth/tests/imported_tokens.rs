//! Refresh tokens of databases that come from the reference (CONTRACT.md R1, R3, R6 to R8).

use crate::support::{ASHA, Stage};

/// A session as the reference leaves it: three tokens, the last of which counts. Ages are in
/// seconds.
async fn imported(stage: &Stage) {
    stage.sign_in(ASHA).await;
    stage
        .execute(
            "update auth.sessions set refresh_token_hmac_key = null, refresh_token_counter = null;
            insert into auth.refresh_tokens (token, user_id, revoked, session_id, parent, created_at, updated_at)
            select 'aaaaaaaaaaaa', user_id, true, id, null, created_at, created_at - interval '2 hours' from auth.sessions
            union all
            select 'bbbbbbbbbbbb', user_id, true, id, 'aaaaaaaaaaaa', created_at, created_at - interval '1 hour' from auth.sessions
            union all
            select 'cccccccccccc', user_id, false, id, 'bbbbbbbbbbbb', created_at, created_at - interval '1 hour' from auth.sessions;",
        )
        .await;
}

// rows: R1 R3 R5
#[tokio::test]
async fn the_token_that_counts_goes_on_in_the_newer_form() {
    let stage = Stage::new().await;
    imported(&stage).await;
    let next = stage.refresh("cccccccccccc").await;
    assert_eq!(next.status, 200, "{}", next.json());
    assert!(next.field("refresh_token").len() > 12);
    assert_eq!(stage.refresh(next.field("refresh_token")).await.status, 200);
    assert_eq!(stage.number("select count(*) from auth.refresh_tokens where not revoked").await, 0);
}

// rows: R6
#[tokio::test]
async fn a_client_that_lost_the_last_answer_still_gets_on() {
    let stage = Stage::new().await;
    imported(&stage).await;
    let next = stage.refresh("bbbbbbbbbbbb").await;
    assert_eq!(next.status, 200, "it is the parent of the one that counts: {}", next.json());
    let again = stage.refresh(next.field("refresh_token")).await;
    assert_eq!(again.status, 200, "what it was given counts: {}", again.json());
}

// rows: R7
#[tokio::test]
async fn two_tabs_with_one_older_token_get_the_same_new_one() {
    let stage = Stage::new().await;
    imported(&stage).await;
    let (first, second) = tokio::join!(stage.refresh("cccccccccccc"), stage.refresh("cccccccccccc"));
    assert_eq!((first.status, second.status), (200, 200), "{} {}", first.json(), second.json());
    assert_eq!(first["refresh_token"], second["refresh_token"]);
}

// rows: R8
#[tokio::test]
async fn a_token_two_generations_old_ends_the_session() {
    let stage = Stage::new().await;
    imported(&stage).await;
    assert_eq!(stage.refresh("aaaaaaaaaaaa").await.error(), (400, "refresh_token_already_used"));
    assert_eq!(stage.refresh("cccccccccccc").await.error(), (400, "refresh_token_not_found"));
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
}
