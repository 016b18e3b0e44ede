use std::{sync::Arc, time::Duration};

use banyan_db::{Address, Database, DatabaseSettings, Login, RunAs, RunError, Tls};
use banyan_identity::Caller;
use banyan_testkit::{platform_database, user};
use uuid::Uuid;

use crate::run_as::{run, statement};

async fn sleeping(database: &Database) -> i64 {
    let query = "select count(*) from pg_stat_activity where datname = current_database() \
                 and usename = 'authenticator' and state = 'active' and query like '%pg_sleep%'";
    sqlx::query_scalar(query).fetch_one(database.pool(Login::Admin)).await.expect("asked")
}

// rows: rest/B12
#[tokio::test]
async fn dropping_the_future_cancels_the_statement() {
    let database = platform_database().await;
    let settings = DatabaseSettings { pool_size: 1, ..database.settings().clone() };
    let one = Database::connect(&settings).expect("valid settings");
    let anonymous = Caller::anonymous();
    let abandoned =
        tokio::time::timeout(Duration::from_millis(300), run(&one, &anonymous, "select pg_sleep(30)"));
    abandoned.await.expect_err("still asleep");
    let rows = tokio::time::timeout(Duration::from_secs(5), run(&one, &anonymous, "select 1"));
    assert_eq!(rows.await.expect("soon").expect("runs").text(0, 0), Some("1"));
    for _ in 0..100 {
        if sleeping(&database).await == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the server still sleeps");
}

#[tokio::test]
async fn fifty_callers_at_once_each_get_their_own_answer() {
    let database = Arc::new(platform_database().await);
    let tasks: Vec<_> = (1..=50u128)
        .map(|n| {
            let database = Arc::clone(&database);
            tokio::spawn(async move {
                let id = Uuid::from_u128(n);
                for _ in 0..10 {
                    let rows = run(&database, &user(id), "select auth.uid(), pg_sleep(0.001)").await;
                    assert_eq!(rows.expect("runs").text(0, 0), Some(id.to_string().as_str()));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no task panicked");
    }
    let status = database.status();
    assert_eq!(status.in_use, 0);
    assert!(status.idle <= status.size);
}

// rows: rest/B01 rest/B02
#[tokio::test]
async fn a_full_pool_serves_in_order_and_says_when_it_takes_too_long() {
    let database = platform_database().await;
    let settings = DatabaseSettings {
        pool_size: 1,
        acquire_timeout: Duration::from_millis(100),
        ..database.settings().clone()
    };
    let one = Database::connect(&settings).expect("valid settings");
    run(&one, &Caller::anonymous(), "select 1").await.expect("runs");
    let anonymous = Caller::anonymous();
    let (first, second) = tokio::join!(run(&one, &anonymous, "select pg_sleep(0.4)"), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        run(&one, &anonymous, "select 1").await
    });
    first.expect("runs");
    let error = second.expect_err("no connection");
    assert!(
        matches!(error, RunError::PoolTimeout(limit) if limit == Duration::from_millis(100)),
        "{error:?}"
    );
}

fn over_tcp(settings: &DatabaseSettings, tls: Tls) -> DatabaseSettings {
    let Address::Socket { port, .. } = settings.address else { panic!("the test server has a socket") };
    DatabaseSettings { address: Address::Tcp { host: "127.0.0.1".to_owned(), port }, tls, ..settings.clone() }
}

// rows: PG-TLS
#[tokio::test]
async fn tcp_works_plain_and_encrypted_through_both_doors() {
    for (tls, encrypted) in [(Tls::Off, false), (Tls::Unverified, true)] {
        let database = platform_database().await;
        let remote = Database::connect(&over_tcp(database.settings(), tls)).expect("valid settings");
        run(&remote, &Caller::anonymous(), "select 1").await.expect("runs");
        let query =
            "select distinct ssl from pg_catalog.pg_stat_ssl join pg_catalog.pg_stat_activity using (pid)
                     where datname = current_database() and usename in ('authenticator', 'postgres')";
        let pool = remote.pool(Login::Postgres);
        let ssl: Vec<bool> = sqlx::query_scalar(query).fetch_all(pool).await.expect("asked");
        assert_eq!(ssl, [encrypted]);
        let large = statement("select repeat('x', 3000000)");
        let rows = remote.run_as(&RunAs::new(&Caller::anonymous(), &large)).await.expect("runs");
        assert_eq!(rows.get(0, 0).map(bytes::Bytes::len), Some(3_000_000));
    }
}

// rows: PG-TLS
#[tokio::test]
async fn a_certificate_of_nobody_is_refused_where_it_must_be_good() {
    let database = platform_database().await;
    let settings = over_tcp(database.settings(), Tls::Verified { root_certificate: None });
    let strict = Database::connect(&settings).expect("valid settings");
    let error = strict.ping().await.expect_err("a self-signed certificate");
    assert!(matches!(&error, RunError::Unreachable(_)), "{error:?}");
    assert!(error.to_string().contains("certificate"), "{error}");
}

#[tokio::test]
async fn a_closed_database_answers_no_more() {
    let database = platform_database().await;
    database.ping().await.expect("there");
    database.close().await;
    assert!(matches!(database.ping().await, Err(RunError::Unavailable(_))));
}

// rows: rest/config-db-prepared-statements
#[tokio::test]
async fn off_leaves_none_on_the_server() {
    let database = platform_database().await;
    let settings = DatabaseSettings { pool_size: 1, prepared_statements: 0, ..database.settings().clone() };
    let one = Database::connect(&settings).expect("valid settings");
    let anonymous = Caller::anonymous();
    for _ in 0..3 {
        let typed = banyan_db::Param::typed(Some("7".into()), 25);
        // Declared as text, the parameter could not be added to a number.
        let sum = banyan_db::Statement::new("select $1 + 1", vec![typed]);
        assert_eq!(one.run_as(&RunAs::new(&anonymous, &sum)).await.expect("runs").text(0, 0), Some("8"));
    }
    let rows = run(&one, &anonymous, "select count(*) from pg_prepared_statements where name <> ''").await;
    assert_eq!(rows.expect("runs").text(0, 0), Some("0"));
}

#[tokio::test]
async fn one_login_that_is_no_superuser_is_enough_to_run_as_others() {
    let database = platform_database().await;
    let own = database.settings();
    let settings = DatabaseSettings {
        database: own.database.clone(),
        ..DatabaseSettings::of_one_login(own.address.clone(), "authenticator", own.password.clone())
    };
    let alone = Database::connect(&settings).expect("valid settings");
    let rows = run(&alone, &Caller::anonymous(), "select current_user, session_user").await.expect("runs");
    assert_eq!((rows.text(0, 0), rows.text(0, 1)), (Some("anon"), Some("authenticator")));
    for login in Login::ALL {
        let user: String =
            sqlx::query_scalar("select current_user::text").fetch_one(alone.pool(login)).await.expect("runs");
        assert_eq!(user, "authenticator");
    }
}

// rows: config/CFG-DATABASE-URL
#[tokio::test]
async fn the_server_tells_how_many_connections_others_than_superusers_have() {
    let database = platform_database().await;
    assert_eq!(database.connection_limit().await.expect("an answer"), 300 - 3);
}
