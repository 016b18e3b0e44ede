//! What the door of the functions' SDK makes of calls and answers, in a function that stands on it.

use banyan_edge::Timings;
use http::Method;
use http_body_util::BodyExt;

use crate::support::{Outside, World, eventually};

async fn door() -> World {
    World::open(&[("door", "door")], "").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_answer_tells_its_length_also_where_it_is_larger_than_the_host_takes_at_once() {
    let world = door().await;
    let answer = world.get("/door/large").await;
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("3145728")));
    assert_eq!(answer.body.len(), 3 << 20);
    assert!(answer.body.bytes().all(|byte| byte == b'x'));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_answer_has_its_status_and_nothing_more() {
    let world = door().await;
    let answer = world.get("/door/empty").await;
    assert_eq!((answer.status, answer.body.as_str(), answer.header("content-length")), (204, "", None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_answer_arrives_with_its_own_length_whatever_the_function_told() {
    let world = door().await;
    for path in ["/door/long", "/door/short"] {
        let answer = world.get(path).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, "bytes"), "{path}");
        assert_eq!(answer.header("content-length"), Some("5"), "{path}");
    }
    eventually("that both are told of", async || lines(&world, "error", "another length").await == 2).await;
    // What is told of an answer to HEAD is that of what is not sent.
    let head = world.send(world.request(Method::HEAD, "/door/head"), "").await;
    assert_eq!((head.status, head.header("content-length")), (200, Some("10")));
    let none = world.get("/door/no-content").await;
    assert_eq!((none.status, none.body.as_str(), none.header("content-length")), (204, "", None));
    let running = async || world.get("/_internal/metric").await.json()["running"].clone();
    eventually("the end of each", async || running().await == 0).await;
    assert_eq!(lines(&world, "error", "").await, 2, "nothing else is wrong");
}

/// How many lines of a level say this.
async fn lines(world: &World, level: &str, what: &str) -> usize {
    let log = world.manage(Method::GET, "/logs?function=door", "", "").await.body;
    let level = format!(r#""level":"{level}""#);
    log.lines().filter(|line| line.contains(&level) && line.contains(what)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_fails_half_way_is_told_apart_from_a_client_that_leaves() {
    let world = door().await;
    let body = world.response(world.request(Method::GET, "/door/breaks-off"), "").await.into_body();
    // As the client sees it, whole or not, belongs to the host.
    let _ = body.collect().await;
    eventually("its reason", async || lines(&world, "error", "no more of it").await == 1).await;
    assert_eq!(lines(&world, "info", "the client left").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_a_large_answer_is_no_error_and_work_beside_it_comes_to_its_end() {
    let outside = Outside::start().await;
    let banyan = format!("[functions.door]\n{}", outside.listed());
    let toml = "[functions.door]\nverify_jwt = false\n";
    let world = World::start(&[("door", "door")], toml, &banyan, Timings::default()).await;
    let request =
        world.request(Method::POST, "/door/large-and-later").header("x-target", outside.url("/done"));
    let mut body = world.response(request, "").await.into_body();
    body.frame().await.unwrap().unwrap();
    drop(body);
    eventually("the work's end", async || outside.asked() == ["/done"]).await;
    eventually("a line about the client", async || lines(&world, "info", "the client left").await == 1).await;
    assert_eq!(lines(&world, "error", "").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_repeat_or_are_no_ascii_arrive_as_they_were_set() {
    let answer = door().await.get("/door/cookies").await;
    let cookies: Vec<_> = answer.headers.get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
    assert_eq!(answer.headers["x-name"].as_bytes(), "Zoë".as_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_pieces_tells_no_length() {
    let world = door().await;
    let answer = world.get("/door/streamed").await;
    assert_eq!(
        (answer.status, answer.body.as_str(), answer.header("content-length")),
        (200, "one two", None)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_pass_through_without_being_held() {
    let world = door().await;
    let sent = "x".repeat(3 << 20);
    let answer = world.send(world.request(Method::POST, "/door/through"), sent.clone()).await;
    assert!(answer.status == 200 && answer.body == sent, "{} {}", answer.status, answer.body.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_read_with_repeated_headers_and_a_body_up_to_its_limit() {
    let world = door().await;
    let call = |method| {
        let request = world.request(method, "/door/echo");
        request.header("x-told", "one").header("x-told", "three")
    };
    assert_eq!(world.send(call(Method::PATCH), "a body").await.body, "PATCH 8 6");
    assert_eq!(world.send(call(Method::GET), "").await.body, "GET 8 0");
    assert_eq!(world.send(call(Method::POST), "x".repeat(100_000)).await.body, "POST 8 100000");
    assert_eq!(world.send(call(Method::POST), "x".repeat(100_001)).await.body, "POST 8 too large");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_that_no_function_may_set_and_an_error_of_the_function_end_in_the_same_answer() {
    let world = door().await;
    for path in ["/door/forbidden", "/door/error"] {
        world.get(path).await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
    }
}
