use std::time::Duration;

use banyan_db::Leases;
use tokio_util::sync::CancellationToken;

use crate::support::{ASHA, RAVI, Stage};

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

// rows: N1 AN4
#[tokio::test]
async fn what_has_ended_is_removed_and_nothing_else() {
    let stage =
        Stage::with("[auth]\nenable_anonymous_sign_ins = true\n[auth.sessions]\ntimebox = \"1h\"\n").await;
    stage.sign_in(ASHA).await;
    stage.sign_in(RAVI).await;
    stage
        .execute(
            "update auth.sessions set not_after = '2026-09-01'
            where user_id = (select id from auth.users where email = 'asha@example.com')",
        )
        .await;
    stage.execute(ROWS).await;
    let removed = banyan_auth::clean(stage.state(), stage.now()).await;
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
    assert_eq!(banyan_auth::clean(stage.state(), stage.now()).await, 0, "and once only");
    stage.wait(26 * 3600);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0, "a day after the time-box");
}

// rows: N1
#[tokio::test]
async fn inactive_sessions_go_a_day_after_their_time() {
    let stage = Stage::with("[auth.sessions]\ninactivity_timeout = \"1h\"\n").await;
    let session = stage.sign_in(ASHA).await;
    stage.sign_in(RAVI).await;
    stage.wait(3000);
    stage.refresh(session.field("refresh_token")).await;
    stage.wait(86_400 + 3600 - 1500);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 1, "the refreshed one stays");
}

// rows: N1
#[tokio::test]
async fn a_row_in_use_is_left_alone() {
    let stage = Stage::new().await;
    stage.execute(ROWS).await;
    let mut busy = stage.sql().begin().await.unwrap();
    sqlx::query("select * from auth.flow_state for update").fetch_all(&mut *busy).await.unwrap();
    let cleaned = banyan_auth::clean(stage.state(), stage.now());
    tokio::time::timeout(std::time::Duration::from_secs(5), cleaned).await.expect("waits for nobody");
    assert_eq!(stage.number("select count(*) from auth.flow_state").await, 2);
}

// rows: N1 L7
#[tokio::test]
async fn what_cannot_be_removed_is_in_the_way_of_nothing_else() {
    let mut config = banyan_testkit::config_with("[auth]\nenable_anonymous_sign_ins = true\n");
    config.auth.audit_log.retention = Some(std::time::Duration::from_secs(86_400));
    let stage = Stage::of(config).await;
    stage.execute(ROWS).await;
    stage
        .execute(
            "insert into auth.users (id, instance_id, is_anonymous, created_at)
            select gen_random_uuid(), '00000000-0000-0000-0000-000000000000', true, '2026-07-01'
            from generate_series(1, 4);
            create table public.notes (author uuid references auth.users);
            insert into public.notes select id from auth.users where created_at = '2026-07-01' limit 1;
            insert into auth.audit_log_entries (id, payload, created_at, ip_address)
            values (gen_random_uuid(), '{}', '2026-09-01', '')",
        )
        .await;
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(stage.number("select count(*) from auth.users where created_at < '2026-09-01'").await, 1);
    assert_eq!(stage.number("select count(*) from public.notes").await, 1, "who is held fast stays");
    assert_eq!(stage.number("select count(*) from auth.audit_log_entries").await, 0);
}

// rows: AN4
#[tokio::test]
async fn an_anonymous_user_who_comes_every_day_stays() {
    let stage = Stage::with("[auth]\nenable_anonymous_sign_ins = true\n").await;
    let sign_up = async || stage.post("/signup", serde_json::json!({})).await;
    let (active, _) = (sign_up().await, sign_up().await);
    stage.wait(29 * 86_400);
    let refreshed = stage.refresh(active.field("refresh_token")).await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.json());
    stage.wait(2 * 86_400);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
    assert_eq!(stage.get("/user").bearer(refreshed.field("access_token")).await.status, 403, "expired");
    assert_eq!(stage.refresh(refreshed.field("refresh_token")).await.status, 200);
}

// rows: N1 M9
#[tokio::test]
async fn tries_and_counts_of_codes_go_two_days_after_they_ended() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    stage.verify(RAVI, "123456").await;
    let left = async || {
        stage.number("select count(*) from auth.banyan_code_clients").await
            + stage.number("select count(*) from auth.banyan_code_addresses").await
    };
    assert_eq!(left().await, 4);
    stage.wait(86_400);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(left().await, 4);
    stage.wait(2 * 86_400 + 600);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(left().await, 0);
    stage.ask(ASHA).await;
    stage.verify(ASHA, &stage.code(ASHA).await).await;
    stage.wait(60 * 86_400);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(left().await, 2, "a network and a browser that are known stay so for ninety days");
    stage.wait(33 * 86_400);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(left().await, 0);
}

/// Counts who asks for a lease, and who gets it.
const COUNTED: &str = "
    create table public.counted (what text);
    create function public.count() returns trigger language plpgsql as $$
    begin
        insert into public.counted values (tg_argv[0]);
        return new;
    end $$;
    create trigger a before insert on _banyan.turns for each row execute function public.count('asked');
    create trigger b after insert or update of taken_at on _banyan.turns
    for each row execute function public.count('claimed');";

// rows: N1
#[tokio::test]
async fn one_node_a_minute_removes_what_has_ended() {
    let stage = Stage::new().await;
    stage.execute(ROWS).await;
    stage.execute(COUNTED).await;
    let (stop, leases) = (CancellationToken::new(), Leases::new(stage.database().clone()));
    let node = |stage: &Stage| {
        let leases = Leases::new(stage.database().clone());
        banyan_auth::housekeep(stage.state().clone(), leases, stage.clock.clone(), stop.clone())
    };
    let asked = async || stage.number("select count(*) from public.counted where what = 'asked'").await;
    let held = async || stage.number("select count(*) from _banyan.turns where holder is not null").await;
    let pause = || tokio::time::sleep(Duration::from_millis(20));
    let other = stage.another_node();
    let asks_later = async {
        while stage.number("select count(*) from auth.webauthn_challenges").await > 1 || held().await > 0 {
            pause().await;
        }
        node(&other).await;
    };
    let both_asked = async {
        while asked().await < 2 {
            pause().await;
        }
        stop.cancel();
    };
    tokio::join!(node(&stage), asks_later, both_asked);
    assert_eq!(held().await, 0);
    let next = leases.claim("housekeeping of auth", Duration::from_secs(60)).await.unwrap();
    assert!(next.is_none(), "this minute's is done");
    assert_eq!(asked().await, 3);
    assert_eq!(stage.number("select count(*) from public.counted where what = 'claimed'").await, 1);
}
