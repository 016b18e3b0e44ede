//! How much of a time a user may ask for, and how many may wait (D10, functions/SPECIFICATION.md
//! GEN-8.2).

use crate::callers::service_runs;
use crate::database::product_database;
use crate::wallet_calls::{
    LESSON_PLAN, assert_books_balance, claim, claim_for, claim_numbered, complete, deduct, deductions, fail,
    let_pass, note_refusal, note_refusal_of, start_generation, teacher,
};

// rows: app/D10
#[tokio::test]
async fn the_limits_hold_and_leave_the_deduction_open() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    service_runs(&pool, id, "update public.profiles set coins = 100000 where user_id = $1")
        .await
        .expect("free");
    for number in 0..6 {
        deduct(&pool, id).await;
        let claimed = claim_for(&pool, id, LESSON_PLAN, &number.to_string(), true).await.expect("answered");
        assert_eq!(claimed.outcome, "claimed");
        assert!(fail(&pool, claimed.id()).await);
    }
    deduct(&pool, id).await;
    let limited = claim_for(&pool, id, LESSON_PLAN, "seventh", true).await.expect("answered");
    assert_eq!(limited.outcome, "rate_limited");
    assert!((1..=60).contains(&limited.retry_after.expect("seconds to wait")));
    assert_eq!(deductions(&pool, id, "open").await, 1);
    let built_in = claim_for(&pool, id, LESSON_PLAN, "seventh", false).await.expect("answered");
    assert_eq!(built_in.outcome, "claimed", "the built-in generator has limits of its own");
    assert_books_balance(&pool).await;
}

// rows: app/D10
#[tokio::test]
async fn the_daily_and_the_built_in_limit_hold() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    sqlx::query(
        "insert into public.generations (user_id, tool, request_key, attempt, model_backed, status, started_at, deadline_at, finished_at)
         select $1, 'generate-lesson-plan', number::text, 1, true, 'finished', now() - interval '2 hours', now(), now()
         from generate_series(1, 60) as number",
    )
    .bind(id)
    .execute(&*pool)
    .await
    .expect("the owner writes history");
    deduct(&pool, id).await;
    let daily = claim_for(&pool, id, LESSON_PLAN, "one more", true).await.expect("answered");
    assert_eq!(daily.outcome, "rate_limited");
    assert!((21 * 3600..=22 * 3600).contains(&daily.retry_after.expect("seconds to wait")));
    sqlx::query(
        "insert into public.generations (user_id, tool, request_key, attempt, status, deadline_at, finished_at)
         select $1, 'generate-lesson-plan', 'b' || number, 1, 'failed', now(), now()
         from generate_series(1, 120) as number",
    )
    .bind(id)
    .execute(&*pool)
    .await
    .expect("the owner writes history");
    assert_eq!(claim(&pool, id, "one more").await.outcome, "rate_limited");
    let other = teacher(&pool).await;
    deduct(&pool, other).await;
    assert_eq!(claim(&pool, other, "of another user").await.outcome, "claimed");
}

// rows: app/D08
#[tokio::test]
async fn of_many_calls_for_one_generation_the_newest_few_wait() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let made = start_generation(&pool, id, "slow").await;
    let calls: Vec<uuid::Uuid> = (0..40).map(|_| uuid::Uuid::new_v4()).collect();
    let mut outcomes = Vec::new();
    for call in &calls {
        outcomes.push(claim_numbered(&pool, id, "slow", *call).await.outcome);
    }
    assert!(outcomes[..30].iter().all(|outcome| outcome == "running"), "a new call may wait: {outcomes:?}");
    // The claim itself was made without a number here, so thirty may come to wait.
    assert!(outcomes[30..].iter().all(|outcome| outcome == "busy"), "but not for ever: {outcomes:?}");
    let mut waiting = 0;
    for call in &calls {
        waiting += usize::from(claim_numbered(&pool, id, "slow", *call).await.outcome == "running");
    }
    assert_eq!(waiting, 4, "asked again, the older ones are sent away");
    assert_eq!(claim_numbered(&pool, id, "slow", calls[29]).await.outcome, "running");
    assert!(complete(&pool, made).await);
    assert_eq!(claim_numbered(&pool, id, "slow", calls[29]).await.outcome, "replayed");
    assert_eq!(
        claim_numbered(&pool, id, "slow", calls[35]).await.outcome,
        "replayed",
        "also to who comes back"
    );
}

// rows: functions/GEN-8.2
#[tokio::test]
async fn who_goes_on_with_unsafe_requests_waits_and_keeps_the_deduction() {
    let pool = product_database().await;
    let (id, other) = (teacher(&pool).await, teacher(&pool).await);
    for _ in 0..5 {
        assert_eq!(claim(&pool, id, "harmless").await.outcome, "insufficient", "nothing is paid yet");
        assert_eq!(note_refusal(&pool, id).await, 0);
    }
    let wait = note_refusal(&pool, id).await;
    assert!((895..=900).contains(&wait), "{wait}");
    deduct(&pool, id).await;
    let limited = claim(&pool, id, "harmless").await;
    assert_eq!(limited.outcome, "rate_limited");
    assert!(limited.retry_after.is_some_and(|seconds| (890..=900).contains(&seconds)), "{limited:?}");
    assert_eq!((deductions(&pool, id, "open").await, note_refusal(&pool, other).await), (1, 0));

    let_pass(&pool, "9 minutes").await;
    assert_eq!(claim(&pool, id, "harmless").await.outcome, "rate_limited");
    let_pass(&pool, "6 minutes").await;
    assert_eq!(claim(&pool, id, "harmless").await.outcome, "insufficient", "the unclaimed 20 went back");
    deduct(&pool, id).await;
    assert_eq!(claim(&pool, id, "harmless").await.outcome, "claimed");
    assert_eq!(note_refusal(&pool, id).await, 0, "counted afresh");
    assert_books_balance(&pool).await;
}

// rows: functions/GEN-8.2
#[tokio::test]
async fn one_unsafe_request_is_counted_once_however_often_it_is_sent() {
    let pool = product_database().await;
    let (id, body) = (teacher(&pool).await, "a".repeat(64));
    for _ in 0..20 {
        assert_eq!(note_refusal_of(&pool, id, &body).await, 0);
    }
    for _ in 0..4 {
        assert_eq!(note_refusal(&pool, id).await, 0, "another one");
    }
    assert!(note_refusal_of(&pool, id, &body).await > 0, "five different ones are too many");
    assert!(note_refusal(&pool, id).await > 0);
    let other = teacher(&pool).await;
    assert_eq!(note_refusal_of(&pool, other, &body).await, 0);
    for _ in 0..4 {
        assert_eq!(note_refusal(&pool, other).await, 0);
    }
    assert!(note_refusal(&pool, other).await > 0, "the same one is counted for each who sends it");
}

// rows: app/D10
#[tokio::test]
async fn a_generation_runs_out_when_the_host_ends_its_call() {
    let pool = product_database().await;
    let seconds: i64 =
        sqlx::query_scalar("select extract(epoch from generation_deadline)::bigint from private.settings")
            .fetch_one(&*pool)
            .await
            .expect("the settings can be read");
    let policies: toml::Table =
        include_str!("../../../../../supabase/banyan.toml").parse().expect("banyan.toml is TOML");
    let functions = policies["functions"].as_table().expect("a table of functions");
    let tools: Vec<&toml::Value> =
        functions.iter().filter(|(name, _)| name.starts_with("generate-")).map(|(_, tool)| tool).collect();
    assert_eq!(tools.len(), 4);
    for tool in tools {
        assert_eq!(tool["wall_clock"].as_str(), Some(format!("{seconds}s").as_str()), "{tool}");
    }
}

// rows: app/D10
#[tokio::test]
async fn silence_and_the_next_sweep_are_over_within_a_minute() {
    let pool = product_database().await;
    let silence: i64 =
        sqlx::query_scalar("select extract(epoch from silence_limit)::bigint from private.settings")
            .fetch_one(&*pool)
            .await
            .expect("the settings can be read");
    let policies: toml::Table =
        include_str!("../../../../../supabase/banyan.toml").parse().expect("banyan.toml is TOML");
    let schedule = policies["functions"]["wallet-sweep"]["schedule"].as_str().expect("a schedule");
    let sweeps: i64 = schedule.strip_suffix('s').expect("seconds").parse().expect("a number");
    assert!(silence + sweeps < 60, "{silence} s of silence, a sweep every {sweeps} s");
}

// rows: functions/GEN-3.3.4
#[tokio::test]
async fn tokens_of_models_are_added_up_day_by_day_in_india() {
    let pool = product_database().await;
    let note = async |tokens: i64| -> i64 {
        sqlx::query_scalar("select public.note_model_tokens($1)")
            .bind(tokens)
            .fetch_one(&*pool)
            .await
            .expect("a sum")
    };
    assert_eq!((note(0).await, note(700).await, note(300).await, note(0).await), (0, 700, 1000, 1000));
    let moved = "update private.model_tokens set day = day - 1";
    sqlx::query(moved).execute(&*pool).await.expect("a day passes");
    assert_eq!(note(5).await, 5, "a new day begins with nothing");
    let days: Vec<i64> = sqlx::query_scalar(
        "select tokens from private.model_tokens order by day = (now() at time zone 'Asia/Kolkata')::date",
    )
    .fetch_all(&*pool)
    .await
    .expect("days");
    assert_eq!(days, [1000, 5]);
    sqlx::query("select public.note_model_tokens(-6)")
        .execute(&*pool)
        .await
        .expect_err("no day has used less than nothing");
}
