//! The life of an instance (CONTRACT.md W01 to W08).

use std::time::{Duration, Instant};

use banyan_testkit::CapturedLog;
use http::Method;
use http_body_util::BodyExt;

use crate::support::{OfThePlatform, Outside, World, eventually};

// rows: W01
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_shared_between_two_requests() {
    let world = World::probe("").await;
    for _ in 0..5 {
        assert_eq!(world.get("/probe/calls").await.text(), "1");
    }
}

// rows: W02
#[tokio::test(flavor = "multi_thread")]
async fn work_goes_on_after_the_answer() {
    let outside = Outside::start().await;
    let world = World::probe(&outside.listed()).await;
    let started = Instant::now();
    let request = world.call(Method::POST, "/probe/background").header("x-target", outside.url("/later"));
    assert_eq!(request.await.text(), "answered");
    assert!(started.elapsed() < Duration::from_millis(250), "the client waited {:?}", started.elapsed());
    assert_eq!(outside.asked(), Vec::<String>::new());
    eventually("the call after the answer", async || outside.asked() == ["/later"]).await;
}

// rows: T04
#[tokio::test(flavor = "multi_thread")]
async fn the_writes_of_a_function_fail_once_its_client_is_gone() {
    let world = World::probe("").await;
    let running = async || world.get("/_internal/metric").await.json()["running"].clone();
    let mut body = world.call(Method::GET, "/probe/flood").response().await.into_body();
    body.frame().await.unwrap().unwrap();
    assert_eq!(running().await, 1);
    drop(body);
    eventually("the end of the endless answer", async || running().await == 0).await;
}

// rows: W03
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_before_the_answer_does_not_end_the_work() {
    let outside = Outside::start().await;
    let world = World::probe(&outside.listed()).await;
    let request = world.call(Method::POST, "/probe/later").header("x-target", outside.url("/done"));
    let left = tokio::time::timeout(Duration::from_millis(50), request).await;
    assert!(left.is_err(), "the answer came before the client left");
    eventually("the work's end", async || outside.asked() == ["/done"]).await;
}

// rows: W03
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_is_no_error_of_a_function_that_gives_up_then() {
    let world = World::probe("").await;
    let running = async || world.get("/_internal/metric").await.json()["running"].clone();
    let request = world.call(Method::GET, "/probe/wait?200");
    let left = tokio::time::timeout(Duration::from_millis(50), request).await;
    assert!(left.is_err(), "the answer came before the client left");
    let mut body = world.call(Method::GET, "/probe/flood").response().await.into_body();
    body.frame().await.unwrap().unwrap();
    drop(body);
    eventually("the end of both", async || running().await == 0).await;
    let log = world.manage(Method::GET, "/logs?function=probe", "", "").await.text().to_owned();
    let failed: Vec<_> = log.lines().filter(|line| line.contains("\"level\":\"error\"")).collect();
    assert!(failed.iter().all(|line| !line.contains("Shutdown")), "{failed:?}");
    assert!(log.contains("the client left before the function was done"), "{log}");
    world.get("/probe/panic").await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
    let log = async || world.manage(Method::GET, "/logs?function=probe", "", "").await.text().to_owned();
    let is_failure = |line: &str| line.contains("\"level\":\"error\"") && line.contains("Shutdown");
    eventually("the line of a failure", async || log().await.lines().any(is_failure)).await;
}

// rows: W04
#[tokio::test(flavor = "multi_thread")]
async fn shutting_down_waits_for_background_work_and_takes_nothing_new() {
    let outside = Outside::start().await;
    let world = World::probe(&outside.listed()).await;
    let request = world.call(Method::POST, "/probe/background").header("x-target", outside.url("/later"));
    request.await;
    world.state.shut_down(Duration::from_secs(10)).await;
    assert_eq!(outside.asked(), ["/later"]);
    world.get("/probe/calls").await.is_platform_error(503, "SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE");
}

// rows: W04
#[tokio::test(flavor = "multi_thread")]
async fn what_outlives_the_grace_time_is_ended() {
    let world = World::probe("").await;
    let started = Instant::now();
    let (answer, ()) = tokio::join!(world.get("/probe/wait?20000"), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        world.state.shut_down(Duration::from_millis(100)).await;
    });
    answer.is_platform_error(503, "SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE");
    assert!(started.elapsed() < Duration::from_secs(5));
}

// rows: W07
#[tokio::test]
async fn lines_of_a_function_are_logged_with_its_name_and_the_request() {
    let (written, _listening) = CapturedLog::listen();
    let world = World::probe("").await;
    let request = world.call(Method::GET, "/probe/log").header("x-request-id", "request-7");
    assert_eq!(request.await.text(), "logged");
    eventually("the last line", async || written.text().contains("without an end")).await;
    let text = written.text();
    for (level, line) in
        [("INFO", "first line"), ("INFO", "second line"), ("ERROR", "to stderr"), ("INFO", "without an end")]
    {
        let found = text.lines().find(|found| found.contains(line)).unwrap();
        assert!(found.contains(level) && found.contains("probe") && found.contains("request-7"), "{found}");
    }
}
