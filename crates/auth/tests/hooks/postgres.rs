//! Hooks that are functions of the database.

use super::{answers, function, hook};
use crate::support::{ASHA, RAVI, Stage};
use serde_json::{Value, json};
use std::time::Instant;

// rows: HK2
#[tokio::test]
async fn a_function_that_is_not_there_or_may_not_be_called_is_named_before_anybody_asks() {
    let stage = Stage::with(&function("before_user_created")).await;
    let of_another_type = "create function public.hook(event text) returns jsonb return '{}'::jsonb";
    for statement in ["select 1", of_another_type] {
        stage.execute(statement).await;
        let sentences = said(&stage).await;
        assert_eq!(sentences.len(), 1, "{sentences:?}");
        let start = "config.toml: `auth.hook.before_user_created` calls public.hook, and none is known that takes one argument";
        assert!(sentences[0].starts_with(start), "{sentences:?}");
        assert_eq!(stage.ask(ASHA).await.status, 500, "what it keeps from failing unseen");
    }
    stage
        .execute(
            "create function public.hook(event jsonb) returns jsonb return '{}'::jsonb;
            revoke execute on function public.hook(jsonb) from public",
        )
        .await;
    let sentences = said(&stage).await;
    assert!(
        sentences[0].contains("grant execute on function public.hook(jsonb) to supabase_auth_admin"),
        "{sentences:?}"
    );
    stage.execute("grant execute on function public.hook(jsonb) to supabase_auth_admin").await;
    assert_eq!(said(&stage).await, Vec::<String>::new());
    assert_eq!(stage.ask(ASHA).await.status, 200);
}

/// What the start says of the hooks.
async fn said(stage: &Stage) -> Vec<String> {
    banyan_auth::unreachable_hooks(&stage.config().auth, stage.database()).await.unwrap()
}

// rows: HK2
#[tokio::test]
async fn the_start_speaks_of_the_function_that_is_then_called() {
    let stage = Stage::with(&function("before_user_created")).await;
    let cases = [
        (
            "create function public.hook(event jsonb, more text default '') returns jsonb return '{}'::jsonb",
            true,
        ),
        (
            "create function public.hook(event json) returns jsonb return '{}'::jsonb;
            create function public.hook(event jsonb) returns jsonb return '{}'::jsonb;
            revoke execute on function public.hook(jsonb) from public",
            false,
        ),
        (
            "create function public.hook(event text) returns jsonb return '{}'::jsonb;
            create function public.hook(event json) returns jsonb return '{}'::jsonb",
            true,
        ),
        (
            "create function public.hook(event jsonb, more text default '') returns jsonb return '{}'::jsonb;
            create function public.hook(event jsonb) returns jsonb return '{}'::jsonb",
            false,
        ),
        ("create function public.hook(event jsonb, more text) returns jsonb return '{}'::jsonb", false),
    ];
    for (round, (functions, is_callable)) in cases.into_iter().enumerate() {
        stage
            .execute(
                "drop function if exists public.hook(json), public.hook(jsonb), public.hook(text),
                    public.hook(jsonb, text)",
            )
            .await;
        stage.execute(functions).await;
        assert_eq!(said(&stage).await.is_empty(), is_callable, "{functions}: {:?}", said(&stage).await);
        let asked = stage.ask(&format!("new{round}@example.com")).await;
        assert_eq!(asked.status, if is_callable { 200 } else { 500 }, "{functions}: {}", asked.json());
    }
}

// rows: HK2
#[tokio::test]
async fn what_the_start_advises_can_be_run_as_it_stands() {
    let stage = Stage::with(&hook("before_user_created", "pg-functions://postgres/School/Hook")).await;
    stage
        .execute(
            r#"create schema "School";
            create function "School"."Hook"(event jsonb, more text default '') returns jsonb return '{}'::jsonb;
            create function "School"."Hook"(number integer) returns integer return 1;
            revoke execute on all functions in schema "School" from public"#,
        )
        .await;
    let sentences = said(&stage).await;
    let advice = sentences[0].split('`').nth(3).expect("statements between backticks").to_owned();
    sqlx::raw_sql(sqlx::AssertSqlSafe(advice)).execute(stage.sql()).await.unwrap();
    assert_eq!(said(&stage).await, Vec::<String>::new());
    assert_eq!(stage.ask(ASHA).await.status, 200);
}

// rows: HK1 HK2 HK6 HK10
#[tokio::test]
async fn a_function_of_the_database_judges_new_accounts() {
    let stage = Stage::with(&function("before_user_created")).await;
    stage
        .execute("create table public.seen (event jsonb); grant all on public.seen to supabase_auth_admin")
        .await;
    answers(
        &stage,
        "begin
            if event -> 'user' ->> 'email' like '%@example.com' then
                insert into public.seen values (event);
                return '{}';
            end if;
            return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'Only school addresses'));
        end",
    )
    .await;
    let refused = stage.ask("asha@elsewhere.org").await;
    assert_eq!((refused.status, refused.field("msg")), (403, "Only school addresses"), "HK5");
    assert_eq!(stage.number("select count(*) from auth.users").await, 0);
    assert_eq!(stage.ask(ASHA).await.status, 200);
    let event: Value =
        sqlx::query_scalar("select event from public.seen").fetch_one(stage.sql()).await.unwrap();
    assert_eq!(event["metadata"]["name"], "before-user-created");
    assert_eq!(event["metadata"]["ip_address"], "192.0.2.1");
    assert!(event["metadata"]["uuid"].is_string() && event["metadata"]["time"].is_string());
    let made: String =
        sqlx::query_scalar("select id::text from auth.users").fetch_one(stage.sql()).await.unwrap();
    assert_eq!(event["user"]["id"], made.as_str(), "the id that the account then has");
    assert_eq!(event["user"]["app_metadata"]["provider"], "email");
}

// rows: HK10
#[tokio::test]
async fn the_hook_stops_every_way_in_but_the_admins() {
    let stage = Stage::with(&format!(
        "[auth]\nenable_anonymous_sign_ins = true\n{}",
        function("before_user_created")
    ))
    .await;
    answers(&stage, "begin return '{\"error\": {\"http_code\": 400, \"message\": \"no\"}}'; end").await;
    let key = stage.service_key();
    assert_eq!(
        stage.post("/signup", json!({"email": ASHA, "password": "long enough"})).await.field("msg"),
        "no"
    );
    assert_eq!(stage.post("/signup", json!({})).await.field("msg"), "no", "anonymous");
    let invite = stage.post("/invite", json!({"email": ASHA})).header("apikey", &key).bearer(&key);
    assert_eq!(invite.await.field("msg"), "no");
    let made = stage.post("/admin/users", json!({"email": ASHA})).header("apikey", &key).bearer(&key);
    assert_eq!(made.await.status, 200);
}

// rows: HK1
#[tokio::test]
async fn after_user_created_hears_of_the_account_and_may_undo_it() {
    let stage = Stage::with(&function("after_user_created")).await;
    answers(
        &stage,
        "begin
            if not exists (select from auth.users where id::text = event -> 'user' ->> 'id') then
                raise exception 'no row';
            end if;
            if event -> 'user' ->> 'email' = 'ravi@example.com' then
                return '{\"error\": {\"http_code\": 409, \"message\": \"full\"}}';
            end if;
            return '{}';
        end",
    )
    .await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
    assert_eq!(stage.ask(RAVI).await.status, 409);
    assert_eq!(stage.number("select count(*) from auth.users").await, 1, "rolled back with it");
}

// rows: HK2
#[tokio::test]
async fn a_slow_function_is_stopped_after_two_seconds() {
    let stage = Stage::with(&function("before_user_created")).await;
    answers(&stage, "begin perform pg_sleep(30); return '{}'; end").await;
    let began = Instant::now();
    let refused = stage.ask(ASHA).await;
    assert_eq!(refused.error(), (500, "unexpected_failure"));
    assert!(began.elapsed().as_secs() < 8, "{:?}", began.elapsed());
    answers(&stage, "begin return '{}'; end").await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
}
