//! The schema follows the database (CONTRACT.md L02 to L11).

use std::{sync::Arc, time::Duration};

use banyan_rest::State;
use banyan_testkit::Answer;
use banyan_web::empty;
use http::{Method, Request};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::support::{School, school, settings};

// rows: L02
#[tokio::test]
async fn without_a_schema_the_answer_is_wait() {
    let database = banyan_testkit::platform_database().await;
    let state = State::new(database.database().clone(), settings());
    let body = empty();
    let request = Request::builder().uri("/tags").body(body).expect("a request");
    let caller = Ok(banyan_identity::Caller::anonymous());
    let response = banyan_rest::handle(&state, caller, request, OffsetDateTime::UNIX_EPOCH).await;
    assert_eq!(response.status(), 503);
    assert!(response.headers().contains_key("retry-after"), "rest_x09");
    assert!(!state.is_ready());
}

/// Asks until the answer has this status, for at most ten seconds.
async fn until(school: &School, path: &str, status: u16) -> Answer {
    for _ in 0..200 {
        let reply = school.call(Method::GET, path).await;
        if reply.status == status {
            return reply;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{path} never answered {status}");
}

// rows: L03 L11
#[tokio::test]
async fn new_and_dropped_tables_are_seen_by_themselves() {
    let school = Arc::new(school().await);
    let stop = CancellationToken::new();
    let following = {
        let (school, stop) = (Arc::clone(&school), stop.clone());
        tokio::spawn(async move { school.state.follow(stop).await })
    };
    school.sql("create table public.later (id int); grant select on public.later to anon;").await;
    assert_eq!(until(&school, "/later", 200).await.text(), "[]");
    school.sql("drop table public.later").await;
    let gone = until(&school, "/later", 404).await;
    assert!(["PGRST205", "42P01"].contains(&gone.error().1), "rest_l09");
    stop.cancel();
    following.await.expect("it stops when told");
}

// rows: G09
#[tokio::test]
async fn settings_of_the_role_apply() {
    let school = school().await;
    let here = "do $$ begin execute format('alter role anon in database %I set statement_timeout = 60', current_database()); end $$";
    sqlx::raw_sql(here).execute(school.database.pool(banyan_db::Login::Admin)).await.expect("an admin may");
    school.sql("create function public.nap() returns void language sql as $$ select pg_sleep(3) $$;").await;
    assert!(school.state.load().await);
    let reply = school.call(Method::POST, "/rpc/nap").await;
    assert_eq!(reply.error(), (500, "57014"));
}
