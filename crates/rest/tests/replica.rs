//! A service that reads from a standby, and hears of changes from its primary.

use std::{sync::Arc, time::Duration};

use banyan_db::{Database, DatabaseSettings, Login, Wanted};
use banyan_identity::Caller;
use banyan_rest::State;
use banyan_testkit::PrivateServer;
use banyan_web::full;
use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use sqlx::Executor as _;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::support::settings;

/// Status and body.
async fn ask(state: &State, method: &str, path: &str) -> (u16, Value) {
    let body = full("{}");
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let request = request.body(body).expect("a request");
    let answer = banyan_rest::handle(state, Ok(Caller::service()), request, OffsetDateTime::UNIX_EPOCH).await;
    let status = answer.status().as_u16();
    let body: Bytes = answer.into_body().collect().await.expect("whole").to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// A primary and who follows it.
struct Pair {
    primary: Database,
    standby: Database,
}

impl Pair {
    /// Runs on the primary; the standby reads it at some later time.
    async fn change(&self, sql: &'static str) {
        self.primary.pool(Login::Postgres).execute(sql).await.expect(sql);
        self.primary.pool(Login::Admin).execute("select pg_switch_wal()").await.expect("archived");
    }

    /// The same, and waits until the standby has read it.
    async fn change_both(&self, sql: &'static str) {
        self.primary.pool(Login::Postgres).execute(sql).await.expect(sql);
        let position = sqlx::query_scalar("select pg_current_wal_lsn()::text");
        let position: String = position.fetch_one(self.primary.pool(Login::Admin)).await.expect("a position");
        self.primary.pool(Login::Admin).execute("select pg_switch_wal()").await.expect("archived");
        for _ in 0..300 {
            let read =
                sqlx::query_scalar("select pg_last_wal_replay_lsn() >= $1::text::pg_lsn").bind(&position);
            if read.fetch_one(self.standby.pool(Login::Admin)).await.expect("an answer") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the standby does not follow");
    }
}

// rows: L06 B10
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_serves_reads_changes_are_heard_from_its_primary_and_conflicts_told() {
    let mut server = Box::pin(PrivateServer::start()).await;
    let standby = Box::pin(server.standby()).await;
    let connect = |settings| Database::connect(settings).expect("valid settings");
    let pair = Pair { primary: connect(server.settings()), standby: connect(standby.settings()) };
    pair.change_both(
        "create table notes (id int primary key); insert into notes values (1), (2);
         grant all on notes to service_role;
         create function rested(seconds float8) returns bigint stable language sql
         as $$ select count(pg_sleep(seconds)) + (select count(*) from notes) $$",
    )
    .await;
    let both = DatabaseSettings {
        further: vec![standby.settings().address.clone()],
        wanted: Wanted::PreferStandby,
        ..server.settings().clone()
    };
    let state = Arc::new(State::new(connect(&both), settings()));
    let stop = CancellationToken::new();
    let following = tokio::spawn({
        let (state, stop) = (Arc::clone(&state), stop.clone());
        async move { state.follow(stop).await }
    });
    until(&state, "/notes?select=id", 200).await;
    let write = ask(&state, "POST", "/notes").await;
    assert_eq!((write.0, &write.1["code"]), (405, &json!("25006")), "it is the standby that answers");

    // The standby has not read it yet when the primary tells of it.
    pair.change("create table later (id int); grant all on later to service_role; notify pgrst").await;
    until(&state, "/later", 200).await;

    let asker = Arc::clone(&state);
    let slow = tokio::spawn(async move { ask(&asker, "GET", "/rpc/rested?seconds=10").await });
    until_it_runs(&pair.standby, "%rested%").await;
    pair.change("delete from notes").await;
    pair.change("vacuum notes").await;
    let (status, refusal) = slow.await.expect("answered");
    assert_eq!((status, &refusal["code"]), (500, &json!("40001")), "{refusal}");
    assert_eq!(ask(&state, "GET", "/notes").await.0, 200);
    stop.cancel();
    following.await.expect("it ends");
}

async fn until_it_runs(database: &Database, like: &str) {
    let sql = "select exists (select from pg_stat_activity \
               where query like $1 and state = 'active' and pid <> pg_backend_pid())";
    for _ in 0..200 {
        let runs = sqlx::query_scalar(sql).bind(like);
        if runs.fetch_one(database.pool(Login::Admin)).await.expect("an answer") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{like} does not run");
}

/// Asks again until the answer has this status.
async fn until(state: &State, path: &str, wanted: u16) {
    let mut answer = (0, Value::Null);
    for _ in 0..150 {
        answer = ask(state, "GET", path).await;
        if answer.0 == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{path}: {answer:?}");
}
