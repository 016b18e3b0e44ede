//! Outgoing calls (CONTRACT.md H02 to H07).

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use banyan_edge::{Resolver, State, Timings};
use http::Method;
use serde_json::{Value, json};

use crate::support::{OfThePlatform, Outside, World, eventually};

async fn fetch(world: &World, target: &str) -> Value {
    let request = world.call(Method::GET, "/probe/fetch").header("x-target", target);
    request.await.json()
}

fn is_denied(answer: &Value) {
    let error = answer["error"].as_str().unwrap_or_else(|| panic!("not denied: {answer}"));
    assert!(error.contains("HttpRequestDenied"), "{error}");
}

// rows: H02 H04
#[tokio::test(flavor = "multi_thread")]
async fn a_listed_host_is_called_and_no_redirect_is_followed() {
    let outside = Outside::start().await;
    let world = World::probe(&outside.listed()).await;
    let answer = fetch(&world, &outside.url("/x")).await;
    assert_eq!(answer, json!({"status": 200, "body": format!("/x 0 bytes for {}", outside.address)}));
    assert_eq!(fetch(&world, &outside.url("/redirect")).await["status"], 302);
    assert_eq!(outside.asked(), ["/x", "/redirect"]);
}

// rows: H02 H06 LIMIT_PORTS
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_listed_is_denied_without_a_connection() {
    let outside = Outside::start().await;
    let world = World::probe("outbound_hosts = [\"https://api.example.com\"]").await;
    let port = outside.address.port();
    for target in [
        outside.url("/x"),
        format!("http://localhost:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://2130706433:{port}/"),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://api.example.com/".to_owned(),
        "https://api.example.com:25/".to_owned(),
    ] {
        is_denied(&fetch(&world, &target).await);
    }
    assert_eq!(outside.asked(), Vec::<String>::new());
    let log = world.manage(Method::GET, "/logs?function=probe", "", "").await.text().to_owned();
    for host in ["https://api.example.com:25", "http://169.254.169.254:80", &format!("http://[::1]:{port}")] {
        let told = format!("{host} is not in `outbound_hosts` of [functions.probe] in banyan.toml");
        assert!(log.contains(&told), "{told}: {log}");
    }
}

// rows: H04 X09
#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_changes_its_addresses_leads_inside_neither_before_nor_after() {
    let outside = Outside::start().await;
    let port = outside.address.port();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    // The first answer is a public address, each later one a private address. Nobody answers at the
    // public one.
    let resolver: Resolver = Arc::new(move |_, port| {
        let first = count.fetch_add(1, SeqCst) == 0;
        let address: IpAddr = if first { Ipv4Addr::new(1, 1, 1, 1) } else { Ipv4Addr::LOCALHOST }.into();
        Box::pin(std::future::ready(Ok(vec![SocketAddr::new(address, port)])))
    });
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let banyan = format!("[functions.probe]\noutbound_hosts = [\"http://rebind.example:{port}\"]\n");
    let change = |state: State| state.with_resolver(resolver);
    let world = World::with(&[("probe", "probe")], toml, &banyan, change).await;
    let target = format!("http://rebind.example:{port}/");
    let first = tokio::time::timeout(Duration::from_secs(2), fetch(&world, &target)).await;
    assert!(first.is_err() || first.unwrap()["error"].is_string(), "somebody answered");
    assert_eq!(asked.load(SeqCst), 1, "one question for one call");
    is_denied(&fetch(&world, &target).await);
    assert_eq!((asked.load(SeqCst), outside.asked().len()), (2, 0));
}

// rows: H05 T08 server/GW-OWN-CALLS
#[tokio::test(flavor = "multi_thread")]
async fn the_own_api_is_answered_in_process() {
    let world = World::probe("").await;
    let url = world.config.api_url();
    let answer = fetch(&world, &format!("{url}/rest/v1/lessons?select=id")).await;
    let host = url.strip_prefix("http://").unwrap();
    assert_eq!(answer["body"], format!("own API: GET /rest/v1/lessons?select=id for {host}"));
    for (asked, path) in [("", "/"), ("?x=1", "/?x=1"), ("//x", "//x"), ("/?", "/?")] {
        let answer = fetch(&world, &format!("{url}{asked}")).await;
        assert_eq!(answer["body"], format!("own API: GET {path} for {host}"), "{asked}");
    }
}

// rows: LIMIT_NESTED RATE_LIMIT_EXCEEDED
#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_calls_itself_forever_is_stopped() {
    let banyan = "[functions.caller.env]\nTARGET = \"http://127.0.0.1:54321/functions/v1/caller\"\n";
    let toml = format!("[functions.caller]\nverify_jwt = false\n{banyan}");
    let world = World::start(&[("caller", "caller")], &toml, "", Timings::default()).await;
    let answer = world.get("/caller").await;
    assert!(answer.text().contains("429") && answer.text().contains("RATE_LIMIT_EXCEEDED"), "{answer:?}");
}

// rows: H06
#[tokio::test(flavor = "multi_thread")]
async fn the_answer_arrives_although_the_body_was_not_read() {
    let outside = Outside::start().await;
    let world = World::probe(&outside.listed()).await;
    for _ in 0..20 {
        let request = world.call(Method::POST, "/probe/fetch").header("x-target", outside.url("/refuse"));
        let answer = request.bytes(vec![1; 200_000]).await.json();
        assert_eq!(answer, json!({"status": 403, "body": "refused unread"}));
        let request = world.call(Method::POST, "/probe/fetch").header("x-target", "https://denied.example/");
        is_denied(&request.bytes(vec![1; 200_000]).await.json());
    }
}

// rows: H04
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_port_is_an_error_for_the_guest_alone() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let world = World::probe(&format!("outbound_hosts = [\"http://{closed}\"]")).await;
    let answer = fetch(&world, &format!("http://{closed}/")).await;
    assert!(answer["error"].as_str().unwrap().contains("ConnectionRefused"), "{answer}");
}

// rows: E03
#[tokio::test(flavor = "multi_thread")]
async fn what_a_function_sends_breaks_off_where_it_fails_half_way() {
    let outside = Outside::start().await;
    let world = World::probe(&outside.listed()).await;
    for n in 1..=20 {
        let request = world.call(Method::POST, "/probe/upload").header("x-target", outside.url("/taken"));
        request.await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
        eventually("what became of the body", async || outside.broken().len() == n).await;
    }
}
