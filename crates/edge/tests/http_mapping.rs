//! What passes through in both directions (CONTRACT.md F01 to F10, T01 to T09, E01 to E05).

use std::time::{Duration, Instant};

use banyan_testkit::Answer;
use http::Method;
use http_body_util::BodyExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{OfThePlatform, World};

async fn mirror() -> World {
    World::open(&[("mirror", "mirror")], "").await
}

// rows: F01
#[tokio::test(flavor = "multi_thread")]
async fn the_function_sees_path_and_query_undecoded() {
    let world = mirror().await;
    let seen = world.get("/mirror/sub%20path/x?a=1&a=%2B&b").await.json();
    assert_eq!(seen["path"], "/mirror/sub%20path/x?a=1&a=%2B&b");
    assert_eq!(seen["authority"], world.address.to_string());
}

// rows: F03 METHOD_NOT_ALLOWED
#[tokio::test(flavor = "multi_thread")]
async fn every_method_but_trace_is_taken() {
    let world = mirror().await;
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let answer = world.call(method.parse().unwrap(), "/mirror").await;
        assert_eq!(answer.json()["method"], method);
    }
    let head = world.call(Method::HEAD, "/mirror").await;
    assert_eq!((head.status, head.text()), (200, ""));
    let trace = world.call(Method::TRACE, "/mirror").await;
    trace.is_platform_error(405, "METHOD_NOT_ALLOWED", "METHOD_NOT_ALLOWED");
}

// rows: F02 F04 NOT_FOUND
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_name_is_404_in_json() {
    let world = mirror().await;
    for path in ["/nobody", "/", "/Mirror", "/_shared", "/..%2f"] {
        let answer = world.get(path).await;
        answer.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
        assert_eq!(answer.json()["message"], "Requested function was not found");
    }
}

// rows: F05
#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_function_is_unknown() {
    let toml = "[functions.hello]\nenabled = false\n";
    let world = World::start(&[("hello", "hello")], toml, "", banyan_edge::Timings::default()).await;
    world.get("/hello").await.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
}

// rows: F08
#[tokio::test(flavor = "multi_thread")]
async fn health_answers_without_a_function() {
    let world = mirror().await;
    assert_eq!(world.get("/_internal/health").await.json()["message"], "ok");
    let head = world.call(Method::HEAD, "/_internal/health").await;
    assert_eq!((head.status, head.text()), (200, ""));
    assert_eq!(world.get("/_internal/metric").await.json()["slots"], 1000);
}

// rows: T01 F09 F10 H07
#[tokio::test(flavor = "multi_thread")]
async fn end_to_end_headers_pass_and_internal_ones_do_not() {
    let world = mirror().await;
    let request = world
        .call(Method::POST, "/mirror")
        .header("x-custom", "one")
        .header("x-custom", "two")
        .header("x-region", "eu-west-1")
        .header("x-sb-secret", "forged")
        .header("sb-api-key", "forged")
        .header("connection", "x-named, authorization, x-forwarded-for, x-request-id, sb-request-id")
        .header("authorization", "Bearer mine")
        .header("x-forwarded-for", "203.0.113.7")
        .header("x-request-id", "mine-7")
        .header("sb-request-id", "mine-7")
        .header("x-named", "hop")
        .header("te", "trailers")
        .header("keep-alive", "timeout=5")
        .header("proxy-authorization", "Basic x");
    let seen = request.await.json();
    let names: Vec<(&str, &str)> = seen["headers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap()))
        .collect();
    assert!(names.contains(&("x-custom", "one")) && names.contains(&("x-custom", "two")), "{names:?}");
    assert!(names.contains(&("x-region", "eu-west-1")), "{names:?}");
    // A client cannot take away headers of the gateway.
    for (name, value) in [
        ("authorization", "Bearer mine"),
        ("x-forwarded-for", "203.0.113.7"),
        ("x-request-id", "mine-7"),
        ("sb-request-id", "mine-7"),
    ] {
        assert!(names.contains(&(name, value)), "{name} is not in {names:?}");
    }
    for hidden in [
        "x-sb-secret",
        "sb-api-key",
        "connection",
        "x-named",
        "te",
        "keep-alive",
        "proxy-authorization",
        "transfer-encoding",
        "host",
    ] {
        assert!(names.iter().all(|(name, _)| *name != hidden), "{hidden} in {names:?}");
    }
}

// rows: T02
#[tokio::test(flavor = "multi_thread")]
async fn a_large_body_streams_through_unchanged() {
    let world = World::probe("memory_mb = 16").await;
    let sent: Vec<u8> = (0..40_000_000_u32).map(|i| (i % 251) as u8).collect();
    let response = world.call(Method::POST, "/probe/echo").bytes(sent.clone()).response().await;
    let received = response.into_body().collect().await.unwrap().to_bytes();
    assert!(received == sent, "40 MB through an instance of 16 MB differ");
}

// rows: T02
#[tokio::test(flavor = "multi_thread")]
async fn a_function_may_answer_before_it_has_read_the_body() {
    let world = World::probe("").await;
    let answer = world.call(Method::POST, "/probe/early").bytes(vec![0; 1 << 20]).await;
    assert_eq!((answer.status, answer.text()), (200, "not read"));
}

// rows: T03 E05
#[tokio::test(flavor = "multi_thread")]
async fn statuses_and_repeated_headers_are_kept() {
    let world = World::probe("").await;
    for status in [200, 201, 301, 404, 418, 599] {
        let answer = world.get(&format!("/probe/status?{status}")).await;
        assert_eq!((answer.status, answer.header("x-relay-error")), (status, None));
    }
    let answer = world.get("/probe/hop").await;
    assert_eq!(answer.header("x-sb-execution-id").map(str::len), Some(36), "{answer:?}");
    let cookies = answer;
    let cookies: Vec<_> = cookies.headers.get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
}

// rows: T03 INVALID_RESPONSE_STATUS_CODE
#[tokio::test(flavor = "multi_thread")]
async fn a_status_outside_200_to_599_is_an_error() {
    let world = World::probe("").await;
    let code = "INVALID_RESPONSE_STATUS_CODE";
    world.get("/probe/status?101").await.is_platform_error(500, code, code);
}

// rows: T04
#[tokio::test(flavor = "multi_thread")]
async fn events_arrive_one_by_one_as_they_are_written() {
    let world = World::probe("").await;
    let response = world.call(Method::GET, "/probe/sse").response().await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let mut arrived = Vec::new();
    while let Some(frame) = body.frame().await {
        let text = String::from_utf8(frame.unwrap().into_data().unwrap().to_vec()).unwrap();
        arrived.push((text, Instant::now()));
    }
    let texts: Vec<&str> = arrived.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["data: 0\n\n", "data: 1\n\n", "data: 2\n\n"]);
    let gap = arrived[2].1 - arrived[0].1;
    assert!(gap > Duration::from_millis(200), "the events came together: {gap:?}");
}

// rows: T05
#[tokio::test(flavor = "multi_thread")]
async fn the_answer_goes_out_while_the_request_still_comes_in() {
    let world = World::probe("").await;
    let mut stream = world.connect().await;
    let head = "POST /probe/echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(format!("{head}5\r\nfirst\r\n").as_bytes()).await.unwrap();
    assert!(read_until(&mut stream, "first").await.starts_with("HTTP/1.1 200"));
    stream.write_all(b"6\r\nsecond\r\n0\r\n\r\n").await.unwrap();
    read_until(&mut stream, "second").await;
}

async fn read_until(stream: &mut tokio::net::TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains(wanted) {
        let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut buffer)).await;
        let read = read.unwrap_or_else(|_| panic!("`{wanted}` did not come, only {text}")).unwrap();
        assert!(read > 0, "closed before `{wanted}`: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    text
}

// rows: T06
#[tokio::test(flavor = "multi_thread")]
async fn a_204_and_a_head_have_no_body() {
    let world = World::probe("").await;
    let empty = world.get("/probe/status?204").await;
    assert_eq!((empty.status, empty.text()), (204, ""));
    let head = world.call(Method::HEAD, "/probe/calls").await;
    assert_eq!((head.status, head.text()), (200, ""));
}

// rows: T07
#[tokio::test(flavor = "multi_thread")]
async fn html_is_kept_and_marked_nosniff() {
    let world = World::probe("").await;
    let answer = world.get("/probe/html").await;
    assert_eq!(answer.header("content-type"), Some("text/html"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

// rows: T09
#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_is_refused_at_once() {
    let world = World::probe("").await;
    for upgrade in ["websocket", "h2c, websocket", "h2c\r\nupgrade: websocket"] {
        let mut stream = world.connect().await;
        let request =
            format!("GET /probe HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: {upgrade}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = read_until(&mut stream, "UPGRADE_NOT_SUPPORTED").await;
        assert!(answer.starts_with("HTTP/1.1 501"), "{upgrade}: {answer}");
    }
}

// rows: T09 F10
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_offers_http_2_as_well_is_answered() {
    let world = mirror().await;
    let mut stream = world.connect().await;
    let request = "GET /mirror HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = read_until(&mut stream, "\"headers\"").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(!answer.contains("h2c") && !answer.contains("http2-settings"), "{answer}");
}

// rows: E01 E04 WORKER_ERROR X10
#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_500_without_a_word_of_the_inside() {
    let world = World::probe("").await;
    for route in ["panic", "fail"] {
        let answer = world.get(&format!("/probe/{route}")).await;
        answer.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
        assert_eq!(answer.json()["message"], "Function exited due to an error (please check logs)");
        assert!(!answer.text().contains("purpose") && !answer.text().contains("gave up"), "{answer:?}");
    }
}

// rows: E02 EDGE_FUNCTION_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn a_function_cannot_forge_the_platforms_marks() {
    let world = World::probe("").await;
    let answer = world.get("/probe/hop").await;
    assert_eq!((answer.header("x-relay-error"), answer.header("sb-error-code")), (None, None));
    let failed = world.get("/probe/status?503").await;
    assert_eq!(failed.header("sb-error-code"), Some("EDGE_FUNCTION_ERROR"));
    assert_eq!((failed.status, failed.text()), (503, "status"));
}

// rows: E03
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_after_the_answer_began_cuts_the_body() {
    let world = World::probe("").await;
    let response = world.call(Method::GET, "/probe/cut").response().await;
    assert_eq!(response.status(), 200);
    let mut body = response.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, "data: 0\n\n");
    assert!(body.frame().await.unwrap().is_err(), "the body ended as if it were whole");
}

// rows: F10
#[tokio::test(flavor = "multi_thread")]
async fn one_connection_of_http_1_carries_several_requests() {
    let world = mirror().await;
    let mut stream = world.connect().await;
    for body in ["first", "second"] {
        let request =
            format!("POST /mirror HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = vec![0; 4096];
        let read = stream.read(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]);
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.contains(&format!("\"body\":\"{body}\"")),
            "{answer}"
        );
    }
}

// rows: F10 H07
#[tokio::test(flavor = "multi_thread")]
async fn over_http_2_the_same_passes_and_the_same_does_not() {
    let world = mirror().await;
    let request = world.by_http2().call(Method::POST, "/mirror/sub?a=1").bytes("sent");
    let response = request.header("te", "trailers").header("x-own", "1").response().await;
    assert_eq!(response.version(), http::Version::HTTP_2);
    let seen = Answer::read(response).await.json();
    assert_eq!((seen["path"].as_str(), seen["body"].as_str()), (Some("/mirror/sub?a=1"), Some("sent")));
    assert_eq!(seen["authority"], world.address.to_string());
    let names: Vec<&str> =
        seen["headers"].as_array().unwrap().iter().filter_map(|pair| pair[0].as_str()).collect();
    assert!(names.contains(&"x-own") && !names.contains(&"te") && !names.contains(&"host"), "{names:?}");
}

// rows: F10 E03
#[tokio::test(flavor = "multi_thread")]
async fn over_http_2_a_failure_after_the_answer_began_resets_the_stream() {
    let world = World::probe("").await;
    let response = world.by_http2().get("/probe/cut").response().await;
    assert_eq!(response.status(), 200);
    let error = response.into_body().collect().await.unwrap_err();
    let told = format!("{error:?}");
    assert!(told.contains("Reset"), "{told}");
}
