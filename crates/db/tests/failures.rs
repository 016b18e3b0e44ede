use std::{borrow::Cow, time::Duration};

use banyan_db::{Database, DatabaseSettings, Login, Param, RunAs, RunError, Statement};
use banyan_identity::Caller;
use banyan_testkit::{caller, platform_database};
use serde_json::Value;
use sqlx::Executor as _;

use crate::run_as::{run, statement};

fn refusal(outcome: Result<banyan_db::Rows, RunError>) -> banyan_db::DatabaseError {
    match outcome.expect_err("refused") {
        RunError::Database(error) => *error,
        other => panic!("{other:?} instead of a refusal"),
    }
}

#[tokio::test]
async fn an_error_keeps_every_field_a_client_may_need() {
    let database = platform_database().await;
    let raise = "do $$ begin raise sqlstate 'PT418' using message = 'm', detail = 'd', hint = 'h'; end $$";
    let error = refusal(run(&database, &Caller::anonymous(), raise).await);
    assert_eq!(
        (error.severity.as_str(), error.code.as_str(), error.message.as_str()),
        ("ERROR", "PT418", "m")
    );
    assert_eq!((error.detail.as_deref(), error.hint.as_deref()), (Some("d"), Some("h")));
    let error = refusal(run(&database, &Caller::anonymous(), "select * from nowhere").await);
    assert_eq!((error.code.as_str(), error.position), ("42P01", Some(15)));
    let table = "create table public.t (id int constraint t_only primary key, n int not null check (n > 0))";
    database.pool(Login::Postgres).execute(table).await.expect("created");
    run(&database, &Caller::service(), "insert into t values (1, 1)").await.expect("runs");
    let error = refusal(run(&database, &Caller::service(), "insert into t values (1, 1)").await);
    assert_eq!((error.code.as_str(), error.constraint.as_deref()), ("23505", Some("t_only")));
    assert_eq!((error.schema.as_deref(), error.table.as_deref()), (Some("public"), Some("t")));
    let error = refusal(run(&database, &Caller::service(), "insert into t values (2, null)").await);
    assert_eq!((error.code.as_str(), error.column.as_deref()), ("23502", Some("n")));
}

#[tokio::test]
async fn a_role_that_was_not_granted_is_refused() {
    let database = platform_database().await;
    for (role, code) in
        [("supabase_admin", "42501"), ("postgres", "42501"), ("nobody at all", "22023"), ("none", "22023")]
    {
        let error = refusal(run(&database, &caller(role, None, Value::Null), "select 1").await);
        assert_eq!(error.code, code, "{role}: {error}");
    }
}

// rows: PG-PIPELINE-READ
#[tokio::test]
async fn a_reading_request_cannot_write() {
    let database = platform_database().await;
    database.pool(Login::Postgres).execute("create table public.t (id int)").await.expect("created");
    let (service, insert) = (Caller::service(), statement("insert into t values (1)"));
    let error = refusal(database.run_as(&RunAs { read_only: true, ..RunAs::new(&service, &insert) }).await);
    assert_eq!(error.code, "25006");
    database.run_as(&RunAs::new(&service, &insert)).await.expect("writes");
}

// rows: PG-PIPELINE-TIMEOUT
#[tokio::test]
async fn a_timeout_of_the_request_ends_its_statement() {
    let database = platform_database().await;
    let (anonymous, sleep) = (Caller::anonymous(), statement("select pg_sleep(20)"));
    let settings = [("statement_timeout", Cow::from("80ms"))];
    let started = std::time::Instant::now();
    let run = RunAs { settings: &settings, ..RunAs::new(&anonymous, &sleep) };
    assert_eq!(refusal(database.run_as(&run).await).code, "57014");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_and_harms_nobody() {
    let database = platform_database().await;
    let anonymous = Caller::anonymous();
    let nul = statement("select '\0'");
    let error = database.run_as(&RunAs::new(&anonymous, &nul)).await.expect_err("NUL in the text");
    assert!(matches!(error, RunError::Unsendable(_)), "{error:?}");
    let many = Statement::new("select 1", vec![Param::null(); 65_536]);
    let error = database.run_as(&RunAs::new(&anonymous, &many)).await.expect_err("too many");
    assert!(matches!(error, RunError::Unsendable(_)), "{error:?}");
    let nul = Statement::new("select $1::text", vec![Param::text("a\0b")]);
    assert_eq!(refusal(database.run_as(&RunAs::new(&anonymous, &nul)).await).code, "22021");
    let settings = [("no such setting", Cow::from("x"))];
    let one = statement("select 1");
    let bad = RunAs { settings: &settings, ..RunAs::new(&anonymous, &one) };
    assert_eq!(refusal(database.run_as(&bad).await).code, "42704");
    assert_eq!(run(&database, &anonymous, "select 1").await.expect("runs").text(0, 0), Some("1"));
    assert_eq!(database.status().in_use, 0);
}

#[tokio::test]
async fn copy_from_stdin_is_refused_instead_of_waited_for() {
    let database = platform_database().await;
    database.pool(Login::Postgres).execute("create table public.t (id int)").await.expect("created");
    let error = refusal(run(&database, &Caller::service(), "copy t from stdin").await);
    assert_eq!(error.code, "57014");
    run(&database, &Caller::service(), "select 1").await.expect("runs");
}

#[tokio::test]
async fn a_result_above_the_bound_is_cut_off() {
    let database = platform_database().await;
    let settings =
        DatabaseSettings { max_result_bytes: 1 << 20, pool_size: 1, ..database.settings().clone() };
    let bounded = Database::connect(&settings).expect("valid settings");
    for text in ["select repeat('x', 1000), generate_series(1, 100000000)", "select repeat('x', 2000000)"] {
        let error = run(&bounded, &Caller::anonymous(), text).await.expect_err("too large");
        assert!(matches!(error, RunError::TooLarge { limit: 1_048_576 }), "{error:?}");
        run(&bounded, &Caller::anonymous(), "select 1").await.expect("the pool healed");
    }
}

#[tokio::test]
async fn a_backend_killed_in_mid_flight_is_unavailable_and_the_pool_heals() {
    let database = platform_database().await;
    let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                where query like '%pg_sleep(19)%' and pid <> pg_backend_pid() and usename = 'authenticator'";
    let anonymous = Caller::anonymous();
    let (outcome, ()) = tokio::join!(run(&database, &anonymous, "select pg_sleep(19)"), async {
        while sqlx::query(kill).fetch_all(database.pool(Login::Admin)).await.expect("asked").is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let error = outcome.expect_err("killed");
    assert!(matches!(error, RunError::Unavailable(_)), "{error:?}");
    for _ in 0..20 {
        run(&database, &Caller::anonymous(), "select 1").await.expect("the pool healed");
    }
}

#[tokio::test]
async fn backends_killed_while_idle_go_unnoticed() {
    let database = platform_database().await;
    let both =
        futures_util::future::join_all((0..8).map(|_| run(&database, &ANYBODY, "select pg_sleep(0.05)")));
    assert!(both.await.iter().all(Result::is_ok));
    let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                where usename = 'authenticator' and datname = current_database()";
    let killed = sqlx::query(kill).fetch_all(database.pool(Login::Admin)).await.expect("killed");
    assert_eq!(killed.len(), 8);
    for _ in 0..16 {
        run(&database, &ANYBODY, "select 1").await.expect("unnoticed");
    }
}

static ANYBODY: std::sync::LazyLock<Caller> = std::sync::LazyLock::new(Caller::anonymous);

#[tokio::test]
async fn a_server_that_is_away_is_unavailable() {
    let database = platform_database().await;
    let nowhere = std::env::temp_dir();
    let settings = DatabaseSettings {
        address: banyan_db::Address::Socket { folder: nowhere, port: 1 },
        ..database.settings().clone()
    };
    let away = Database::connect(&settings).expect("valid settings");
    assert!(matches!(away.ping().await, Err(RunError::Unreachable(_))));
    database.ping().await.expect("there");
}

#[tokio::test]
async fn a_wrong_password_is_a_refused_login() {
    let database = platform_database().await;
    let settings = DatabaseSettings { password: "wrong".to_owned().into(), ..database.settings().clone() };
    let stranger = Database::connect(&settings).expect("valid settings");
    let error = stranger.ping().await.expect_err("refused");
    assert!(matches!(&error, RunError::Login(refusal) if refusal.code == "28P01"), "{error:?}");
}

#[test]
fn debug_output_shows_no_parameter() {
    let statement = Statement::new("select $1", vec![Param::text("s3cret")]);
    assert!(!format!("{statement:?}").contains("s3cret"));
}
