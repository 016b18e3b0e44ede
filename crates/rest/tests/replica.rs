//! A service that reads from a standby, and hears of changes from its primary.

use std::{sync::Arc, time::Duration};

use banyan_db::{Database, DatabaseSettings, Login, Wanted};
use banyan_identity::Caller;
use banyan_rest::{Body, State};
use banyan_testkit::OwnServer;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use sqlx::Executor as _;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::support::settings;

/// Status and body.
async fn ask(state: &State, method: &str, path: &str) -> (u16, Value) {
    let body: Body = Full::from("{}").map_err(|never| match never {}).boxed_unsync();
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let request = request.body(body).expect("a request");
    let answer = banyan_rest::handle(state, Ok(Caller::service()), request, OffsetDateTime::UNIX_EPOCH).await;
    let status = answer.status().as_u16();
    let body: Bytes = answer.into_body().collect().await.expect("whole").to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

async fn on_primary(primary: &Database, sql: &'static str) {
    primary.pool(Login::Postgres).execute(sql).await.expect(sql);
    primary.pool(Login::Admin).execute("select pg_switch_wal()").await.expect("archived");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rest_l06_b10_a_standby_serves_reads_changes_are_heard_from_its_primary_and_conflicts_told() {
    let mut server = Box::pin(OwnServer::start()).await;
    let standby = Box::pin(server.standby()).await;
    let primary = Database::connect(server.settings()).expect("valid settings");
    on_primary(
        &primary,
        "create table notes (id int primary key); insert into notes values (1), (2); \
        grant all on notes to service_role",
    )
    .await;
    let both = DatabaseSettings {
        further: vec![standby.settings().address.clone()],
        wanted: Wanted::PreferStandby,
        ..server.settings().clone()
    };
    let state = Arc::new(State::new(Database::connect(&both).expect("valid settings"), settings()));
    let (stop, follower) = (CancellationToken::new(), Arc::clone(&state));
    let following = tokio::spawn({
        let stop = stop.clone();
        async move { follower.follow(stop).await }
    });
    until(&state, "/notes?select=id", |(status, _)| *status == 200).await;
    let write = ask(&state, "POST", "/notes").await;
    assert_eq!((write.0, &write.1["code"]), (405, &json!("25006")), "it is the standby that answers");

    on_primary(&primary, "create table later (id int); grant all on later to service_role").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    on_primary(&primary, "notify pgrst").await;
    until(&state, "/later", |(status, _)| *status == 200).await;

    on_primary(
        &primary,
        "create function rested(ids int) returns bigint stable language sql \
        as $$ select count(pg_sleep(2)) + (select count(*) from notes) $$",
    )
    .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    on_primary(&primary, "notify pgrst").await;
    until(&state, "/rpc/rested?ids=1", |(status, _)| *status == 200).await;
    let asker = Arc::clone(&state);
    let slow = tokio::spawn(async move { ask(&asker, "GET", "/rpc/rested?ids=2").await });
    tokio::time::sleep(Duration::from_millis(500)).await;
    primary.pool(Login::Postgres).execute("delete from notes").await.expect("deleted");
    on_primary(&primary, "vacuum notes").await;
    let (status, refusal) = slow.await.expect("answered");
    assert_eq!((status, &refusal["code"]), (500, &json!("40001")), "{refusal}");
    assert_eq!(ask(&state, "GET", "/notes").await.0, 200);
    stop.cancel();
    following.await.expect("it ends");
}

/// Asks again until the answer is as `wanted`.
async fn until(state: &State, path: &str, wanted: impl Fn(&(u16, Value)) -> bool) {
    let mut answer = (0, Value::Null);
    for _ in 0..150 {
        answer = ask(state, "GET", path).await;
        if wanted(&answer) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{path}: {answer:?}");
}
