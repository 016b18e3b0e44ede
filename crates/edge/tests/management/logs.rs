//! How invocations are logged.

use std::time::Instant;

use banyan_web::empty;
use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::{World, eventually};

// rows: W06 W07 LIMIT_LOG
#[tokio::test(flavor = "multi_thread")]
async fn lines_are_kept_with_level_and_request_and_followed() {
    let world = World::probe("").await;
    let request = world.call(Method::GET, "/probe/log").header("x-request-id", "request-7");
    request.await;
    world.get("/probe/panic").await;
    let lines = async |path: &str| -> Vec<Value> {
        let text = world.manage(Method::GET, path, "", "").await.text().to_owned();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let is_failure = |line: &Value| line["event"] == "Shutdown" && line["level"] == "error";
    eventually("the last line", async || lines("/logs").await.iter().any(is_failure)).await;
    let all = lines("/logs?function=probe").await;
    let find = |text: &str| all.iter().find(|line| line["message"].as_str().unwrap().contains(text)).unwrap();
    for (text, level) in [("first line", "info"), ("to stderr", "error"), ("without an end", "info")] {
        let line = find(text);
        assert_eq!((&line["level"], &line["request_id"]), (&json!(level), &json!("request-7")), "{line}");
        assert_eq!((&line["function"], &line["event"]), (&json!("probe"), &json!("Log")), "{line}");
        assert_eq!(line["execution_id"].as_str().map(str::len), Some(36), "{line}");
    }
    let last = all.last().unwrap()["id"].as_u64().unwrap();
    assert_eq!(lines(&format!("/logs?after={last}")).await, Vec::<Value>::new());
    assert_eq!(lines("/logs?function=nobody").await, Vec::<Value>::new());
    follows(&world, last).await;
}

// rows: W06
#[tokio::test(flavor = "multi_thread")]
async fn each_event_has_its_fields() {
    // Enough for the other requests on a busy machine. The loop uses it up.
    let world = World::probe("cpu_ms = 1000").await;
    for route in ["calls", "panic", "loop", "hog", "fail"] {
        world.get(&format!("/probe/{route}")).await;
    }
    world.install("broken", b"no component").await;
    let lines = async || -> Vec<Value> {
        let text = world.manage(Method::GET, "/logs", "", "").await.text().to_owned();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let of = |lines: &[Value], event: &str| -> Vec<Value> {
        lines.iter().filter(|line| line["event"] == event).cloned().collect()
    };
    eventually("the end of each instance", async || of(&lines().await, "Shutdown").len() == 5).await;
    let all = lines().await;
    for line in &all {
        for field in ["id", "timestamp", "function", "level", "message"] {
            assert!(!line[field].is_null(), "{field} is not in {line}");
        }
    }
    let boots = of(&all, "Boot");
    let of_requests = boots.iter().filter(|line| line["request_id"].is_string());
    assert_eq!(
        (boots.len(), of_requests.count()),
        (6, 5),
        "of the component, and of each instance: {boots:?}"
    );
    for boot in &boots {
        assert!(boot["boot_time_ms"].is_u64() && boot["level"] == "info", "{boot}");
    }
    let failed = of(&all, "BootFailure");
    assert!(failed[0]["function"] == "broken" && failed[0]["level"] == "error", "{failed:?}");
    // A function that gives an error has still done what it was made to do.
    let (done, failure) = (("EventLoopCompleted", "info"), |reason| (reason, "error"));
    let expected = [done, failure("UncaughtException"), failure("CPUTime"), failure("Memory"), done];
    for ((reason, level), line) in expected.into_iter().zip(of(&all, "Shutdown")) {
        assert_eq!((&line["reason"], &line["level"]), (&json!(reason), &json!(level)), "{line}");
        assert!(line["cpu_time_used_ms"].is_u64(), "{line}");
        assert_eq!(line["exception"].is_string(), level == "error", "{line}");
        assert!(line["memory_used"].as_u64().unwrap() > 0, "{line}");
        assert!(line["request_id"].is_string() && line["execution_id"].is_string(), "{line}");
    }
    let gave_up = of(&all, "UncaughtException");
    assert!(gave_up[0]["exception"].is_string() && gave_up[0]["request_id"].is_string(), "{gave_up:?}");
}

// rows: LIMIT_LOG W06
#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_is_called_again_and_again_does_not_fill_the_log() {
    let world = World::open(&[("hello", "hello")], "").await;
    let began = Instant::now();
    for _ in 0..150 {
        world.get("/hello").await;
    }
    let windows = began.elapsed().as_secs() / 10 + 2;
    let log = world.manage(Method::GET, "/logs?function=hello", "", "").await.text().to_owned();
    let told = log.lines().filter(|line| line.contains("EventLoopCompleted")).count();
    assert!(told >= 1 && told as u64 <= 20 * windows, "{told} lines for 150 silent invocations");
    assert!(!log.contains(r#""level":"error""#), "nothing has failed: {log}");
}

// rows: LIMIT_LOG W06
#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_fails_again_and_again_does_not_fill_the_log() {
    let world = World::open(&[("probe", "probe"), ("other", "probe")], "").await;
    for _ in 0..210 {
        assert_eq!(world.get("/probe/panic").await.status, 500);
        assert_eq!(world.get("/probe/fail").await.status, 500);
    }
    world.get("/other/panic").await;
    let count = async |function: &str| {
        let text =
            world.manage(Method::GET, &format!("/logs?function={function}"), "", "").await.text().to_owned();
        let is_failure = |line: &&str| line.contains("UncaughtException");
        text.lines().filter(is_failure).count()
    };
    eventually("the line of another function", async || count("other").await == 1).await;
    let told = count("probe").await;
    assert!((1..=200).contains(&told), "{told} lines for 420 failures");
}

/// Asserts that lines after `last` are sent as they come.
async fn follows(world: &World, last: u64) {
    let request = http::Request::get(format!("/v1/projects/school/logs?follow=true&after={last}"));
    let request = request.body(empty());
    let now = banyan_identity::Clock::system().now();
    let mut body = banyan_edge::management::handle(&world.state, request.unwrap(), now).await.into_body();
    let waiting = tokio::time::timeout(std::time::Duration::from_millis(100), body.frame()).await;
    assert!(waiting.is_err(), "nothing new was written");
    world.get("/probe/log").await;
    let chunk = body.frame().await.unwrap().unwrap().into_data().unwrap();
    let line: Value = serde_json::from_slice(chunk.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!((&line["event"], line["id"].as_u64()), (&json!("Boot"), Some(last + 1)));
}
