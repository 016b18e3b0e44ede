//! Short reads share connections, and nobody notices.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_db::{Database, DatabaseSettings, Login, Param, RunAs, RunError, Statement};
use banyan_identity::Caller;
use banyan_testkit::{TestDatabase, caller, platform_database, user};
use futures_util::future::join_all;
use sqlx::Executor as _;
use uuid::Uuid;

use crate::run_as::statement;

/// Connections of the callers' pool to a test's database.
const BACKENDS: &str = "select count(*) from pg_stat_activity \
                        where datname = current_database() and usename = 'authenticator'";

async fn number(database: &Database, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(database.pool(Login::Admin)).await.expect("a number")
}

async fn read(
    database: &Database,
    caller: &Caller,
    statement: &Statement,
) -> Result<Option<String>, RunError> {
    let run = RunAs { read_only: true, ..RunAs::new(caller, statement) };
    Ok(database.run_as(&run).await?.text(0, 0).map(str::to_owned))
}

/// Runs a statement until it is known to be short and a shared connection is open.
async fn learn(database: &Database, caller: &Caller, statement: &Statement) {
    for _ in 0..20 {
        let many = join_all((0..8).map(|_| read(database, caller, statement)));
        assert!(many.await.iter().all(Result::is_ok));
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// The backend that most of many reads at once met, and how many backends served them.
async fn backends_of(database: &Database, reads: usize) -> usize {
    let pid = statement("select pg_backend_pid()");
    let anonymous = Caller::anonymous();
    learn(database, &anonymous, &pid).await;
    let pids = join_all((0..reads).map(|_| read(database, &anonymous, &pid))).await;
    let distinct: std::collections::BTreeSet<_> =
        pids.into_iter().map(|pid| pid.expect("runs").expect("a pid")).collect();
    distinct.len()
}

// rows: rest/B01
#[tokio::test]
async fn many_short_reads_at_once_take_few_connections() {
    let database = platform_database().await;
    let shared = std::thread::available_parallelism().expect("known").get().min(10 / 3);
    let met = backends_of(&database, 48).await;
    assert!(met <= shared, "{met} connections for 48 reads, {shared} are shared");
}

// rows: rest/B11
#[tokio::test]
async fn reads_that_share_a_connection_keep_role_claims_and_settings_to_themselves() {
    let database = Arc::new(platform_database().await);
    let probe = statement(
        "select current_user || ' ' || coalesce(auth.uid()::text, '-') || ' ' || current_setting('request.path', true) \
         || ' ' || current_setting('statement_timeout') || ' ' || current_setting('transaction_read_only')",
    );
    learn(&database, &Caller::anonymous(), &probe).await;
    let tasks = (0..64u128).map(|n| {
        let (database, probe) = (Arc::clone(&database), probe.clone());
        tokio::spawn(async move {
            for turn in 0..40u128 {
                let id = Uuid::from_u128(n * 100 + turn);
                let (path, timeout) = (format!("/{n}/{turn}"), format!("{}ms", 10_000 + n));
                let settings =
                    [("request.path", Cow::from(&path)), ("statement_timeout", Cow::from(&timeout))];
                let anonymous = n % 3 == 0;
                let caller = if anonymous { Caller::anonymous() } else { user(id) };
                let settings = if n % 2 == 0 { &settings[..] } else { &settings[..1] };
                let run = RunAs { settings, read_only: true, ..RunAs::new(&caller, &probe) };
                let rows = database.run_as(&run).await.expect("runs");
                let who = if anonymous { "anon -".to_owned() } else { format!("authenticated {id}") };
                let timeout = match n {
                    0 => "10s",
                    n if n % 2 == 0 => &timeout,
                    _ => "8s",
                };
                assert_eq!(rows.text(0, 0), Some(format!("{who} {path} {timeout} on").as_str()));
            }
        })
    });
    for task in join_all(tasks).await {
        task.expect("no leak");
    }
}

#[tokio::test]
async fn a_read_that_fails_touches_none_of_its_neighbours() {
    let database = platform_database().await;
    let divide = |by: &str| {
        let by = Param::text(by.to_owned());
        Statement::new("select (8 / $1::int)::text", vec![by])
    };
    let anonymous = Caller::anonymous();
    learn(&database, &anonymous, &divide("2")).await;
    let nobody = caller("nobody at all", None, serde_json::Value::Null);
    let outcomes = join_all((0..96).map(|n| {
        let (divide, nobody, anonymous) = (&divide, &nobody, &anonymous);
        let database = &database;
        async move {
            match n % 4 {
                0 => read(database, anonymous, &divide("0")).await,
                1 => read(database, nobody, &divide("2")).await,
                2 => read(database, anonymous, &divide("x")).await,
                _ => read(database, anonymous, &divide("2")).await,
            }
        }
    }));
    for (n, outcome) in outcomes.await.into_iter().enumerate() {
        match n % 4 {
            0 => assert_eq!(outcome.expect_err("refused").code(), Some("22012")),
            1 => assert_eq!(outcome.expect_err("refused").code(), Some("22023")),
            2 => assert_eq!(outcome.expect_err("refused").code(), Some("22P02")),
            _ => assert_eq!(outcome.expect("runs").as_deref(), Some("4")),
        }
    }
}

async fn with_table() -> TestDatabase {
    let database = platform_database().await;
    let table =
        "create table public.notes (id int primary key, body text); insert into public.notes values (1, 'a')";
    sqlx::raw_sql(table).execute(database.pool(Login::Postgres)).await.expect("created");
    database
}

/// Reads of one statement go fast, except where the parameter says so.
fn napping(seconds: &str) -> Statement {
    Statement::new("select pg_sleep($1::float8)::text", vec![Param::text(seconds.to_owned())])
}

#[tokio::test]
async fn a_read_that_turns_out_slow_holds_up_none_of_its_neighbours() {
    let database = platform_database().await;
    let anonymous = Caller::anonymous();
    let one = statement("select 1::text");
    learn(&database, &anonymous, &one).await;
    learn(&database, &anonymous, &napping("0")).await;
    let naps = join_all((0..2).map(|_| async { read(&database, &anonymous, &napping("1.5")).await }));
    let others = async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let started = Instant::now();
        let many = join_all((0..40).map(|_| read(&database, &anonymous, &one))).await;
        assert!(many.into_iter().all(|it| it.expect("runs").as_deref() == Some("1")));
        started.elapsed()
    };
    let (naps, took) = tokio::join!(naps, others);
    assert!(naps.iter().all(Result::is_ok));
    assert!(took < Duration::from_millis(1000), "they waited {took:?} for those who slept");
}

#[tokio::test]
async fn a_read_that_waits_for_a_lock_freezes_nobody_and_a_write_never_shares() {
    let database = with_table().await;
    let anonymous = Caller::service();
    let (one, notes) = (statement("select 1::text"), statement("select body from notes where id = 1"));
    learn(&database, &anonymous, &one).await;
    learn(&database, &anonymous, &notes).await;
    let mut locker = database.pool(Login::Postgres).begin().await.expect("begun");
    locker.execute("lock table public.notes in access exclusive mode").await.expect("locked");
    let update = statement("update notes set body = 'b' where id = 1 returning body");
    let blocked = async {
        let write = RunAs::new(&anonymous, &update);
        let (read, written) = tokio::join!(read(&database, &anonymous, &notes), database.run_as(&write));
        (read, written)
    };
    let others = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let started = Instant::now();
        for _ in 0..5 {
            let many = join_all((0..30).map(|_| read(&database, &anonymous, &one))).await;
            assert!(many.into_iter().all(|it| it.expect("runs").as_deref() == Some("1")));
        }
        let took = started.elapsed();
        locker.rollback().await.expect("unlocked");
        took
    };
    let ((read, written), took) = tokio::join!(blocked, others);
    assert!(matches!(read.expect("runs").as_deref(), Some("a" | "b")));
    assert_eq!(written.expect("runs").text(0, 0), Some("b"));
    assert!(took < Duration::from_secs(1), "they waited {took:?}");
}

// rows: rest/B12
#[tokio::test]
async fn a_caller_that_goes_away_leaves_its_neighbours_alone_and_ends_its_own_slow_read() {
    let database = platform_database().await;
    let anonymous = Caller::anonymous();
    let one = statement("select 1::text");
    learn(&database, &anonymous, &one).await;
    learn(&database, &anonymous, &napping("0")).await;
    let long = napping("30");
    let gone = tokio::time::timeout(Duration::from_millis(60), read(&database, &anonymous, &long));
    gone.await.expect_err("asleep");
    for _ in 0..10 {
        let (database, anonymous, one) = (&database, &anonymous, &one);
        let many = join_all((0..30).map(|n| async move {
            let one = read(database, anonymous, one);
            // Some go away at once, in the middle of what others wait for.
            if n % 3 == 0 {
                tokio::time::timeout(Duration::from_micros(50), one).await.ok()
            } else {
                Some(one.await)
            }
        }));
        assert!(many.await.into_iter().flatten().all(|it| it.expect("runs").as_deref() == Some("1")));
    }
    let asleep = "select count(*) from pg_stat_activity where datname = current_database() \
                  and usename = 'authenticator' and state = 'active' and query like '%pg_sleep%'";
    for _ in 0..100 {
        if number(&database, asleep).await == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the server still sleeps");
}

// rows: rest/B06
#[tokio::test]
async fn backends_killed_under_shared_reads_go_unnoticed() {
    let database = Arc::new(platform_database().await);
    let one = statement("select 1::text");
    learn(&database, &Caller::anonymous(), &one).await;
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let readers: Vec<_> = (0..16)
        .map(|_| {
            let (database, one, stop) = (Arc::clone(&database), one.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    // What was under way on a connection of its own is told; what shared one is
                    // not.
                    let outcome = read(&database, &Caller::anonymous(), &one).await;
                    assert!(
                        matches!(outcome, Ok(_) | Err(RunError::Unavailable(_) | RunError::Unreachable(_))),
                        "{outcome:?}"
                    );
                }
            })
        })
        .collect();
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(40)).await;
        let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                    where usename = 'authenticator' and datname = current_database()";
        sqlx::query(kill).fetch_all(database.pool(Login::Admin)).await.expect("killed");
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for reader in readers {
        reader.await.expect("no other failure");
    }
    let after = join_all((0..30).map(|_| async {
        read(&database, &Caller::anonymous(), &one).await.expect("healed");
    }));
    after.await;
}

#[tokio::test]
async fn a_schema_change_under_shared_reads_goes_unnoticed() {
    let database = with_table().await;
    let service = Caller::service();
    let all = statement("select * from notes where id = 1");
    learn(&database, &service, &all).await;
    for column in ["x", "y", "z"] {
        let change = format!("alter table public.notes add column {column} int");
        sqlx::raw_sql(sqlx::AssertSqlSafe(change))
            .execute(database.pool(Login::Postgres))
            .await
            .expect("changed");
        let many = join_all((0..40).map(|_| read(&database, &service, &all))).await;
        assert!(many.into_iter().all(|it| it.expect("planned anew").as_deref() == Some("1")));
    }
}

#[tokio::test]
async fn ten_thousand_statements_leave_few_prepared_and_full_speed() {
    let database = platform_database().await;
    let settings = DatabaseSettings { prepared_statements: 32, ..database.settings().clone() };
    let bounded = Database::connect(&settings).expect("valid settings");
    let anonymous = Caller::anonymous();
    for round in 0..100 {
        let many = join_all((0..10).map(|n| {
            let (bounded, anonymous) = (&bounded, &anonymous);
            async move {
                let own = statement(&format!("select '{round}-{n}'"));
                for _ in 0..10 {
                    let seen = read(bounded, anonymous, &own).await.expect("runs");
                    assert_eq!(seen, Some(format!("{round}-{n}")));
                }
            }
        }));
        many.await;
    }
    let prepared = statement("select count(*)::text from pg_prepared_statements");
    for _ in 0..20 {
        let count: usize = read(&bounded, &anonymous, &prepared)
            .await
            .expect("runs")
            .and_then(|it| it.parse().ok())
            .expect("a number");
        assert!(count <= 36, "{count} statements are prepared");
    }
}

// rows: rest/B07
#[tokio::test]
async fn connections_are_renewed_without_interrupting_anybody() {
    let database = platform_database().await;
    let anonymous = Caller::anonymous();
    let one = statement("select 1::text");
    learn(&database, &anonymous, &one).await;
    let before = number(&database, "select (extract(epoch from clock_timestamp()) * 1000000)::int8").await;
    let nap = napping("0.3");
    let busy = read(&database, &anonymous, &nap);
    let (slept, ()) = tokio::join!(busy, async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        database.renew();
    });
    slept.expect("not interrupted");
    learn(&database, &anonymous, &one).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let fresh = "select (extract(epoch from min(backend_start)) * 1000000)::int8 from pg_stat_activity \
                 where datname = current_database() and usename = 'authenticator'";
    let oldest = number(&database, fresh).await;
    assert!(oldest > before, "an old connection is still used");
}

// rows: rest/B01
#[tokio::test]
async fn idle_connections_are_closed_and_old_ones_replaced() {
    let database = platform_database().await;
    let settings = DatabaseSettings {
        idle_timeout: Duration::from_millis(300),
        max_lifetime: Duration::from_secs(30),
        ..database.settings().clone()
    };
    let short = Database::connect(&settings).expect("valid settings");
    let anonymous = Caller::anonymous();
    let busy = join_all((0..6).map(|_| async {
        read(&short, &anonymous, &napping("0.1")).await.expect("runs");
    }));
    busy.await;
    learn(&short, &anonymous, &statement("select 1::text")).await;
    assert!(number(&database, BACKENDS).await >= 6);
    for _ in 0..100 {
        if number(&database, BACKENDS).await == 0 {
            assert_eq!(short.status().idle, 0);
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{} connections stay open", number(&database, BACKENDS).await);
}
