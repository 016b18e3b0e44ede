//! One route for each behaviour that the host must allow, bound or refuse. The last path segment chooses.

use std::{
    cell::Cell,
    hint::black_box,
    io::Write,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use futures_lite::{Stream, stream};
use serde_json::json;
use wstd::http::{Body, Client, Error, Request, Response};

static CALLS: AtomicU32 = AtomicU32::new(0);

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    let route = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
    match route.as_str() {
        "background" => Ok(background(target(&request))),
        "calls" => Ok(text(&(CALLS.fetch_add(1, Ordering::Relaxed) + 1).to_string())),
        "early" => Ok(text("not read")),
        "echo" => Ok(Response::new(request.into_body())),
        "env" => Ok(text(&json!(std::env::vars().collect::<Vec<_>>()).to_string())),
        "fail" => Err(Error::msg("the guest gave up")),
        "fetch" => fetch(request).await,
        "files" => Ok(text(&format!("{:?}", std::fs::read_dir("/").map(|entries| entries.count())))),
        "flood" => Ok(flood()),
        "hog" => hog(),
        "hop" => Ok(Response::builder()
            .header("x-relay-error", "true")
            .header("sb-error-code", "FAKE")
            .header("set-cookie", "a=1")
            .header("set-cookie", "b=2")
            .body("kept".into())?),
        "html" => Ok(Response::builder().header("content-type", "text/html").body("<p>".into())?),
        "later" => {
            wstd::task::sleep(Duration::from_millis(300).into()).await;
            report(&target(&request)).await;
            Ok(text("late"))
        }
        "log" => log(),
        "loop" => endless(),
        "panic" => panic!("on purpose"),
        "sse" => Ok(events(stream::unfold(0, event))),
        "cut" => Ok(events(stream::unfold(0, event_then_panic))),
        "spin" => Ok(spin(number(&request))),
        "wait" => {
            wstd::task::sleep(Duration::from_millis(number(&request)).into()).await;
            Ok(text("waited"))
        }
        "status" => Ok(Response::builder().status(number(&request) as u16).body("status".into())?),
        _ => Ok(text("no such route")),
    }
}

fn text(text: &str) -> Response<Body> {
    Response::new(text.to_owned().into())
}

fn number(request: &Request<Body>) -> u64 {
    request.uri().query().and_then(|query| query.parse().ok()).unwrap_or_default()
}

fn target(request: &Request<Body>) -> String {
    let header = request.headers().get("x-target");
    header.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

fn background(target: String) -> Response<Body> {
    wstd::runtime::spawn(async move {
        wstd::task::sleep(Duration::from_millis(300).into()).await;
        report(&target).await;
    })
    .detach();
    text("answered")
}

async fn report(target: &str) {
    let request = Request::get(target).body(Body::empty()).expect("the test gives a target");
    let _ = Client::new().send(request).await;
}

async fn fetch(request: Request<Body>) -> Result<Response<Body>, Error> {
    let outgoing = Request::builder().method(request.method()).uri(target(&request)).body(request.into_body())?;
    let answer = match Client::new().send(outgoing).await {
        Ok(mut response) => {
            let body = response.body_mut().str_contents().await?.to_owned();
            json!({"status": response.status().as_u16(), "body": body})
        }
        Err(error) => json!({"error": format!("{error:?}")}),
    };
    Ok(text(&answer.to_string()))
}

fn hog() -> Result<Response<Body>, Error> {
    let mut held: Vec<Vec<u8>> = Vec::new();
    loop {
        held.push(black_box(vec![1; 1 << 20]));
    }
}

fn endless() -> Result<Response<Body>, Error> {
    let turns = Cell::new(0_u64);
    loop {
        black_box(turns.replace(turns.get().wrapping_add(1)));
    }
}

fn spin(milliseconds: u64) -> Response<Body> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(milliseconds) {
        black_box(start);
    }
    text("spun")
}

fn log() -> Result<Response<Body>, Error> {
    println!("first line\nsecond line");
    eprintln!("to stderr");
    print!("without an end");
    std::io::stdout().flush()?;
    Ok(text("logged"))
}

fn events(source: impl Stream<Item = Vec<u8>> + Send + 'static) -> Response<Body> {
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from_stream(source))
        .expect("the parts are constant")
}

async fn event(sent: u32) -> Option<(Vec<u8>, u32)> {
    if sent > 0 {
        wstd::task::sleep(Duration::from_millis(150).into()).await;
    }
    (sent < 3).then(|| (format!("data: {sent}\n\n").into_bytes(), sent + 1))
}

async fn event_then_panic(sent: u32) -> Option<(Vec<u8>, u32)> {
    let next = event(sent).await;
    assert!(sent < 1, "on purpose, after the answer began");
    next
}

/// Writes for as long as it can.
fn flood() -> Response<Body> {
    events(stream::unfold((), |()| async {
        wstd::task::sleep(Duration::from_millis(10).into()).await;
        Some((vec![b'x'; 1024], ()))
    }))
}
