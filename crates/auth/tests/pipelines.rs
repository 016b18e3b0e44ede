//! Codes are sent and entered without an open transaction: what another request changes in between
//! counts (CONTRACT.md M12, V4).

use std::time::Duration;

use banyan_testkit::Answer;
use banyan_testkit::CapturedLog;
use serde_json::json;

use crate::support::{ASHA, Stage, wrong};

const WAITING: &str =
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

/// Waits until a statement waits for a lock.
async fn until_somebody_waits(stage: &Stage) {
    let waiting = async {
        while stage.number(WAITING).await == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting).await.expect("nobody waits");
}

/// The answer to what is asked while a lock is held until the question waits for it and something
/// else was committed.
pub(crate) async fn answer_after(
    stage: &Stage,
    lock: &'static str,
    asked: impl Future<Output = Answer>,
    change: &'static str,
) -> Answer {
    let mut locker = stage.sql().begin().await.unwrap();
    sqlx::raw_sql(lock).execute(&mut *locker).await.unwrap();
    let changed = async {
        until_somebody_waits(stage).await;
        stage.execute(change).await;
        locker.rollback().await.unwrap();
    };
    tokio::join!(asked, changed).0
}

// rows: V4
#[tokio::test]
async fn who_is_banned_between_the_look_at_a_code_and_its_use_does_not_sign_in() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    // The look has seen the account as it was before, and waits to count.
    let lock = "select from auth.banyan_code_clients for update";
    let ban = "update auth.users set banned_until = '9000-01-01'";
    let entered = answer_after(&stage, lock, Box::pin(stage.verify(ASHA, &code)), ban).await;
    assert_eq!(entered.error(), (403, "user_banned"), "{}", entered.json());
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
}

// rows: M12
#[tokio::test]
async fn an_address_that_is_given_up_between_the_look_at_it_and_the_mail_gets_none() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    let mails = stage.mails(ASHA).await.len();
    let body = json!({"email": ASHA, "create_user": false});
    // The account has been looked at, and the code waits for its table.
    let lock = "lock table auth.one_time_tokens in access exclusive mode";
    let change = "update auth.users set email = 'ravi@example.com'";
    let asked = answer_after(&stage, lock, Box::pin(stage.post("/otp", &body).into_future()), change).await;
    assert_eq!(asked.error(), (422, "otp_disabled"), "{}", asked.json());
    assert_eq!(stage.mails(ASHA).await.len(), mails);
}

// rows: V4
#[tokio::test]
async fn an_account_that_somebody_is_at_is_judged_as_they_leave_it() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let mut admin = stage.sql().begin().await.unwrap();
    sqlx::raw_sql("update auth.users set banned_until = '9000-01-01'").execute(&mut *admin).await.unwrap();
    let banned = async {
        until_somebody_waits(&stage).await;
        admin.commit().await.unwrap();
    };
    let (entered, ()) = tokio::join!(stage.verify(ASHA, &code), banned);
    assert_eq!(entered.error(), (403, "user_banned"), "{}", entered.json());
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
}

// rows: M9
#[tokio::test]
async fn a_guess_counts_though_its_client_hangs_up() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = wrong(&stage.code(ASHA).await, 1);
    stage.execute("update auth.banyan_code_clients set tries = 4").await;
    let (written, _listening) = CapturedLog::listen();
    let mut locker = stage.sql().begin().await.unwrap();
    sqlx::raw_sql("select from auth.banyan_code_clients for update").execute(&mut *locker).await.unwrap();
    tokio::select! {
        answer = stage.verify(ASHA, &code) => panic!("answered before it was counted: {}", answer.json()),
        () = until_somebody_waits(&stage) => {}
    }
    locker.rollback().await.unwrap();
    let counted = async {
        while stage.number("select sum(tries) from auth.banyan_code_clients").await == 4 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        while written.lines("wrong guesses ended a code").is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), counted)
        .await
        .expect("the guess is counted, and the last is told");
}

// rows: S1
#[tokio::test]
async fn nothing_is_done_at_an_account_that_cannot_be_shown() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.ask(ASHA).await;
    let left = "select count(*) from (select id from auth.sessions union all select id from auth.audit_log_entries) as r";
    let before = stage.number(left).await;
    let deep = r#"update auth.identities set identity_data = (repeat('{"a":', 200) || 1 || repeat('}', 200))::jsonb"#;
    stage.execute(deep).await;
    let code = stage.code(ASHA).await;
    assert_eq!(stage.verify(ASHA, &code).await.error(), (500, "unexpected_failure"));
    assert_eq!(stage.number(left).await, before);
    stage.execute("update auth.identities set identity_data = '{}'").await;
    let session = stage.verify(ASHA, &code).await;
    assert_eq!(session.status, 200, "the code was not used up: {}", session.json());
}

/// In the list of its account an identity is nested deeper than by itself.
// rows: S1
#[tokio::test]
async fn an_identity_is_read_from_a_list_as_it_is_by_itself() {
    let stage = Stage::new().await;
    let earlier = stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.ask(ASHA).await;
    let deep = r#"update auth.identities set identity_data = (repeat('{"a":', 126) || 1 || repeat('}', 126))::jsonb"#;
    stage.execute(deep).await;
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session.status, 200, "{}", session.text());
    let shown = stage.get("/user").bearer(earlier.field("access_token")).await;
    assert_eq!(shown.status, 200, "{}", shown.text());
}

// rows: B11 S1
#[tokio::test]
async fn times_are_read_whatever_their_style_in_the_database() {
    let stage = Stage::new().await;
    stage
        .execute(
            "do $$ begin
                execute format('alter database %I set datestyle = ''German''', current_database());
            end $$",
        )
        .await;
    let session = stage.sign_in(ASHA).await;
    let shown = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(shown.status, 200, "{}", shown.text());
    assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 200);
}

// rows: R11 V13 O17
#[tokio::test]
async fn who_is_banned_for_ever_is_banned_and_shown() {
    for until in ["infinity", "12026-01-01"] {
        let stage = Stage::with("[auth.email]\nmax_frequency = \"1s\"\n").await;
        let session = stage.sign_in(ASHA).await;
        stage.wait(2);
        stage.ask(ASHA).await;
        sqlx::query("update auth.users set banned_until = $1::text::timestamptz")
            .bind(until)
            .execute(stage.sql())
            .await
            .unwrap();
        let refused = stage.verify(ASHA, &stage.code(ASHA).await).await;
        assert_eq!(refused.error(), (403, "user_banned"), "{until}: {}", refused.json());
        let refused = stage.refresh(session.field("refresh_token")).await;
        assert_eq!(refused.error(), (400, "user_banned"), "{until}: {}", refused.json());
        let (key, user) = (stage.service_key(), session["user"]["id"].as_str().unwrap());
        for path in ["/admin/users", &format!("/admin/users/{user}")] {
            let shown = stage.get(path).bearer(&key).await;
            assert_eq!(shown.status, 200, "{path}: {}", shown.json());
            assert!(
                shown.json().to_string().contains(r#""banned_until":"9999-12-31T00:00:00Z""#),
                "{}",
                shown.json()
            );
        }
        stage.execute("update auth.users set banned_until = '-infinity'").await;
        let shown = stage.get(&format!("/admin/users/{user}")).bearer(&key).await;
        assert_eq!(shown["banned_until"], serde_json::Value::Null, "{}", shown.json());
        assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 200, "a ban that is over");
    }
}

/// Nobody but the service fills its own tables; but a request that panics must not end the
/// connection of others.
// rows: E6
#[tokio::test]
async fn a_request_that_panics_is_a_fault_and_no_more() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.execute("update auth.banyan_code_clients set sent_at = 'infinity'").await;
    let asked = stage.ask(ASHA).await;
    assert_eq!(asked.error(), (500, "unexpected_failure"), "{}", asked.json());
    stage.execute("update auth.banyan_code_clients set sent_at = null").await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
}

// rows: M8
#[tokio::test]
async fn a_code_that_waits_for_its_account_takes_one_mail_of_the_hour() {
    let mut config = banyan_testkit::config_with("[auth.email]\nenable_confirmations = true\n");
    config.auth.rate_limits.email_sent = 2;
    let stage = Stage::of(config).await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    let lock = "select from auth.users for update";
    let asked = answer_after(&stage, lock, Box::pin(stage.ask(ASHA)), "select").await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    stage.wait(2);
    assert_eq!(stage.ask(ASHA).await.error(), (429, "over_email_send_rate_limit"));
}

// rows: M8
#[tokio::test]
async fn a_code_that_is_not_sent_takes_no_mail_though_its_client_hangs_up() {
    let mut config = banyan_testkit::config_with("[auth.email]\nenable_confirmations = true\n");
    config.auth.rate_limits.email_sent = 2;
    let stage = Stage::of(config).await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    let mut locker = stage.sql().begin().await.unwrap();
    let lock = "lock table auth.one_time_tokens in access exclusive mode";
    sqlx::raw_sql(lock).execute(&mut *locker).await.unwrap();
    tokio::select! {
        answer = stage.ask(ASHA) => panic!("answered before the code was kept: {}", answer.json()),
        () = until_somebody_waits(&stage) => {}
    }
    // The account is not as it was read any more, so nothing is sent.
    stage.execute("update auth.users set updated_at = now()").await;
    locker.rollback().await.unwrap();
    stage.wait(2);
    let sent = async {
        while stage.ask(ASHA).await.status != 200 {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), sent).await.expect("the mail of the hour is gone");
}

// rows: Z4
#[tokio::test]
async fn what_the_project_does_at_a_sign_in_is_in_its_answer_or_stops_it() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    stage
        .execute(
            r#"create function public.welcome() returns trigger language plpgsql security definer as $$
            begin
                if new.last_sign_in_at is distinct from old.last_sign_in_at then
                    update auth.users set raw_app_meta_data = raw_app_meta_data || '{"seen": true}' where id = new.id;
                end if;
                return null;
            end $$;
            create trigger welcome after update on auth.users for each row execute function public.welcome();"#,
        )
        .await;
    let session = stage.sign_in(ASHA).await;
    assert_eq!(session["user"]["app_metadata"]["seen"], json!(true), "{}", session.json());
    assert_eq!(stage.claims(session.field("access_token"))["app_metadata"]["seen"], json!(true));
    stage.wait(2);
    stage
        .execute(
            "create function public.closed() returns trigger language plpgsql as $$
            begin
                if new.last_sign_in_at is distinct from old.last_sign_in_at then
                    raise sqlstate 'PT403' using message = 'closed today';
                end if;
                return new;
            end $$;
            create trigger closed before update on auth.users for each row execute function public.closed();",
        )
        .await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let sessions = stage.number("select count(*) from auth.sessions").await;
    let refused = stage.verify(ASHA, &code).await;
    assert_eq!(refused.status, 403, "{}", refused.json());
    assert!(refused.json().to_string().contains("closed today"), "{}", refused.json());
    assert_eq!(stage.number("select count(*) from auth.sessions").await, sessions);
    stage.execute("drop trigger closed on auth.users").await;
    assert_eq!(stage.verify(ASHA, &code).await.status, 200, "the code was not used up");
}

// rows: W10 M22
#[tokio::test]
async fn codes_that_wait_for_a_table_keep_no_connection_for_long() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage
        .execute(
            "insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, created_at, updated_at)
            select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
                n || '@example.com', now(), now(), now()
            from generate_series(1, 16) as n",
        )
        .await;
    let mut locker = stage.sql().begin().await.unwrap();
    let lock = "lock table auth.one_time_tokens in access exclusive mode";
    sqlx::raw_sql(lock).execute(&mut *locker).await.unwrap();
    let asked: Vec<_> = (1..=16)
        .map(|n| {
            let stage = stage.clone();
            tokio::spawn(async move { stage.ask(&format!("{n}@example.com")).await })
        })
        .collect();
    until_somebody_waits(&stage).await;
    let shown = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(shown.status, 200, "{}", shown.text());
    for asked in asked {
        let asked = tokio::time::timeout(Duration::from_secs(30), asked).await.expect("it waits").unwrap();
        assert_eq!(asked.error(), (504, "request_timeout"), "{}", asked.json());
    }
    let ended = async {
        while stage.number(WAITING).await > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), ended).await.expect("a code still waits");
    locker.rollback().await.unwrap();
    assert_eq!(stage.ask("1@example.com").await.status, 200, "the pause of a code that was sent");
}

// rows: M7
#[tokio::test]
async fn a_code_counts_unless_it_is_known_that_it_was_not_sent() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    for (statement, next) in [
        ("raise exception 'not today'", (200, "")),
        ("perform pg_terminate_backend(pg_backend_pid())", (429, "over_email_send_rate_limit")),
    ] {
        stage.wait(2);
        let text = format!(
            "create or replace function public.ends() returns trigger language plpgsql security definer as $$
            begin {statement}; return new; end $$;
            create or replace trigger ends before insert on auth.one_time_tokens
                for each row execute function public.ends()"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(text)).execute(stage.sql()).await.unwrap();
        assert_eq!(stage.ask(ASHA).await.status, 500, "{statement}");
        stage.execute("drop trigger ends on auth.one_time_tokens").await;
        let again = stage.ask(ASHA).await;
        assert_eq!(again.status, next.0, "{statement}: {}", again.json());
        if next.0 != 200 {
            assert_eq!(again.error(), next, "{statement}");
        }
    }
}
