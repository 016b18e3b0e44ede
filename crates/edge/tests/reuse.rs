//! Instances that answer more than one request, of functions that allow it (functions.md H10).

use http::Method;

use crate::support::{Outside, World, eventually};

async fn reusing(more: &str) -> World {
    World::probe(&format!("reuse = true\n{more}")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h10_w01_an_instance_answers_again_only_where_the_function_allows_it() {
    let world = reusing("").await;
    let mut counted = Vec::new();
    for _ in 0..5 {
        counted.push(world.get("/probe/calls").await.body);
        // The instance is given back a moment after its answer.
        eventually("the instance's return", async || {
            world.get("/_internal/metric").await.json()["running"] == 0
        })
        .await;
    }
    assert_eq!(counted, ["1", "2", "3", "4", "5"]);
    let fresh = World::probe("").await;
    for _ in 0..3 {
        assert_eq!(fresh.get("/probe/calls").await.body, "1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h10_a_failed_instance_is_not_used_again() {
    let world = reusing("cpu_ms = 200\nmemory_mb = 24\nwall_clock = \"1s\"").await;
    for route in ["panic", "fail-after", "loop", "hog", "wait?60000"] {
        assert_eq!(world.get("/probe/calls").await.body, "1", "before {route}");
        eventually("the instance's return", async || {
            world.get("/_internal/metric").await.json()["running"] == 0
        })
        .await;
        let answer = world.get(&format!("/probe/{route}")).await;
        assert!(answer.status >= 500 || route == "fail-after", "{route}: {answer:?}");
        if route == "fail-after" {
            // No such route: answered, so that the instance waits again; the next one must not see its count.
            assert_eq!(answer.body, "no such route");
            world.get("/probe/panic").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h10_limits_and_lines_begin_anew_with_each_request() {
    let outside = Outside::start().await;
    let world = reusing(&format!("cpu_ms = 400\noutbound_requests = 2\n{}", outside.listed())).await;
    for _ in 0..3 {
        assert_eq!(world.get("/probe/spin?250").await.body, "spun", "CPU time is that of one request");
        let request = world.request(Method::GET, "/probe/ask?3").header("x-target", outside.url("/x"));
        assert_eq!(world.send(request, "").await.body, r#"{"denied":1,"went":2}"#);
    }
    for id in ["first", "second"] {
        let request = world.request(Method::GET, "/probe/log").header("x-request-id", id);
        world.send(request, "").await;
    }
    eventually("the last line", async || {
        let lines = world.manage(Method::GET, "/logs", "", "").await.body;
        let is_own = |line: &&str| line.contains(r#""event":"Log""#);
        let of = |id: &str| lines.lines().filter(is_own).filter(|line| line.contains(id)).count();
        (of("\"request_id\":\"first\""), of("\"request_id\":\"second\"")) == (4, 4)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h10_a_deployment_ends_the_instances_of_the_version_before() {
    let world = reusing("").await;
    assert_eq!(world.get("/probe/calls").await.body, "1");
    let mirror = std::fs::read(crate::support::component("mirror")).unwrap();
    world.install("probe", &mirror).await;
    assert_eq!(world.get("/probe/calls").await.json()["path"], "/probe/calls");
}
