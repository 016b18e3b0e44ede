use crate::stage::{ASHA, RAVI, Stage};

/// What has ended long ago, and beside each the like of it that has not. The stage begins in 2026.
const ROWS: &str = "
    insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at)
    values (null, 'old', 'x', true, '2026-09-01', '2026-09-01'), (null, 'live', 'x', false, '2026-09-01', '2026-09-01');
    insert into auth.flow_state (id, provider_type, authentication_method, created_at)
    values (gen_random_uuid(), 'email', 'x', '2026-09-01'), (gen_random_uuid(), 'email', 'x', '2026-09-21 14:00+00');
    insert into auth.oauth_client_states (id, provider_type, created_at)
    values (gen_random_uuid(), 'x', '2026-09-01'), (gen_random_uuid(), 'x', '2026-09-21 14:00+00');
    insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
    select gen_random_uuid(), id, 'totp', status, '2026-09-01', '2026-09-01'
    from auth.users, unnest(array['verified', 'unverified']::auth.factor_status[]) as status
    where email = 'asha@example.com';
    insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
    select gen_random_uuid(), id, at, '192.0.2.1'
    from auth.mfa_factors, unnest(array['2026-09-01', '2026-09-21 14:00+00']::timestamptz[]) as at
    where status = 'verified';
    insert into auth.webauthn_challenges (challenge_type, session_data, expires_at)
    values ('authentication', '{}', '2026-09-20'), ('authentication', '{}', '2026-09-22');
    insert into auth.users (id, instance_id, is_anonymous, created_at)
    values (gen_random_uuid(), '00000000-0000-0000-0000-000000000000', true, '2026-08-01'),
        (gen_random_uuid(), '00000000-0000-0000-0000-000000000000', true, '2026-09-20')";

#[tokio::test]
async fn auth_n1_an4_what_has_ended_is_removed_and_nothing_else() {
    let stage = Stage::with("[auth]\nenable_anonymous_sign_ins = true\n[auth.sessions]\ntimebox = \"1h\"\n").await;
    stage.sign_in(ASHA).await;
    stage.sign_in(RAVI).await;
    stage
        .execute(
            "update auth.sessions set not_after = '2026-09-01'
            where user_id = (select id from auth.users where email = 'asha@example.com')",
        )
        .await;
    stage.execute(ROWS).await;
    let removed = banyan_auth::clean(stage.state(), stage.now()).await.unwrap();
    assert_eq!(removed, 8);
    for (table, left) in [
        ("refresh_tokens", 1),
        ("flow_state", 1),
        ("oauth_client_states", 1),
        ("mfa_factors", 1),
        ("mfa_challenges", 1),
        ("webauthn_challenges", 1),
        ("sessions", 1),
        ("users", 3),
    ] {
        let query = format!("select count(*) from auth.{table}");
        let counted: i64 =
            sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_one(stage.sql()).await.unwrap();
        assert_eq!(counted, left, "{table}");
    }
    assert_eq!(banyan_auth::clean(stage.state(), stage.now()).await.unwrap(), 0, "and once only");
    stage.wait(26 * 3600);
    banyan_auth::clean(stage.state(), stage.now()).await.unwrap();
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0, "a day after the time-box");
}

#[tokio::test]
async fn auth_n1_inactive_sessions_go_a_day_after_their_time() {
    let stage = Stage::with("[auth.sessions]\ninactivity_timeout = \"1h\"\n").await;
    let session = stage.sign_in(ASHA).await;
    stage.sign_in(RAVI).await;
    stage.wait(3000);
    stage.refresh(session.text("refresh_token")).await;
    stage.wait(86_400 + 3600 - 1500);
    banyan_auth::clean(stage.state(), stage.now()).await.unwrap();
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 1, "the refreshed one stays");
}

#[tokio::test]
async fn auth_n1_a_row_in_use_is_left_alone() {
    let stage = Stage::new().await;
    stage.execute(ROWS).await;
    let mut busy = stage.sql().begin().await.unwrap();
    sqlx::query("select * from auth.flow_state for update").fetch_all(&mut *busy).await.unwrap();
    let cleaned = banyan_auth::clean(stage.state(), stage.now());
    tokio::time::timeout(std::time::Duration::from_secs(5), cleaned).await.expect("waits for nobody").unwrap();
    assert_eq!(stage.number("select count(*) from auth.flow_state").await, 2);
}
