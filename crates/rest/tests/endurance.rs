//! Servers that die, readers that crawl, requests out of all proportion: each ends in a clear
//! answer, and afterwards all is as before.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use banyan_db::{Database, DatabaseSettings, Login};
use banyan_identity::Caller;
use banyan_rest::State;
use banyan_testkit::PrivateServer;
use banyan_web::{Body, empty, full};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::support::{School, school, settings};

/// A service on a database that exists already.
async fn state_on(settings_of_database: &DatabaseSettings) -> State {
    let database = Database::connect(settings_of_database).expect("valid settings");
    let state = State::new(database, settings());
    assert!(state.load().await, "the schema can be read");
    state
}

async fn respond(state: &State, path: &str) -> Response<Body> {
    respond_to(state, Caller::anonymous(), path).await
}

async fn respond_to(state: &State, caller: Caller, path: &str) -> Response<Body> {
    let body = empty();
    let request = Request::builder().uri(path).body(body).expect("a request");
    banyan_rest::handle(state, Ok(caller), request, OffsetDateTime::UNIX_EPOCH).await
}

/// Status and body; a body that broke off is `None`.
async fn ask(state: &State, path: &str) -> (StatusCode, Option<Bytes>) {
    let response = respond(state, path).await;
    let status = response.status();
    (status, response.into_body().collect().await.ok().map(http_body_util::Collected::to_bytes))
}

fn is_wire_error(body: &[u8]) -> bool {
    let Ok(Value::Object(error)) = serde_json::from_slice(body) else { return false };
    error.keys().eq(["code", "details", "hint", "message"])
}

/// Kilobytes of this process's memory.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("readable");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a line");
    line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number")
}

#[derive(Default)]
struct Tally {
    good: AtomicUsize,
    unavailable: AtomicUsize,
}

/// Asks on and on; every answer is good or says in wire form that the database is away, and none
/// takes long.
async fn keep_asking(state: Arc<State>, tally: Arc<Tally>, stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        let started = Instant::now();
        let (status, body) = ask(&state, "/lessons?id=eq.1&select=id,title").await;
        assert!(started.elapsed() < Duration::from_secs(8), "an answer took {:?}", started.elapsed());
        let body = body.expect("a whole body");
        if status == StatusCode::OK {
            assert_eq!(&body[..], br#"[{"id":1,"title":"Fractions"}]"#);
            tally.good.fetch_add(1, Ordering::Relaxed);
        } else {
            assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{body:?}");
            assert!(is_wire_error(&body), "{body:?}");
            tally.unavailable.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

// rows: B03
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_postgresql_is_503_for_all_and_afterwards_everything_works() {
    let mut server = Box::pin(PrivateServer::start()).await;
    let database = Database::connect(server.settings()).expect("valid settings");
    let school = sqlx::raw_sql(include_str!("fixtures.sql")).execute(database.pool(Login::Postgres));
    school.await.expect("the school can be built");
    let state = Arc::new(state_on(server.settings()).await);
    let (tally, stop) = (Arc::new(Tally::default()), Arc::new(AtomicBool::new(false)));
    let askers: Vec<_> = (0..16)
        .map(|_| tokio::spawn(keep_asking(Arc::clone(&state), Arc::clone(&tally), Arc::clone(&stop))))
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(tally.good.load(Ordering::Relaxed) > 0);
    Box::pin(server.kill()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(tally.unavailable.load(Ordering::Relaxed) > 0, "nobody noticed");
    Box::pin(server.start_again()).await;
    let healed = Instant::now();
    loop {
        let before = tally.unavailable.load(Ordering::Relaxed);
        let good = tally.good.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(300)).await;
        let quiet = tally.unavailable.load(Ordering::Relaxed) == before;
        if quiet && tally.good.load(Ordering::Relaxed) > good + 50 {
            break;
        }
        assert!(healed.elapsed() < Duration::from_secs(15), "the pool does not heal");
    }
    stop.store(true, Ordering::Relaxed);
    for asker in askers {
        asker.await.expect("every answer was clear");
    }
}

/// A service of its own on a school's database, with few connections and little patience.
async fn hasty(school: &School) -> State {
    let few = DatabaseSettings {
        pool_size: 2,
        acquire_timeout: Duration::from_millis(300),
        longest_stall: Duration::from_millis(2000),
        ..school.database.settings().clone()
    };
    state_on(&few).await
}

const NAP: &str = "create function public.nap(seconds float8) returns int stable language sql \
                   as $$ select 1 from pg_sleep(seconds) $$; notify pgrst, 'reload schema'";

// rows: B02 PGRST003
#[tokio::test]
async fn a_full_pool_is_504_and_free_again_afterwards() {
    let school = school().await;
    school.sql(NAP).await;
    let state = hasty(&school).await;
    let naps = async { tokio::join!(ask(&state, "/rpc/nap?seconds=1"), ask(&state, "/rpc/nap?seconds=1")) };
    let late = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let (status, body) = ask(&state, "/subjects?id=eq.1").await;
        let body: Value = serde_json::from_slice(&body.expect("whole")).expect("JSON");
        (status, body["code"].clone())
    };
    let ((first, second), late) = tokio::join!(naps, late);
    assert_eq!((first.0, second.0), (StatusCode::OK, StatusCode::OK));
    assert_eq!(late, (StatusCode::GATEWAY_TIMEOUT, json!("PGRST003")));
    assert_eq!(ask(&state, "/subjects?id=eq.1").await.0, StatusCode::OK);
}

// rows: B06
#[tokio::test]
async fn a_killed_backend_is_503_and_the_next_request_works() {
    let school = school().await;
    school.sql(NAP).await;
    let state = hasty(&school).await;
    let kill = async {
        let kill = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
                    where datname = current_database() and query like '%\"nap\"%' and usename = 'authenticator'";
        while school.number(kill).await == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let ((status, body), ()) = tokio::join!(ask(&state, "/rpc/nap?seconds=20"), kill);
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(is_wire_error(&body.expect("whole")));
    assert_eq!(ask(&state, "/subjects?id=eq.1").await.0, StatusCode::OK);
}

const LARGE: &str = "create function public.large(bytes int) returns text stable language sql \
                     as $$ select repeat('x', bytes) $$; notify pgrst, 'reload schema'";

// rows: SQ2
#[tokio::test]
async fn a_body_of_hundreds_of_megabytes_passes_through_little_memory() {
    let school = school().await;
    school.sql(LARGE).await;
    let state = state_on(school.database.settings()).await;
    ask(&state, "/rpc/large?bytes=5000000").await;
    let before = resident();
    // The anonymous role has three seconds, the service's as many as it takes.
    let response = respond_to(&state, Caller::service(), "/rpc/large?bytes=250000000").await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-length"], "250000002");
    let (mut body, mut seen, mut most, mut frames) = (response.into_body(), 0, 0, 0);
    while let Some(frame) = body.frame().await {
        seen += frame.expect("goes on").into_data().expect("data").len();
        frames += 1;
        if frames % 256 == 0 {
            most = most.max(resident());
        }
    }
    assert_eq!(seen, 250_000_002);
    assert!(most < before + 40_000, "{before} kB grew to {most} kB");
}

// rows: B12
#[tokio::test]
async fn readers_that_stop_hold_up_only_one_another_and_are_given_up() {
    let school = school().await;
    school.sql(LARGE).await;
    let state = hasty(&school).await;
    let large = || respond_to(&state, Caller::service(), "/rpc/large?bytes=20000000");
    let (first, second) = tokio::join!(large(), large());
    let (served, refused) = if first.status() == StatusCode::OK { (first, second) } else { (second, first) };
    assert_eq!((served.status(), refused.status()), (StatusCode::OK, StatusCode::GATEWAY_TIMEOUT));
    assert_eq!(ask(&state, "/subjects?id=eq.1").await.0, StatusCode::OK, "half of the pool is for others");
    assert_eq!(large().await.status(), StatusCode::GATEWAY_TIMEOUT, "other readers wait in vain");
    let next = loop {
        let next = large().await;
        if next.status() == StatusCode::OK {
            break next;
        }
    };
    assert!(served.into_body().collect().await.is_err(), "a body that broke off looks whole");
    let (mut body, mut length) = (next.into_body(), 0);
    while let Some(frame) = body.frame().await {
        length += frame.expect("goes on").data_ref().map_or(0, Bytes::len);
    }
    assert!(length >= 20_000_000, "{length}");
}

// rows: B11
#[tokio::test]
async fn many_requests_at_once_keep_their_callers_apart() {
    let school = school().await;
    let state = Arc::new(state_on(school.database.settings()).await);
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let state = Arc::clone(&state);
            tokio::spawn(async move {
                for turn in 0..30 {
                    let path = format!("/rpc/settings?n={n}-{turn}");
                    let path = path.split('?').next().expect("a path");
                    let body = empty();
                    let probe = format!("{n}-{turn}");
                    let request = Request::builder().uri(path).header("x-probe", &probe).body(body);
                    let caller = if n % 2 == 0 { Caller::anonymous() } else { Caller::service() };
                    let role = caller.role().to_owned();
                    let request = request.expect("a request");
                    let answer =
                        banyan_rest::handle(&state, Ok(caller), request, OffsetDateTime::UNIX_EPOCH).await;
                    let body = answer.into_body().collect().await.expect("whole").to_bytes();
                    let seen: Value = serde_json::from_slice(&body).expect("JSON");
                    assert_eq!((&seen["role"], &seen["header"]), (&json!(role), &json!(probe)));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("nothing leaked");
    }
}

// rows: F20
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tree_of_two_hundred_levels_gets_a_clear_answer() {
    let school = school().await;
    for levels in [200, 12_000] {
        let tree = format!("{}id.eq.1{}", "and(".repeat(levels), ")".repeat(levels));
        let reply = school.get(&format!("/lessons?select=id&or=({tree})")).await;
        match reply.status {
            200 => assert_eq!(reply.json(), json!([{"id": 1}])),
            400 => assert!(is_wire_error(reply.text().as_bytes()), "{}", reply.text()),
            other => panic!("{other}: {}", reply.text()),
        }
        assert!(levels > 200 || reply.status == 200, "{}", reply.text());
    }
    assert_eq!(school.get("/subjects?id=eq.1").await.status, StatusCode::OK);
}

// rows: F08
#[tokio::test]
async fn a_list_of_nine_thousand_values_is_served() {
    let school = school().await;
    let ids = (1..9_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let reply = school.get(&format!("/lessons?select=id&id=in.({ids})")).await;
    assert_eq!(reply.ok().as_array().map(Vec::len), Some(4));
}

// rows: SQ5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_shapes_leave_bounded_memory_and_full_speed() {
    let school = school().await;
    let state = Arc::new(state_on(school.database.settings()).await);
    let usual = "/lessons?id=eq.1&select=id";
    let speed = async || {
        let started = Instant::now();
        for _ in 0..200 {
            assert_eq!(ask(&state, usual).await.0, StatusCode::OK);
        }
        started.elapsed()
    };
    speed().await;
    let before = speed().await;
    let memory = resident();
    for part in 0..8 {
        let shapes = (0..1250).map(|n| format!("/lessons?id=eq.1&select=a{part}_{n}:id,title"));
        for path in shapes {
            assert_eq!(ask(&state, &path).await.0, StatusCode::OK);
        }
    }
    let grown = resident().saturating_sub(memory);
    assert!(grown < 60_000, "memory grew by {grown} kB");
    speed().await;
    let after = speed().await;
    assert!(after < before * 4 + Duration::from_millis(400), "{before:?} became {after:?}");
}

// rows: N24
#[tokio::test]
async fn a_large_answer_of_a_writing_call_comes_whole() {
    let school = school().await;
    school.sql(LARGE).await;
    let state = state_on(school.database.settings()).await;
    let body = full(r#"{"bytes":300000}"#);
    let request =
        Request::builder().method(Method::POST).uri("/rpc/large").header("content-type", "application/json");
    let request = request.body(body).expect("a request");
    let answer =
        banyan_rest::handle(&state, Ok(Caller::service()), request, OffsetDateTime::UNIX_EPOCH).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let body = answer.into_body().collect().await.expect("whole").to_bytes();
    assert_eq!(body.len(), 300_002);
}
