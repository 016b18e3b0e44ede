//! Instances that answer more than one request, of functions that allow it (CONTRACT.md H10).

use std::time::{Duration, Instant};

use banyan_edge::Timings;
use http::Method;

use crate::support::{Outside, World, eventually};

async fn reusing(more: &str) -> World {
    World::probe(&format!("reuse = true\n{more}")).await
}

// rows: H10 W01
#[tokio::test(flavor = "multi_thread")]
async fn an_instance_answers_again_only_where_the_function_allows_it() {
    let world = reusing("").await;
    let mut counted = Vec::new();
    for _ in 0..5 {
        counted.push(world.get("/probe/calls").await.text().to_owned());
        // The instance becomes idle a moment after its answer.
        eventually("the instance's return", async || {
            world.get("/_internal/metric").await.json()["running"] == 0
        })
        .await;
    }
    assert_eq!(counted, ["1", "2", "3", "4", "5"]);
    let fresh = World::probe("").await;
    for _ in 0..3 {
        assert_eq!(fresh.get("/probe/calls").await.text(), "1");
    }
}

// rows: H10
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_instance_is_not_used_again() {
    let world = reusing("cpu_ms = 200\nmemory_mb = 24\nwall_clock = \"1s\"").await;
    for route in ["panic", "fail-after", "loop", "hog", "wait?60000"] {
        assert_eq!(world.get("/probe/calls").await.text(), "1", "before {route}");
        eventually("the instance's return", async || {
            world.get("/_internal/metric").await.json()["running"] == 0
        })
        .await;
        let answer = world.get(&format!("/probe/{route}")).await;
        assert!(answer.status >= 500 || route == "fail-after", "{route}: {answer:?}");
        if route == "fail-after" {
            // There is no such route. The request is answered, so that the instance becomes idle
            // again. The next request must not see its count.
            assert_eq!(answer.text(), "no such route");
            world.get("/probe/panic").await;
        }
    }
}

// rows: H10
#[tokio::test(flavor = "multi_thread")]
async fn limits_and_lines_begin_anew_with_each_request() {
    let outside = Outside::start().await;
    let world = reusing(&format!("cpu_ms = 400\noutbound_requests = 2\n{}", outside.listed())).await;
    for _ in 0..3 {
        assert_eq!(world.get("/probe/spin?250").await.text(), "spun", "CPU time is that of one request");
        let request = world.call(Method::GET, "/probe/ask?3").header("x-target", outside.url("/x"));
        assert_eq!(request.await.text(), r#"{"denied":1,"went":2}"#);
    }
    for id in ["first", "second"] {
        let request = world.call(Method::GET, "/probe/log").header("x-request-id", id);
        request.await;
    }
    eventually("the last line", async || {
        let lines = world.manage(Method::GET, "/logs", "", "").await.text().to_owned();
        let is_own = |line: &&str| line.contains(r#""event":"Log""#);
        let of = |id: &str| lines.lines().filter(is_own).filter(|line| line.contains(id)).count();
        (of("\"request_id\":\"first\""), of("\"request_id\":\"second\"")) == (4, 4)
    })
    .await;
}

/// `waiting`, which keeps an idle instance of some 11 MB, and two functions that keep none, in a
/// node of 64 MB.
async fn small_node() -> World {
    let names = ["waiting", "one", "other"];
    let toml: String = names.iter().map(|name| format!("[functions.{name}]\nverify_jwt = false\n")).collect();
    let banyan = "[edge_runtime]\nmemory = \"64MiB\"\n[functions.waiting]\nreuse = true\n";
    let functions = names.map(|name| (name, "probe"));
    let world = World::start(&functions, &toml, banyan, Timings::default()).await;
    for (route, answer) in [("calls", "1"), ("keep?0&10", "kept")] {
        assert_eq!(world.get(&format!("/waiting/{route}")).await.text(), answer);
        eventually("the instance's return", async || {
            world.get("/_internal/metric").await.json()["running"] == 0
        })
        .await;
    }
    let free = world.get("/_internal/metric").await.json()["memory"]["free_mb"].as_u64().unwrap();
    assert!((50..54).contains(&free), "an instance waits: {free} MB are free");
    world
}

// rows: H10 LIMIT_BUDGET
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_an_instance_waits_for_needs_no_memory() {
    let world = small_node().await;
    let (held, answered) = tokio::join!(world.get("/one/keep?1500&44"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let began = Instant::now();
        (world.get("/waiting/calls").await.text().to_owned(), began.elapsed())
    });
    assert_eq!((held.text(), answered.0.as_str()), ("kept", "2"));
    assert!(answered.1 < Duration::from_millis(800), "it waited {:?}", answered.1);
}

// rows: H10 LIMIT_BUDGET
#[tokio::test(flavor = "multi_thread")]
async fn instances_that_wait_give_way_to_those_that_run() {
    let world = small_node().await;
    let (held, grew) = tokio::join!(world.get("/one/keep?1000&28"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        world.get("/other/keep?0&28").await
    });
    assert_eq!((held.text(), grew.text()), ("kept", "kept"), "{grew:?}");
    assert_eq!(world.get("/waiting/calls").await.text(), "1", "its instance is gone");
}

// rows: H10 LIMIT_BUDGET
#[tokio::test(flavor = "multi_thread")]
async fn a_new_idle_instance_is_ended_for_a_request_that_waits_for_memory() {
    let world = small_node().await;
    // From now on its requests ask for as much.
    assert_eq!(world.get("/other/keep?0&40").await.text(), "kept");
    assert_eq!(world.get("/waiting/keep?0&10").await.text(), "kept");
    let (long, short, waited) =
        tokio::join!(world.get("/one/keep?5000&16"), world.get("/waiting/keep?1000&1"), async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let began = Instant::now();
            assert_eq!(world.get("/other/keep?0&40").await.text(), "kept");
            began.elapsed()
        });
    assert_eq!((long.text(), short.text()), ("kept", "kept"));
    assert!(waited > Duration::from_millis(400), "there was room: {waited:?}");
    assert!(waited < Duration::from_millis(3500), "nobody was told: {waited:?}");
}

// rows: H10 LIMIT_BUDGET
#[tokio::test(flavor = "multi_thread")]
async fn a_function_at_its_own_limit_ends_no_instance_of_another() {
    let world = small_node().await;
    let (held, refused) = tokio::join!(world.get("/one/keep?1000&28"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        world.get("/one/keep?0&28").await
    });
    assert_eq!(held.text(), "kept");
    assert!(refused.status >= 500, "{refused:?}");
    assert_eq!(world.get("/waiting/calls").await.text(), "2", "its instance is still there");
}

// rows: H10
#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_ends_the_instances_of_the_version_before() {
    let world = reusing("").await;
    assert_eq!(world.get("/probe/calls").await.text(), "1");
    let mirror = std::fs::read(crate::support::component("mirror")).unwrap();
    world.install("probe", &mirror).await;
    assert_eq!(world.get("/probe/calls").await.json()["path"], "/probe/calls");
}

// rows: H10
#[tokio::test(flavor = "multi_thread")]
async fn an_instance_waits_for_another_request_only_so_long() {
    let timings = Timings { idle: Duration::from_millis(200), ..Timings::default() };
    let banyan = "[functions.probe]\nreuse = true\n";
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let world = World::start(&[("probe", "probe")], toml, banyan, timings).await;
    let free = async || world.get("/_internal/metric").await.json()["memory"]["free_mb"].as_u64().unwrap();
    let all = free().await;
    assert_eq!(world.get("/probe/keep?0&20").await.text(), "kept");
    assert!(free().await < all, "it waits, and holds its memory");
    eventually("its end", async || free().await == all).await;
    assert_eq!(world.get("/probe/calls").await.text(), "1");
}

// rows: H10
#[tokio::test(flavor = "multi_thread")]
async fn an_instance_answers_a_thousand_requests_and_no_more() {
    // So that each request waits for the instance of the one before.
    let world = reusing("concurrency = 1").await;
    for n in (1..=1000).chain([1]) {
        assert_eq!(world.get("/probe/calls").await.text(), n.to_string());
    }
}
