//! What the handler of the functions' SDK makes of calls and answers, in a function that uses it.

use http::Method;
use http_body_util::BodyExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{OfThePlatform, Outside, World, eventually};

async fn door() -> World {
    with_policy("").await
}

async fn with_policy(policy: &str) -> World {
    World::open(&[("door", "door")], policy).await
}

/// Waits until no instance runs.
async fn all_ended(world: &World) {
    let running = async || world.get("/_internal/metric").await.json()["running"].clone();
    eventually("the end of each", async || running().await == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_answer_tells_its_length_also_where_it_is_large() {
    let world = door().await;
    let answer = world.get("/door/large").await;
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("3145728")));
    assert_eq!(answer.text().len(), 3 << 20);
    assert!(answer.text().bytes().all(|byte| byte == b'x'));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_answer_has_its_status_and_nothing_more() {
    let world = door().await;
    let answer = world.get("/door/empty").await;
    assert_eq!((answer.status, answer.text(), answer.header("content-length")), (204, "", None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_answer_arrives_with_its_own_length_whatever_the_function_told() {
    let world = door().await;
    for path in ["/door/long", "/door/short"] {
        let answer = world.get(path).await;
        assert_eq!((answer.status, answer.text()), (200, "bytes"), "{path}");
        assert_eq!(answer.header("content-length"), Some("5"), "{path}");
    }
    eventually("that both are told of", async || lines(&world, "error", "another length").await == 2).await;
    // The headers of an answer to HEAD describe the body that is not sent.
    let head = world.call(Method::HEAD, "/door/head").await;
    assert_eq!((head.status, head.header("content-length")), (200, Some("10")));
    let none = world.get("/door/no-content").await;
    assert_eq!((none.status, none.text(), none.header("content-length")), (204, "", None));
    all_ended(&world).await;
    assert_eq!(lines(&world, "error", "").await, 2, "nothing else is wrong");
}

/// How many lines of a level contain this text.
async fn lines(world: &World, level: &str, what: &str) -> usize {
    let log = world.manage(Method::GET, "/logs?function=door", "", "").await.text().to_owned();
    let level = format!(r#""level":"{level}""#);
    log.lines().filter(|line| line.contains(&level) && line.contains(what)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_fails_half_way_is_told_apart_from_a_client_that_leaves() {
    let world = door().await;
    let body = world.call(Method::GET, "/door/breaks-off").response().await.into_body();
    // As the client sees it, whole or not, belongs to the host.
    let _ = body.collect().await;
    eventually("its reason", async || lines(&world, "error", "no more of it").await == 1).await;
    assert_eq!(lines(&world, "info", "the client left").await, 0);
}

// rows: W02 W03
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_is_no_error_and_work_beside_it_ends() {
    let outside = Outside::start().await;
    let world = with_policy(&outside.listed()).await;
    for (left, route) in ["large", "endless"].into_iter().enumerate() {
        leave_answer(&world, route, &outside.url(&format!("/{route}"))).await;
        eventually("the work's end", async || outside.asked().len() > left).await;
        let told = async || lines(&world, "info", "the client left").await;
        eventually("a line about the client", async || told().await == left + 1).await;
    }
    assert_eq!(outside.asked(), ["/large", "/endless"]);
    assert_eq!(lines(&world, "error", "").await, 0);
}

/// Reads the beginning of an answer that has work beside it, and leaves.
async fn leave_answer(world: &World, route: &str, target: &str) {
    let path = format!("/door/{route}?{target}");
    let mut body = world.call(Method::GET, &path).response().await.into_body();
    body.frame().await.unwrap().unwrap();
}

// rows: W03
#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_body_breaks_off_ends_and_work_beside_it_comes_to_its_end() {
    let outside = Outside::start().await;
    let world = with_policy(&outside.listed()).await;
    drop(half_sent(&world, &format!("echo?{}", outside.url("/done"))).await);
    eventually("the work's end", async || outside.asked() == ["/done"]).await;
    all_ended(&world).await;
    assert_eq!(lines(&world, "error", "").await, 0, "it is the client's doing");
    assert_eq!(world.get("/door/echo").await.text(), "GET 0 0");
}

/// A connection on which five bytes of ten have come.
async fn half_sent(world: &World, route: &str) -> TcpStream {
    let mut stream = world.connect().await;
    let head = format!("POST /door/{route} HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nfirst");
    stream.write_all(head.as_bytes()).await.unwrap();
    // Waits until the function has read them, so that what follows is another piece.
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    stream
}

// rows: LIMIT_BODY REQUEST_TIMEOUT INCOMPLETE_BODY
#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_body_is_the_answer_and_no_fault_of_the_function() {
    let world = with_policy("body_idle = \"300ms\"\nmax_body = \"1kb\"").await;
    is_answered(half_sent(&world, "echo").await, "408", "REQUEST_TIMEOUT").await;
    is_answered(too_large(&world).await, "413", "PAYLOAD_TOO_LARGE").await;
    is_answered(chunked(&world, "no length\r\n").await, "400", "INCOMPLETE_BODY").await;
    assert_eq!(lines(&world, "error", "").await, 0, "it is the client's doing");
    assert_eq!(world.get("/door/echo").await.text(), "GET 0 0");
}

/// A connection on which more comes than the function allows, without a length.
async fn too_large(world: &World) -> TcpStream {
    chunked(world, &format!("800\r\n{}\r\n0\r\n\r\n", "x".repeat(0x800))).await
}

async fn chunked(world: &World, chunks: &str) -> TcpStream {
    let mut stream = world.connect().await;
    let head = "POST /door/echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(format!("{head}{chunks}").as_bytes()).await.unwrap();
    stream
}

async fn is_answered(mut stream: TcpStream, status: &str, code: &str) {
    let (mut answer, mut piece) = (String::new(), [0; 4096]);
    while !answer.contains(code) {
        let read = stream.read(&mut piece).await.unwrap();
        assert!(read > 0, "no {code}: {answer}");
        answer.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
}

// rows: H10
#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_is_used_again_has_nothing_left_of_a_call_that_ended_early() {
    let outside = Outside::start().await;
    let policy = format!("reuse = true\nbody_idle = \"300ms\"\nmax_body = \"1kb\"\n{}", outside.listed());
    let world = with_policy(&policy).await;
    let endings = ["large", "endless", "breaks off", "silent", "too large", "forbidden", "error"];
    for (before, ending) in endings.into_iter().enumerate() {
        match ending {
            "large" | "endless" => leave_answer(&world, ending, &outside.url("/done")).await,
            "breaks off" => drop(half_sent(&world, "echo").await),
            "silent" => is_answered(half_sent(&world, "echo").await, "408", "REQUEST_TIMEOUT").await,
            "too large" => is_answered(too_large(&world).await, "413", "PAYLOAD_TOO_LARGE").await,
            failing => assert_eq!(world.get(&format!("/door/{failing}")).await.status, 500),
        }
        all_ended(&world).await;
        assert_eq!(world.get("/door/calls").await.text(), (before + 1).to_string(), "after {ending}");
        all_ended(&world).await;
    }
    assert_eq!(outside.asked().len(), 2, "work beside an answer came to its end");
    let cookies = world.get("/door/cookies").await;
    assert_eq!(cookies.headers.get_all("set-cookie").iter().count(), 2);
    assert_eq!(cookies.headers["x-name"].as_bytes(), "Zoë".as_bytes());
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
    assert_eq!((answer.status, answer.text(), answer.header("content-length")), (200, "one two", None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_pass_through_without_being_held() {
    let world = door().await;
    let sent = "x".repeat(3 << 20);
    let answer = world.call(Method::POST, "/door/through").bytes(sent.clone()).await;
    assert!(answer.status == 200 && answer.text() == sent, "{} {}", answer.status, answer.text().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_read_with_repeated_headers_and_a_body_up_to_its_limit() {
    let world = door().await;
    let call = |method| {
        let request = world.call(method, "/door/echo");
        request.header("x-told", "one").header("x-told", "three")
    };
    assert_eq!(call(Method::PATCH).bytes("a body").await.text(), "PATCH 8 6");
    assert_eq!(call(Method::GET).await.text(), "GET 8 0");
    assert_eq!(call(Method::POST).bytes("x".repeat(100_000)).await.text(), "POST 8 100000");
    assert_eq!(call(Method::POST).bytes("x".repeat(100_001)).await.text(), "POST 8 too large");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forbidden_header_and_an_error_of_the_function_answer_alike() {
    let world = door().await;
    for path in ["/door/forbidden", "/door/error"] {
        world.get(path).await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
    }
}

#[test]
fn what_the_readme_of_the_sdk_shows_is_what_the_guest_is_made_of() {
    let (readme, guest) =
        (include_str!("../../../functions/_sdk/README.md"), include_str!("guests/src/bin/shown.rs"));
    // Rows and mail come before it; `cli` builds those.
    let (_, readme) = readme.split_once("## Other methods").expect("a part on all else");
    let shown: Vec<&str> =
        readme.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(shown.len(), 6, "imports, any method, a stream, events, work after the answer, a call");
    for example in shown {
        assert!(guest.contains(example), "the guest has no such lines:\n{example}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_readme_of_the_sdk_shows_does_what_it_says() {
    let outside = Outside::start().await;
    let policy = format!("{}\nenv = {{ RATES_URL = {:?} }}", outside.listed(), outside.url("/rates"));
    let world = World::open(&[("examples", "shown")], &policy).await;
    let any = world.call(Method::PUT, "/examples/any?x=1").bytes("four").await.json();
    assert_eq!(any, serde_json::json!({ "method": "PUT", "query": "x=1", "bytes": 4 }));
    let streamed = world.get("/examples/streamed").await;
    assert_eq!((streamed.status, streamed.text()), (200, "line 1\nline 2\nline 3\n"));

    let began = std::time::Instant::now();
    let mut events = world.call(Method::GET, "/examples/events").response().await;
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    let first = events.body_mut().frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, "data: 1\n\n");
    assert!(began.elapsed() < std::time::Duration::from_millis(700), "it is not held until the end");
    let rest = events.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(rest, "data: 2\n\ndata: 3\n\n");

    let answered = world.get("/examples/answered-first").await;
    assert_eq!((answered.status, answered.text()), (202, "taken on"));
    let log = async || world.manage(Method::GET, "/logs?function=examples", "", "").await.text().to_owned();
    let is_done = async || log().await.contains("the work after the answer is done");
    assert!(!is_done().await, "the answer does not wait for it");
    eventually("the work after the answer", is_done).await;

    let asked = world.call(Method::POST, "/examples/rates").bytes("{}").await.json();
    assert_eq!(
        (asked["status"].as_u64(), outside.asked()),
        (Some(200), vec!["/rates".to_owned()]),
        "{asked}"
    );
}
