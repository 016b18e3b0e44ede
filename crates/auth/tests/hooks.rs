use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use banyan_testkit::CapturedLog;
use banyan_web::{Body, full};
use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{
    factors,
    fake_server::{Fake, Said},
    passwords::LEAST_TIME,
    support::{ASHA, RAVI, Stage},
};

const SECRET: &str = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER: &str = "v1,whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

fn hook(point: &str, uri: &str) -> String {
    format!("[auth.hook.{point}]\nenabled = true\nuri = \"{uri}\"\nsecrets = \"{SECRET}\"\n")
}

fn function(point: &str) -> String {
    hook(point, "pg-functions://postgres/public/hook")
}

/// A function of the database that answers so.
async fn answers(stage: &Stage, body: &str) {
    let text = format!(
        "create or replace function public.hook(event jsonb) returns jsonb language plpgsql as $$ {body} $$;
        grant execute on function public.hook to supabase_auth_admin"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(text)).execute(stage.sql()).await.unwrap();
}

/// A slow hook raises the pace of refusals for all: whoever tries an account, or an address that
/// nobody has, sees the same times.
// rows: PW9 C12
#[tokio::test]
async fn refusals_take_as_long_as_the_slowest_of_late_at_known_and_unknown_addresses() {
    let slow = Duration::from_secs(1);
    let stage = Stage::with(&function("password_verification_attempt")).await;
    crate::passwords::sign_up(&stage, ASHA).await;
    let refused = async |email: &str| {
        let (began, body) = (Instant::now(), json!({"email": email, "password": "wrong horse"}));
        let refused = stage.post("/token?grant_type=password", &body).await;
        assert_eq!(refused.error(), (400, "invalid_credentials"), "{email}");
        began.elapsed()
    };
    answers(&stage, "begin perform pg_sleep(1); return '{\"decision\": \"continue\"}'; end").await;
    refused(ASHA).await;
    answers(&stage, "begin return '{\"decision\": \"continue\"}'; end").await;
    for email in [ASHA, ASHA, ASHA, ASHA, "nobody@example.com", ASHA, ASHA, "nobody@example.com"] {
        let time = refused(email).await;
        assert!(time >= slow, "{email}: {time:?}");
    }
}

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

// rows: HK7 T16
#[tokio::test]
async fn the_access_token_hook_changes_claims_and_may_not_break_them() {
    let stage = Stage::with(&function("custom_access_token")).await;
    answers(
        &stage,
        "begin
            return jsonb_build_object('claims',
                event -> 'claims' || jsonb_build_object('plan', 'school', 'by', event ->> 'authentication_method'));
        end",
    )
    .await;
    let session = stage.sign_in(ASHA).await;
    let claims = stage.claims(session.field("access_token"));
    assert_eq!((claims["plan"].as_str(), claims["by"].as_str()), (Some("school"), Some("otp")));
    stage.wait(60);
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(stage.claims(refreshed.field("access_token"))["by"], "token_refresh");
    answers(&stage, "begin return jsonb_build_object('claims', (event -> 'claims') - 'role'); end").await;
    stage.wait(60);
    let broken = stage.refresh(refreshed.field("refresh_token")).await;
    assert_eq!(broken.error(), (500, "unexpected_failure"));
    assert!(broken.field("msg").contains("role is required"), "{}", broken.json());
    answers(&stage, "begin return event -> 'claims'; end").await;
    let missing = stage.refresh(refreshed.field("refresh_token")).await;
    assert!(missing.field("msg").contains("claims field is missing"), "{}", missing.json());
    answers(&stage, "begin return event; end").await;
    assert_eq!(
        stage.refresh(refreshed.field("refresh_token")).await.status,
        200,
        "no fault of the hook costs the session"
    );
}

// rows: HK7
#[tokio::test]
async fn who_gets_no_claims_from_the_database_has_no_session() {
    let stage = Stage::with(&function("custom_access_token")).await;
    answers(&stage, "begin return event; end").await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    let left = "select count(*) from (select id from auth.sessions union all select id from auth.audit_log_entries where payload ->> 'action' = 'login') as r";
    let before = stage.number(left).await;
    answers(&stage, "begin raise exception 'none today'; end").await;
    stage.ask(ASHA).await;
    let refused = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(refused.error(), (500, "unexpected_failure"), "{}", refused.json());
    assert_eq!(stage.number(left).await, before);
}

// rows: HK7
#[tokio::test]
async fn a_code_whose_claims_the_database_refuses_can_be_entered_again() {
    let stage = Stage::with(&function("custom_access_token")).await;
    answers(&stage, "begin return event; end").await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let signed_in = "select extract(epoch from last_sign_in_at)::bigint from auth.users";
    let before = stage.number(signed_in).await;
    answers(&stage, "begin raise exception 'none today'; end").await;
    let refused = stage.verify(ASHA, &code).await;
    assert_eq!(refused.error(), (500, "unexpected_failure"), "{}", refused.json());
    assert_eq!(stage.number(signed_in).await, before);
    answers(&stage, "begin return event; end").await;
    let entered = stage.verify(ASHA, &code).await;
    assert_eq!(entered.status, 200, "{}", entered.json());
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

// rows: HK3 HK10
#[tokio::test]
async fn an_http_hook_is_called_with_signatures_that_check() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let config = hook("before_user_created", &fake.url).replace(SECRET, &format!("{SECRET}|{OTHER}"));
    let stage = Stage::with(&config).await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
    let asked = fake.asked().remove(0);
    assert_eq!(asked.json()["user"]["email"], ASHA);
    assert_eq!(asked.headers["content-type"], "application/json");
    let (id, timestamp) = (&asked.headers["webhook-id"], &asked.headers["webhook-timestamp"]);
    assert_eq!(*timestamp, stage.now().unix_timestamp().to_string());
    let expected: Vec<String> = [SECRET, OTHER]
        .iter()
        .map(|secret| {
            let key = STANDARD.decode(secret.strip_prefix("v1,whsec_").unwrap()).unwrap();
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
            mac.update(format!("{id}.{timestamp}.{}", asked.json()).as_bytes());
            format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
        })
        .collect();
    assert_eq!(asked.headers["webhook-signature"], expected.join(", "));
}

// rows: HK4 HK5
#[tokio::test]
async fn answers_of_http_hooks_are_read_as_documented() {
    let said = |index: usize| match index {
        0 => Said::text(204, "text/plain", ""),
        1 => Said::json(202, &json!({})),
        2 => Said::json(200, &json!({"error": {"http_code": 418, "message": "tea only"}})),
        3 => Said::text(200, "text/html", "<p>"),
        4 => Said::json(403, &json!({})),
        5 => Said::text(200, "application/json", "{"),
        6 => Said::json(200, &json!({"long": "x".repeat(201 * 1024)})),
        _ => Said::json(503, &json!({})),
    };
    let fake = Fake::start(move |_, index| said(index)).await;
    let stage = Stage::with(&hook("before_user_created", &fake.url)).await;
    let expected = [
        (200, ""),
        (200, ""),
        (418, "unknown"),
        (400, "hook_payload_invalid_content_type"),
        (500, "unexpected_failure"),
        (500, "unexpected_failure"),
        (422, "hook_payload_over_size_limit"),
        (500, "unexpected_failure"),
    ];
    for (index, expected) in expected.into_iter().enumerate() {
        let answer = stage.ask(&format!("user{index}@example.com")).await;
        assert_eq!(answer.error(), expected, "{index}: {}", answer.json());
    }
    assert_eq!(fake.asked().len(), 8, "none of them is asked twice");
}

// rows: HK4
#[tokio::test]
async fn a_hook_that_asks_to_come_back_is_asked_three_times() {
    let busy = |index: usize| {
        if index < 2 {
            Said::json(429, &json!({})).with("retry-after", "true")
        } else {
            Said::json(200, &json!({}))
        }
    };
    let fake = Fake::start(move |_, index| busy(index)).await;
    let stage = Stage::with(&hook("before_user_created", &fake.url)).await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
    let ids: std::collections::BTreeSet<String> =
        fake.asked().into_iter().map(|asked| asked.headers["webhook-id"].clone()).collect();
    assert_eq!(ids.len(), 3, "each call has its id");
}

// rows: HK3
#[tokio::test]
async fn a_hook_that_is_not_there_or_never_answers_ends_within_five_seconds() {
    let stage = Stage::with(&hook("before_user_created", "http://127.0.0.1:1/")).await;
    let began = Instant::now();
    let refused = stage.ask(ASHA).await;
    assert_eq!(refused.error(), (422, "hook_timeout_after_retry"), "{}", refused.json());
    assert!(began.elapsed().as_secs() < 7);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let stage = Stage::with(&hook("before_user_created", &silent)).await;
    let began = Instant::now();
    assert_eq!(stage.ask(ASHA).await.error(), (422, "hook_timeout"));
    assert!(began.elapsed().as_secs() < 7);
}

// rows: HK8
#[tokio::test]
async fn the_mail_hook_sends_in_our_stead() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
    assert!(stage.mails(ASHA).await.is_empty(), "nothing goes out twice");
    let asked = fake.asked().remove(0).json();
    let data = &asked["email_data"];
    assert_eq!((&asked["user"]["email"], &data["email_action_type"]), (&json!(ASHA), &json!("magiclink")));
    assert_eq!(data["site_url"], "http://127.0.0.1:54321/auth/v1");
    assert_eq!((&data["token_new"], &data["token_hash_new"]), (&json!(""), &json!("")));
    let body = json!({"type": "email", "token_hash": data["token_hash"]});
    let by_hash = stage.post("/verify", &body).await;
    assert_eq!(by_hash.status, 200, "{}", by_hash.json());
    stage.wait(2);
    stage.ask(ASHA).await;
    let code = fake.asked()[1].json()["email_data"]["token"].as_str().unwrap().to_owned();
    assert_eq!(stage.verify(ASHA, &code).await.status, 200);
}

// rows: HK8
#[tokio::test]
async fn one_call_tells_both_codes_of_an_address_change() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    stage.ask(ASHA).await;
    let code = fake.asked()[0].json()["email_data"]["token"].as_str().unwrap().to_owned();
    let session = stage.verify(ASHA, &code).await;
    let put = stage.put("/user", json!({"email": RAVI})).bearer(session.field("access_token")).await;
    assert_eq!(put.status, 200, "{}", put.json());
    assert_eq!(fake.asked().len(), 2, "one call");
    let data = fake.asked()[1].json()["email_data"].clone();
    assert_eq!(data["email_action_type"], "email_change");
    let confirm = |email: &'static str, token: Value| {
        let body = json!({"type": "email_change", "email": email, "token": token});
        let stage = stage.clone();
        async move { stage.post("/verify", &body).await }
    };
    assert_eq!(confirm(ASHA, data["token"].clone()).await.status, 200, "token is the current address's");
    let body = json!({"type": "email_change", "token_hash": data["token_hash"]});
    let changed = stage.post("/verify", &body).await;
    assert_eq!(changed["user"]["email"], RAVI, "token_hash is the new one's: {}", changed.json());
}

/// `token` is what a hook mails to the current address: the new one's code never stands there.
// rows: HK8 U7
#[tokio::test]
async fn of_a_half_agreed_change_the_hook_is_told_the_other_code_alone() {
    let cases = [
        (ASHA, "token", ["token", "token_hash_new"], ["token_new", "token_hash"]),
        (RAVI, "token_new", ["token_new", "token_hash"], ["token", "token_hash_new"]),
    ];
    for (agrees, by, empty, other) in cases {
        let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
        let stage = half_agreed(&fake, (agrees, by)).await;
        let again = stage.post("/resend", json!({"type": "email_change", "email": ASHA})).await;
        assert_eq!(again.status, 200, "{}", again.json());
        let data = fake.asked()[2].json()["email_data"].clone();
        assert_eq!(empty.map(|key| data[key].clone()), ["", ""].map(Value::from), "{agrees} agreed: {data}");
        let body = json!({"type": "email_change", "token_hash": data[other[1]]});
        let changed = stage.post("/verify", &body).await;
        assert_eq!(changed["user"]["email"], RAVI, "{agrees} agreed: {}", changed.json());
    }
}

// rows: HK8 U7
#[tokio::test]
async fn when_the_mail_hook_fails_no_code_of_a_half_agreed_change_is_kept() {
    let fake = Fake::start(|_, index| Said::json(if index < 2 { 200 } else { 500 }, &json!({}))).await;
    let stage = half_agreed(&fake, (ASHA, "token")).await;
    stage.post("/resend", json!({"type": "email_change", "email": ASHA})).await;
    assert_eq!(fake.asked().len(), 3);
    assert_eq!(stage.number("select count(*) from auth.one_time_tokens").await, 0);
}

/// A stage with the hook, where one of two owners agreed to a change of address by the code that
/// the hook was told as `by`.
async fn half_agreed(fake: &Fake, (agrees, by): (&str, &str)) -> Stage {
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    stage.ask(ASHA).await;
    let told = |at: usize| fake.asked()[at].json()["email_data"].clone();
    let session = stage.verify(ASHA, told(0)["token"].as_str().unwrap()).await;
    stage.put("/user", json!({"email": RAVI})).bearer(session.field("access_token")).await;
    let body = json!({"type": "email_change", "email": agrees, "token": told(1)[by]});
    assert_eq!(stage.post("/verify", &body).await["code"], "200");
    stage.wait(5);
    stage
}

/// A thief began a change; the hook takes their session away.
// rows: HK11 S8
#[tokio::test]
async fn a_sign_out_by_a_hook_ends_changes_that_are_under_way() {
    let stage = Stage::with(&function("password_verification_attempt")).await;
    crate::passwords::sign_up(&stage, ASHA).await;
    let thief = stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.put("/user", json!({"email": RAVI})).bearer(thief.field("access_token")).await;
    answers(&stage, "begin return '{\"decision\": \"reject\", \"should_logout_user\": true}'; end").await;
    let body = json!({"email": ASHA, "password": "wrong horse"});
    assert_eq!(stage.post("/token?grant_type=password", &body).await.status, 400);
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
    let body = json!({"type": "email_change", "email": RAVI, "token": stage.code(RAVI).await});
    assert_eq!(stage.post("/verify", &body).await.error(), (403, "otp_expired"));
}

// rows: HK8
#[tokio::test]
async fn when_the_mail_hook_fails_no_code_is_kept() {
    let fake = Fake::start(|_, _| Said::json(500, &json!({}))).await;
    let stage = Stage::with(&hook("send_email", &fake.url)).await;
    assert_eq!(stage.ask(ASHA).await.error(), (500, "unexpected_failure"));
    assert_eq!(stage.number("select count(*) from auth.one_time_tokens").await, 0);
}

// rows: HK11
#[tokio::test]
async fn the_log_tells_of_a_decision_that_is_none() {
    let stage = Stage::with(&function("password_verification_attempt")).await;
    crate::passwords::sign_up(&stage, ASHA).await;
    answers(&stage, "begin return '{\"decision\": \"deny\"}'; end").await;
    let (written, _listening) = CapturedLog::listen();
    let body = json!({"email": ASHA, "password": crate::passwords::PASSWORD});
    let session = stage.post("/token?grant_type=password", &body).await;
    assert_eq!(session.status, 200, "as in the reference: {}", session.json());
    let line = written.lines("a hook's decision is unknown").remove(0);
    assert!(line.contains("deny") && line.contains("password_verification_attempt"), "{line}");
}

// rows: HK11
#[tokio::test]
async fn a_decision_that_is_no_text_is_a_hook_that_failed() {
    let stage = Stage::with(&function("password_verification_attempt")).await;
    crate::passwords::sign_up(&stage, ASHA).await;
    let body = json!({"email": ASHA, "password": crate::passwords::PASSWORD});
    let unclear = "\"reject\", \"should_logout_user\": \"true\"";
    for said in ["false", "[\"reject\"]", "{\"decision\": \"reject\"}", unclear] {
        answers(&stage, &format!("begin return '{{\"decision\": {said}}}'; end")).await;
        let refused = stage.post("/token?grant_type=password", &body).await;
        assert_eq!(refused.error(), (500, "unexpected_failure"), "{said}: {}", refused.json());
    }
    for said in ["\"reject\"", "[\"reject\"]", "true"] {
        answers(&stage, &format!("begin return '{said}'; end")).await;
        let refused = stage.post("/token?grant_type=password", &body).await;
        assert_eq!(refused.error(), (500, "unexpected_failure"), "{said}: {}", refused.json());
    }
    answers(&stage, "begin return '{\"Decision\": \"reject\"}'; end").await;
    assert_eq!(stage.post("/token?grant_type=password", &body).await.status, 400, "as in the reference");
    answers(&stage, "begin return '{\"decision\": null}'; end").await;
    assert_eq!(stage.post("/token?grant_type=password", &body).await.status, 200);
}

// rows: HK1
#[tokio::test]
async fn the_log_tells_why_a_hook_could_not_be_told() {
    let stage = Stage::with(&hook("after_user_created", "functions:///greet")).await;
    let (written, _listening) = CapturedLog::listen();
    let signed = stage.post("/signup", json!({"email": ASHA, "password": "long enough"})).await;
    assert_eq!(signed.status, 200, "{}", signed.json());
    let line = written.lines("a hook could not be told of what was done").remove(0);
    for told in ["after_user_created", "functions:///greet", "this server hosts no functions"] {
        assert!(line.contains(told), "{told} is not in {line}");
    }
}

const PHONE: &str = "[auth.sms]\nenable_signup = true\nenable_confirmations = true\n";

// rows: HK9 X13
#[tokio::test]
async fn phone_codes_go_out_by_the_sms_hook() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let stage = Stage::with(&format!("{PHONE}{}", hook("send_sms", &fake.url))).await;
    let asked = stage.post("/otp", json!({"phone": "+919800000001"})).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    let told = fake.asked().remove(0).json();
    assert_eq!((&told["sms"]["phone"], &told["sms"]["sms_type"]), (&json!("919800000001"), &json!("sms")));
    assert_eq!(told["user"]["phone"], "919800000001");
    let code = told["sms"]["otp"].as_str().unwrap();
    assert_eq!(code.len(), 6);
    let body = json!({"type": "sms", "phone": "+919800000001", "token": code});
    let session = stage.post("/verify", &body).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["user"]["phone"], "919800000001");
    let again = stage.post("/verify", &body).await;
    assert_eq!(again.error(), (403, "otp_expired"), "once");
}

// rows: HK9 X13
#[tokio::test]
async fn without_a_hook_a_named_provider_fails_when_it_is_used() {
    let stage = Stage::with(&format!("{PHONE}[auth.sms.twilio]\nenabled = true\n")).await;
    let refused = stage.post("/otp", json!({"phone": "+919800000001"})).await;
    assert_eq!(refused.error(), (422, "sms_send_failed"));
    assert_eq!(stage.number("select count(*) from auth.one_time_tokens").await, 0);
}

const TOTP: &str = "[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n";

// rows: F9 HK11
#[tokio::test]
async fn the_factor_hook_rejects_and_signs_out_and_keeps_what_it_counts() {
    let stage = Stage::with(&format!("{TOTP}{}", function("mfa_verification_attempt"))).await;
    stage
        .execute("create table public.tries (event jsonb); grant all on public.tries to supabase_auth_admin")
        .await;
    answers(
        &stage,
        "begin
            insert into public.tries values (event);
            if (select count(*) from public.tries where not (tries.event -> 'valid')::boolean) >= 2 then
                return '{\"decision\": \"reject\", \"message\": \"too often\"}';
            end if;
            return '{\"decision\": \"continue\"}';
        end",
    )
    .await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let enrolled = factors::enroll(&stage, token, "a").await;
    let (id, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
    let wrong = factors::verify(&stage, token, id, &factors::code(&stage, secret, 9)).await;
    assert_eq!(wrong.error(), (422, "mfa_verification_failed"));
    let rejected = factors::verify(&stage, token, id, &factors::code(&stage, secret, 9)).await;
    assert_eq!((rejected.error(), rejected.field("msg")), ((403, "mfa_verification_rejected"), "too often"));
    assert_eq!(stage.get("/user").bearer(token).await.error(), (403, "session_not_found"));
    let event: Value =
        sqlx::query_scalar("select event from public.tries limit 1").fetch_one(stage.sql()).await.unwrap();
    assert_eq!((&event["factor_id"], &event["factor_type"]), (&json!(id), &json!("totp")));
    assert_eq!(stage.number("select count(*) from public.tries").await, 2, "rejections are kept");
}

/// The answer of a hook that means to say something, and a change of address that a thief began.
// rows: F9 HK11 S8
#[tokio::test]
async fn the_factor_hook_fails_without_a_word_and_its_sign_out_ends_changes() {
    let no_double = "[auth.email]\ndouble_confirm_changes = false\n";
    let stage = Stage::with(&format!("{no_double}{TOTP}{}", function("mfa_verification_attempt"))).await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    stage.wait(2);
    stage.put("/user", json!({"email": RAVI})).bearer(token).await;
    let enrolled = factors::enroll(&stage, token, "a").await;
    let (id, secret) = (enrolled.field("id"), enrolled["totp"]["secret"].as_str().unwrap());
    let tried = async |said: &str| {
        answers(&stage, &format!("begin return '{{\"decision\": {said}}}'; end")).await;
        factors::verify(&stage, token, id, &factors::code(&stage, secret, 9)).await
    };
    assert_eq!(tried("true").await.error(), (500, "unexpected_failure"));
    assert_eq!(tried("\"reject\"").await.error(), (403, "mfa_verification_rejected"));
    let body = json!({"type": "email_change", "email": RAVI, "token": stage.code(RAVI).await});
    assert_eq!(stage.post("/verify", &body).await.error(), (403, "otp_expired"));
}

// rows: HK11 PW11
#[tokio::test]
async fn the_password_hook_rejects_right_passwords_too() {
    let stage = Stage::with(&function("password_verification_attempt")).await;
    stage
        .execute("create table public.tries (event jsonb); grant all on public.tries to supabase_auth_admin")
        .await;
    answers(
        &stage,
        "begin insert into public.tries values (event); return '{\"decision\": \"continue\"}'; end",
    )
    .await;
    let signed = stage.post("/signup", json!({"email": ASHA, "password": "long enough"})).await;
    assert_eq!(signed.status, 200, "{}", signed.json());
    let try_with = |password: &'static str| {
        let stage = stage.clone();
        async move {
            let body = json!({"email": ASHA, "password": password});
            stage.post("/token?grant_type=password", &body).await
        }
    };
    assert_eq!(try_with("long enough").await.status, 200);
    assert_eq!(try_with("wrong").await.error(), (400, "invalid_credentials"));
    let valid: Vec<bool> =
        sqlx::query_scalar("select (event -> 'valid')::boolean from public.tries order by 1")
            .fetch_all(stage.sql())
            .await
            .unwrap();
    assert_eq!(valid, [false, true]);
    answers(&stage, "begin return '{\"decision\": \"reject\", \"should_logout_user\": true}'; end").await;
    let began = Instant::now();
    let rejected = try_with("long enough").await;
    assert_eq!(rejected.error(), (400, "invalid_credentials"));
    assert_eq!(rejected.field("msg"), "Further password verification attempts will be rejected.");
    let time = began.elapsed();
    assert!(time >= LEAST_TIME, "only known accounts come to the hook, which no time may tell: {time:?}");
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0, "signed out");
}

// rows: HK12
#[tokio::test]
async fn a_function_that_is_being_compiled_is_waited_for() {
    let stage = Stage::with(&hook("before_user_created", "functions:///judge")).await;
    let (began, asked) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    stage.call_functions_by(Arc::new(move |_: http::Request<Body>| {
        let is_early = count.fetch_add(1, Relaxed) < 2;
        Box::pin(async move {
            let mut answer = http::Response::new(full("{}"));
            if is_early {
                *answer.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
                answer
                    .headers_mut()
                    .insert("sb-error-code", http::HeaderValue::from_static("FUNCTION_NOT_READY"));
            }
            answer
        })
    }));
    assert_eq!(stage.ask(ASHA).await.status, 200);
    assert_eq!(asked.load(Relaxed), 3);
    assert!(began.elapsed() >= Duration::from_millis(500), "it paused");
}

// rows: HK12
#[tokio::test]
async fn a_function_of_the_project_is_asked_inside_the_process() {
    let stage = Stage::with(&hook("before_user_created", "functions:///judge")).await;
    let (written, _listening) = CapturedLog::listen();
    assert_eq!(stage.ask(ASHA).await.status, 500, "nobody hosts functions yet");
    let told = written.lines("a hook failed");
    assert!(told[0].contains("before_user_created") && told[0].contains("functions:///judge"), "{told:?}");
    stage.call_functions_by(Arc::new(|request: http::Request<Body>| {
        Box::pin(async move {
            assert_eq!(request.uri().path(), "/functions/v1/judge");
            assert!(request.headers()["authorization"].to_str().unwrap().starts_with("Bearer ey"));
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let event: Value = serde_json::from_slice(&body).unwrap();
            let answer = if event["user"]["email"] == ASHA {
                json!({})
            } else {
                json!({"error": {"http_code": 403, "message": "not you"}})
            };
            http::Response::new(full(answer.to_string()))
        })
    }));
    assert_eq!(stage.ask(ASHA).await.status, 200);
    assert_eq!(stage.ask(RAVI).await.field("msg"), "not you");
}
