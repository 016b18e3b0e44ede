//! What the door of the functions' SDK makes of calls and answers, in a function that stands on it.

use http::Method;

use crate::support::World;

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
