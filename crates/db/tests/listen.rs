use std::time::Duration;

use banyan_db::{Login, listen::Notice};
use banyan_testkit::platform_database;
use sqlx::Executor as _;

const SOON: Duration = Duration::from_secs(10);

async fn next(notifications: &mut banyan_db::listen::Notifications) -> Notice {
    tokio::time::timeout(SOON, notifications.next()).await.expect("within ten seconds")
}

#[tokio::test]
async fn a_listener_hears_and_connects_anew_when_its_backend_dies() {
    let database = platform_database().await;
    let pool = database.pool(Login::Postgres);
    let mut heard = database.listen("pgrst");
    assert_eq!(next(&mut heard).await, Notice::Connected);
    pool.execute("notify pgrst, 'reload config'").await.expect("notified");
    assert_eq!(next(&mut heard).await, Notice::Payload("reload config".into()));
    let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                where usename = 'authenticator' and datname = current_database()";
    let killed = database.pool(Login::Admin).fetch_all(kill).await.expect("killed");
    assert_eq!(killed.len(), 1);
    assert_eq!(next(&mut heard).await, Notice::Lost);
    assert_eq!(next(&mut heard).await, Notice::Connected);
    pool.execute("notify pgrst").await.expect("notified");
    assert_eq!(next(&mut heard).await, Notice::Payload(String::new()));
}

// rows: PG-WATCH
#[tokio::test]
async fn schema_changes_are_told_but_not_those_of_the_platform() {
    let database = platform_database().await;
    let pool = database.pool(Login::Admin);
    let mut heard = database.listen("pgrst");
    assert_eq!(next(&mut heard).await, Notice::Connected);
    let reload = Notice::Payload("reload schema".into());
    for change in [
        "create table public.t (id int)",
        "alter table public.t add column n int",
        "comment on table public.t is 'x'",
        "create function public.f() returns int language sql as 'select 1'",
        "alter table public.t drop column n",
        "drop table public.t",
        "create schema extra",
    ] {
        pool.execute(change).await.expect(change);
        assert_eq!(next(&mut heard).await, reload, "{change}");
        // Dropping a column is told twice, as an alteration and as a drop, when they come in two
        // transactions.
    }
    for quiet in [
        "create table auth.t (id int)",
        "create table storage.t (id int)",
        "drop table auth.t",
        "create temporary table t (id int)",
    ] {
        pool.execute(quiet).await.expect(quiet);
    }
    pool.execute("notify pgrst, 'the end'").await.expect("notified");
    assert_eq!(next(&mut heard).await, Notice::Payload("the end".into()));
}
