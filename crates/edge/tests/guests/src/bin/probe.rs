//! One route for each behaviour that the host must allow, bound or refuse. The last path segment
//! chooses.

use std::{
    cell::Cell,
    hint::black_box,
    io::Write,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use futures_lite::{Stream, stream};
use serde_json::json;
use wstd::{
    future::FutureExt as _,
    http::{Body, Client, Error, Request, Response},
};

static CALLS: AtomicU32 = AtomicU32::new(0);

#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    let route = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
    match route.as_str() {
        "ask" => Ok(text(&ask(number(&request), &target(&request)).await.to_string())),
        "ask-or-fail" => {
            let asked = ask(number(&request), &target(&request)).await;
            if asked["denied"] == 0 { Ok(text("all went")) } else { Err(Error::msg("denied")) }
        }
        "background" => Ok(background(target(&request))),
        "bodies" => Ok(text(&bodies(number(&request)).to_string())),
        "calls" => Ok(text(&(CALLS.fetch_add(1, Ordering::Relaxed) + 1).to_string())),
        "chance" => Ok(text(&chance().await.to_string())),
        "early" => Ok(text("not read")),
        "echo" => Ok(Response::new(request.into_body())),
        "env" => Ok(text(&json!(std::env::vars().collect::<Vec<_>>()).to_string())),
        "fail" => Err(Error::msg("the guest gave up")),
        "fetch" => fetch(request).await,
        "files" => Ok(text(&format!("{:?}", std::fs::read_dir("/").map(|entries| entries.count())))),
        "flood" => Ok(flood()),
        "fork" => fork(number(&request), &target(&request)).await,
        "handles" => Ok(handles(number(&request))),
        "head" => Ok(head(number(&request))),
        "hoard" => hoard(number(&request), &target(&request)).await,
        "hog" => hog(),
        "hop" => Ok(Response::builder()
            .header("x-relay-error", "true")
            .header("sb-error-code", "FAKE")
            .header("set-cookie", "a=1")
            .header("set-cookie", "b=2")
            .body("kept".into())?),
        "html" => Ok(Response::builder().header("content-type", "text/html").body("<p>".into())?),
        "keep" => {
            let megabytes = request.uri().query().and_then(|query| query.split('&').nth(1)?.parse::<usize>().ok());
            let held = black_box(vec![1_u8; megabytes.unwrap_or_default() << 20]);
            wstd::task::sleep(Duration::from_millis(number(&request)).into()).await;
            black_box(held);
            Ok(text("kept"))
        }
        "later" => {
            wstd::task::sleep(Duration::from_millis(300).into()).await;
            report(&target(&request)).await;
            Ok(text("late"))
        }
        "log" => log(),
        "loop" => endless(),
        "names" => Ok(text(&names(number(&request)).to_string())),
        "panic" => panic!("on purpose"),
        "paths" => Ok(text(&paths(number(&request)).to_string())),
        "random" => Ok(text(&wasip2::random::random::get_random_bytes(number(&request)).len().to_string())),
        "recurse" => Ok(text(&recurse(number(&request)).to_string())),
        "smuggle" => Ok(text(&smuggle().to_string())),
        "split" => Ok(text(&split().to_string())),
        "stall" => Ok(events(stream::unfold(0, event_then_nothing))),
        "sse" => Ok(events(stream::unfold(0, event))),
        "cut" => Ok(events(stream::unfold(0, event_then_panic))),
        "spin" => Ok(spin(number(&request))),
        "upload" => {
            let body = Body::from_stream(stream::unfold(0, event_then_panic));
            Client::new().send(Request::post(target(&request)).body(body)?).await?;
            Ok(text("sent"))
        }
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
    let first = |query: &str| query.split('&').next().and_then(|first| first.parse().ok());
    request.uri().query().and_then(first).unwrap_or_default()
}

fn target(request: &Request<Body>) -> String {
    let header = request.headers().get("x-target");
    header.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// What clocks and randomness tell, and how long a wait of 50 ms was.
async fn chance() -> serde_json::Value {
    let started = Instant::now();
    wstd::task::sleep(Duration::from_millis(50).into()).await;
    let since_1970 = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970");
    json!({
        "random": wasip2::random::random::get_random_u64().to_string(),
        "insecure": wasip2::random::insecure::get_insecure_random_u64().to_string(),
        "seed": format!("{:?}", wasip2::random::insecure_seed::insecure_seed()),
        "unix_ms": since_1970.as_millis() as u64,
        "waited_ms": started.elapsed().as_millis() as u64,
    })
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
    let outgoing =
        Request::builder().method(request.method()).uri(target(&request)).body(request.into_body())?;
    let answer = match Client::new().send(outgoing).await {
        Ok(mut response) => {
            let body = response.body_mut().str_contents().await?.to_owned();
            json!({"status": response.status().as_u16(), "body": body})
        }
        Err(error) => json!({"error": format!("{error:?}")}),
    };
    Ok(text(&answer.to_string()))
}

/// Calls one after another; how many went and how many were denied.
async fn ask(calls: u64, target: &str) -> serde_json::Value {
    let (mut went, mut denied) = (0, 0);
    for _ in 0..calls {
        let request = Request::get(target).body(Body::empty()).expect("the test gives a target");
        match Client::new().send(request).await {
            Ok(_) => went += 1,
            Err(_) => denied += 1,
        }
    }
    json!({"went": went, "denied": denied})
}

/// As many calls at once, none of them waited for before all are begun.
async fn fork(calls: u64, target: &str) -> Result<Response<Body>, Error> {
    let mut tasks = Vec::new();
    for _ in 0..calls {
        let request = Request::get(target).body(Body::empty())?;
        tasks.push(wstd::runtime::spawn(async move { Client::new().send(request).await.is_ok() }));
    }
    let mut went = 0;
    for task in tasks {
        went += u32::from(task.await);
    }
    Ok(text(&went.to_string()))
}

/// Calls one after another and reads none of the answers; how many came.
async fn hoard(calls: u64, target: &str) -> Result<Response<Body>, Error> {
    let mut held = Vec::new();
    for _ in 0..calls {
        let request = Request::get(target).body(Body::empty())?;
        let answer = Client::new().send(request).timeout(wstd::time::Duration::from_secs(2)).await;
        let Ok(answer) = answer else { break };
        held.push(answer?);
    }
    Ok(text(&held.len().to_string()))
}

/// Holds so many handles to the host at a time, each of which it could still use.
fn handles(many: u64) -> Response<Body> {
    let held: Vec<_> = (0..many).map(|_| wasip2::http::types::Fields::new()).collect();
    text(&held.iter().filter(|fields| !fields.has("x")).count().to_string())
}

/// Fills the bodies of requests that are never sent; the bytes that the host took of them.
fn bodies(many: u64) -> usize {
    use wasip2::http::types::{Fields, OutgoingBody, OutgoingRequest};
    let fill = |body: &OutgoingBody| {
        let stream = body.write().unwrap();
        let room = || Some(stream.check_write().unwrap() as usize).filter(|room| *room > 0);
        std::iter::from_fn(room).inspect(|room| stream.write(&vec![0; *room]).unwrap()).sum::<usize>()
    };
    let held: Vec<_> = (0..many)
        .map(|_| {
            let request = OutgoingRequest::new(Fields::new());
            let body = request.body().unwrap();
            (fill(&body), body, request)
        })
        .collect();
    held.iter().map(|(bytes, ..)| bytes).sum()
}

/// Gives requests that are never sent a method and a host of so many bytes; how many the host kept.
fn names(bytes: u64) -> usize {
    use wasip2::http::types::{Fields, Method, OutgoingRequest};
    let long = "a".repeat(bytes as usize);
    let request = OutgoingRequest::new(Fields::new());
    let method = request.set_method(&Method::Other(long.clone()));
    let authority = request.set_authority(Some(&long));
    [method, authority].iter().filter(|set| set.is_ok()).count()
}

/// Gives requests that are never sent a path of so many bytes; how many of 240 the host kept.
fn paths(bytes: u64) -> usize {
    use wasip2::http::types::{Fields, OutgoingRequest};
    let path = format!("/{}", "a".repeat(bytes as usize - 1));
    let held: Vec<_> = (0..240).map(|_| OutgoingRequest::new(Fields::new())).collect();
    held.iter().filter(|request| request.set_path_with_query(Some(&path)).is_ok()).count()
}

fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    if depth == 0 { frame[0] } else { recurse(depth - 1) + black_box(frame[63]) }
}

/// Which headers the host takes that would make two requests out of one, by each way to set them.
fn smuggle() -> serde_json::Value {
    use wasip2::http::types::Fields;
    let names = [
        "x-custom",
        "connection",
        "host",
        "http2-settings",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "Transfer-Encoding",
    ];
    let value = || b"1".to_vec();
    let ways: [(&str, fn(&str, Vec<u8>) -> bool); 3] = [
        ("append", |name, value| Fields::new().append(name, &value).is_ok()),
        ("set", |name, value| Fields::new().set(name, &[value]).is_ok()),
        ("list", |name, value| Fields::from_list(&[(name.to_owned(), value)]).is_ok()),
    ];
    let taken = ways.iter().flat_map(|(way, set)| {
        let taken = names.iter().filter(|name| set(name, value()));
        taken.map(move |name| format!("{way} {name}"))
    });
    json!(taken.collect::<Vec<_>>())
}

/// An answer whose head has so many kilobytes.
fn head(kilobytes: u64) -> Response<Body> {
    let fields = wasip2::http::types::Fields::new();
    let taken = (0..kilobytes).filter(|n| fields.append(&format!("x-{n}"), &[b'x'; 1024]).is_ok());
    text(&taken.count().to_string())
}

/// Whether the host takes names and values that would end a head early.
fn split() -> serde_json::Value {
    let set = |name: &str, value: &[u8]| {
        let fields = wasip2::http::types::Fields::new();
        fields.append(name, value).is_ok()
    };
    json!({
        "harmless": set("x-custom", b"1"),
        "value": set("x-custom", b"1\r\nset-cookie: a=b"),
        "line feed": set("x-custom", b"1\nset-cookie: a=b"),
        "nul": set("x-custom", b"1\0"),
        "name": set("x-custom: 1\r\nset-cookie", b"a=b"),
        "space": set("x custom", b"1"),
        "empty": set("", b"1"),
    })
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

async fn event_then_nothing(sent: u32) -> Option<(Vec<u8>, u32)> {
    if sent > 0 {
        wstd::task::sleep(Duration::from_secs(3600).into()).await;
    }
    Some((b"data: 0\n\n".to_vec(), sent + 1))
}

/// Writes for as long as it can.
fn flood() -> Response<Body> {
    events(stream::unfold((), |()| async {
        wstd::task::sleep(Duration::from_millis(10).into()).await;
        Some((vec![b'x'; 1024], ()))
    }))
}
