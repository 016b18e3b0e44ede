//! Several servers of one database.

use std::time::Duration;

use banyan_db::{Address, Database, DatabaseSettings, Login};
use banyan_identity::Caller;
use banyan_testkit::{TestDatabase, platform_database};

use crate::run_as::run;

/// A database whose first server is away.
async fn second_of_two() -> (TestDatabase, Database) {
    let database = platform_database().await;
    let away = Address::Socket { folder: "/nowhere/at/all".into(), port: 1 };
    let there = database.settings().address.clone();
    let settings = DatabaseSettings { address: away, further: vec![there], ..database.settings().clone() };
    let two = Database::connect(&settings).expect("valid settings");
    (database, two)
}

// rows: rest/L06
#[tokio::test]
async fn callers_services_and_listeners_go_to_the_server_that_is_there() {
    let (database, two) = second_of_two().await;
    let rows = run(&two, &Caller::anonymous(), "select 1").await.expect("runs");
    assert_eq!(rows.text(0, 0), Some("1"));
    let soon = Duration::from_secs(5);
    let asked = sqlx::query_scalar("select 2").fetch_one(two.pool(Login::Postgres));
    let two_is: i32 = tokio::time::timeout(soon, asked).await.expect("soon").expect("services follow");
    assert_eq!(two_is, 2);
    let mut notices = two.listen("bell");
    tokio::time::timeout(soon, notices.next()).await.expect("it listens");
    let ring = sqlx::query("notify bell, 'heard'").execute(database.pool(Login::Postgres));
    ring.await.expect("rung");
    let heard = tokio::time::timeout(soon, notices.next()).await.expect("soon");
    assert_eq!(heard, banyan_db::listen::Notice::Payload("heard".to_owned()));
}

// rows: rest/B12
#[tokio::test]
async fn what_runs_on_the_second_server_is_cancelled_there() {
    let (database, two) = second_of_two().await;
    let anonymous = Caller::anonymous();
    let abandoned =
        tokio::time::timeout(Duration::from_millis(300), run(&two, &anonymous, "select pg_sleep(30), 77"));
    abandoned.await.expect_err("still asleep");
    let sleeping = "select count(*) from pg_stat_activity where datname = current_database() \
                    and state = 'active' and query like '%, 77' and pid <> pg_backend_pid()";
    for _ in 0..150 {
        let count = sqlx::query_scalar(sleeping).fetch_one(database.pool(Login::Admin));
        let count: i64 = count.await.expect("asked");
        if count == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the server still sleeps");
}
