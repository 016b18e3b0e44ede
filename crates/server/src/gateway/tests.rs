//! The gateway with services of the tests' own.

use std::{future::pending, net::SocketAddr, sync::Mutex};

use banyan_web::full;
use http::{
    Method, StatusCode,
    header::{ACCESS_CONTROL_REQUEST_METHOD, CONNECTION, UPGRADE},
};
use http_body_util::BodyExt;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::Semaphore,
    time::timeout,
};

use super::*;
use crate::{
    connections::Connections,
    cors::CorsRule,
    identification::Identification,
    listeners::Listeners,
    observer::Observer,
    service::{AdmissionClass, BodyLimit, Handler, Preflights, handler},
    sockets::Socket,
    upgrades::UpgradePermits,
};

/// Notes which service answered, and whether the gateway answered a preflight for it.
#[derive(Default)]
struct Notes(Mutex<Vec<(&'static str, bool)>>);

impl Observer for Notes {
    fn observe(&self, answered: &Answered<'_>) {
        self.0.lock().expect("no test panics here").push((answered.service, answered.is_preflight));
    }
}

fn policy(prefix: &'static str, name: &'static str) -> Policy {
    Policy {
        prefix,
        name,
        is_on: true,
        cors: CorsRule::AnyOrigin { cookies: false },
        preflights: Preflights::Gateway,
        pages: PageRule::OfProject,
        body: BodyRule::Buffered(BodyLimit { bytes: 10, by_declared_length: true }),
        admission: AdmissionClass::Counted,
        deadline: None,
        upgrades: None,
        identification: Identification::NotAsked,
        request_ids: true,
        observer: Arc::new(Notes::default()),
        refusals: Refusal::response,
    }
}

/// Answers with the path that the service sees.
fn shows_path() -> Handler {
    handler((), |(), call| async move { Response::new(full(call.request.uri().path().to_owned())) })
}

fn gateway(services: Vec<Service>, stopping: CancellationToken) -> Arc<Gateway> {
    Arc::new(Gateway {
        services: Services::new(services),
        admission: Admission::of(u64::MAX, 0),
        clock: Clock::system(),
        loopback_only: false,
        pages: None,
        stopping,
    })
}

/// A gateway with one service for every path.
fn with_one(policy: Policy, handler: Handler) -> Arc<Gateway> {
    gateway(vec![Service { policy: Policy { prefix: "", ..policy }, handler }], CancellationToken::new())
}

async fn text(response: Response<Body>) -> String {
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    String::from_utf8_lossy(&bytes).into_owned()
}

// rows: auth/W1 GW-ROUTES
#[tokio::test]
async fn paths_find_their_service() {
    let notes = Arc::new(Notes::default());
    let mounted = |prefix, name| {
        let observer: Arc<dyn Observer> = Arc::clone(&notes) as _;
        Service { policy: Policy { observer, ..policy(prefix, name) }, handler: shows_path() }
    };
    let services = vec![mounted("/auth/v1", "auth"), mounted("/*/v1", "unknown"), mounted("", "site")];
    let gateway = gateway(services, CancellationToken::new());
    for (path, service, seen) in [
        ("/auth/v1/token", "auth", "/token"),
        ("/auth/v1", "auth", "/"),
        ("/storage/v1/object", "unknown", "/object"),
        ("/auth", "site", "/auth"),
        ("/auth/v10", "site", "/auth/v10"),
        ("/", "site", "/"),
    ] {
        let request = Request::get(path).body(full("")).expect("a request");
        let answer = Arc::clone(&gateway).answer(request, Peer::Unix).await;
        assert_eq!(text(answer).await, seen, "{path}");
        assert_eq!(notes.0.lock().expect("notes").pop(), Some((service, false)), "{path}");
    }
}

// rows: GW-ROUTES
#[tokio::test]
async fn a_service_that_is_switched_off_has_no_path() {
    let off = Policy { is_on: false, ..policy("/auth/v1", "auth") };
    let services = vec![
        Service { policy: off, handler: shows_path() },
        Service { policy: policy("", "site"), handler: shows_path() },
    ];
    let request = Request::get("/auth/v1/token").body(full("")).expect("a request");
    let answer = gateway(services, CancellationToken::new()).answer(request, Peer::Unix).await;
    assert_eq!(text(answer).await, "/auth/v1/token", "the next one answers");
}

#[tokio::test]
async fn a_preflight_is_answered_by_the_gateway_or_by_the_service_as_the_policy_says() {
    let ask = |preflights| {
        let gateway = with_one(Policy { preflights, ..policy("", "x") }, shows_path());
        let request = Request::options("/own").header(ACCESS_CONTROL_REQUEST_METHOD, "POST");
        gateway.answer(request.body(full("")).expect("a request"), Peer::Unix)
    };
    assert_eq!(ask(Preflights::Gateway).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(ask(Preflights::Service).await.status(), StatusCode::OK);
    let own = Preflights::ServiceFor(Arc::new(|path| path == "/own"));
    assert_eq!(ask(own).await.status(), StatusCode::OK);
}

// rows: GW-ERRORS
#[tokio::test]
async fn a_service_words_what_the_gateway_refuses_for_it() {
    fn words(refusal: Refusal) -> Response<Body> {
        Response::new(full(format!("{refusal:?}")))
    }
    let never = || handler((), |(), _| pending());
    let base = Policy { refusals: words, ..policy("", "x") };
    let slow = with_one(Policy { deadline: Some(Duration::ZERO), ..base.clone() }, never());
    let refused = slow.answer(Request::get("/").body(full("")).expect("a request"), Peer::Unix).await;
    assert_eq!(text(refused).await, "DeadlinePassed");
    let large = Request::post("/").header(CONTENT_LENGTH, 11).body(full("12345678901"));
    let refused = with_one(base, never()).answer(large.expect("a request"), Peer::Unix).await;
    assert_eq!(text(refused).await, "BodyTooLarge");
}

#[tokio::test]
async fn a_body_is_cut_at_its_limit_where_no_declared_length_is_refused() {
    let body = BodyRule::Buffered(BodyLimit { bytes: 10, by_declared_length: false });
    let reads = handler((), |(), call| async move {
        let read = call.request.into_body().collect().await;
        Response::new(full(read.map_or("cut", |_| "whole")))
    });
    let gateway = with_one(Policy { body, ..policy("", "x") }, reads);
    for (length, expected) in [(10, "whole"), (11, "cut")] {
        let request = Request::post("/").header(CONTENT_LENGTH, length).body(full("x".repeat(length)));
        let answer = Arc::clone(&gateway).answer(request.expect("a request"), Peer::Unix).await;
        assert_eq!(text(answer).await, expected);
    }
}

// rows: GW-REQUEST-ID
#[test]
fn a_harmless_request_id_is_kept_and_any_other_replaced() {
    let id = |value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID, HeaderValue::from_str(value).expect("a header value"));
        request_id(&headers).to_str().expect("text").to_owned()
    };
    assert_eq!(id("abc-123"), "abc-123");
    assert_ne!(id("with space"), "with space");
    assert_eq!(id(&"x".repeat(65)).len(), 36);
}

/// Echoes bytes once the protocol has changed. A polite one says goodbye when the server stops.
fn echo(is_polite: bool) -> Handler {
    handler(is_polite, |is_polite, mut call| async move {
        let Some(upgrade) = call.request.extensions_mut().remove::<OnUpgrade>() else {
            return Response::new(full("plain"));
        };
        tokio::spawn(async move {
            let Ok(upgraded) = upgrade.await else { return };
            let (mut stream, mut bytes) = (TokioIo::new(upgraded), [0; 64]);
            loop {
                let read = tokio::select! {
                    read = stream.read(&mut bytes) => read.unwrap_or(0),
                    () = call.stopping.cancelled(), if is_polite => {
                        // The client may be gone.
                        let _ = stream.write_all(b"bye").await;
                        return;
                    }
                };
                if read == 0 || stream.write_all(&bytes[..read]).await.is_err() {
                    return;
                }
            }
        });
        switching_protocols()
    })
}

fn switching_protocols() -> Response<Body> {
    let mut response = Response::new(full(""));
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static("echo"));
    response
}

/// A server with one place for a connection of HTTP, and what may change its protocol.
struct Server {
    address: SocketAddr,
    listeners: Listeners,
    permits: UpgradePermits,
}

impl Server {
    /// Services that may change protocols, politely and not, and two that may not, one of which
    /// does so all the same.
    fn start(drain: Duration) -> Self {
        let mut listeners = Listeners::new(drain);
        let permits: UpgradePermits = Arc::new(Semaphore::new(1));
        let upgrading = |prefix| Policy { upgrades: Some(Arc::clone(&permits)), ..policy(prefix, "echo") };
        let services = vec![
            Service { policy: upgrading("/echo/v1"), handler: echo(true) },
            Service { policy: upgrading("/deaf/v1"), handler: echo(false) },
            Service {
                policy: policy("/forced/v1", "forced"),
                handler: handler((), |(), _| async { switching_protocols() }),
            },
            Service { policy: policy("", "plain"), handler: echo(true) },
        ];
        let gateway = gateway(services, listeners.stopping());
        let (socket, address) = Socket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
        listeners.listen((socket, Connections::at_most(1)), &gateway, Gateway::answer);
        Self { address, listeners, permits }
    }

    /// Asks for another protocol; the connection and the head of the answer.
    async fn ask(&self, path: &str) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(self.address).await.expect("connected");
        let head = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n");
        // A server without a permit for the connection closes it.
        let _ = stream.write_all(head.as_bytes()).await;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            match in_time(stream.read_u8()).await {
                Ok(byte) => answer.push(byte),
                Err(_) => break,
            }
        }
        (stream, String::from_utf8(answer).expect("a head"))
    }

    /// The same as soon as there is a permit for a connection of HTTP.
    async fn ask_until_answered(&self, path: &str) -> (TcpStream, String) {
        loop {
            let (stream, head) = self.ask(path).await;
            if !head.is_empty() {
                return (stream, head);
            }
        }
    }
}

/// A test that waits in vain fails.
async fn in_time<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), future).await.expect("in time")
}

async fn echoes(stream: &mut TcpStream) {
    stream.write_all(b"ping").await.expect("taken");
    let mut bytes = [0; 4];
    in_time(stream.read_exact(&mut bytes)).await.expect("an echo");
    assert_eq!(&bytes, b"ping");
}

// rows: GW-UPGRADES
#[tokio::test]
async fn an_upgraded_connection_holds_a_permit_of_its_own_and_gives_it_back() {
    let server = Server::start(Duration::ZERO);
    let (mut first, head) = server.ask("/echo/v1").await;
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    echoes(&mut first).await;
    let (second, head) = server.ask_until_answered("/echo/v1").await;
    assert!(
        head.starts_with("HTTP/1.1 503 "),
        "HTTP has its place again, but no second one may upgrade: {head}"
    );
    drop((first, second));
    let (mut third, _) = in_time(async {
        loop {
            let (stream, head) = server.ask_until_answered("/echo/v1").await;
            if head.starts_with("HTTP/1.1 101 ") {
                return (stream, head);
            }
        }
    })
    .await;
    echoes(&mut third).await;
}

// rows: GW-UPGRADES
#[tokio::test]
async fn a_service_that_may_not_upgrade_answers_as_if_nobody_had_asked() {
    let server = Server::start(Duration::ZERO);
    let (_, head) = server.ask("/anything").await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let (_, head) = server.ask_until_answered("/forced/v1").await;
    assert!(head.starts_with("HTTP/1.1 502 "), "{head}");
}

// rows: GW-UPGRADES GW-STOP
#[tokio::test]
async fn at_a_stop_an_upgraded_connection_is_told_and_waited_for() {
    let server = Server::start(Duration::from_secs(60));
    let (mut stream, head) = server.ask("/echo/v1").await;
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    in_time(server.listeners.stop()).await;
    assert_eq!(server.permits.available_permits(), 1, "it has ended");
    let mut rest = String::new();
    in_time(stream.read_to_string(&mut rest)).await.expect("closed in order");
    assert_eq!(rest, "bye");
}

// rows: GW-UPGRADES GW-STOP
#[tokio::test]
async fn an_upgraded_connection_that_goes_on_is_cut_after_the_grace_time() {
    let server = Server::start(Duration::ZERO);
    let (mut stream, _) = server.ask("/deaf/v1").await;
    echoes(&mut stream).await;
    in_time(server.listeners.stop()).await;
    let mut rest = Vec::new();
    // It may be reset.
    let _ = in_time(stream.read_to_end(&mut rest)).await;
    assert!(rest.is_empty());
}

#[tokio::test]
async fn a_tunnel_is_no_upgrade() {
    let (permits, mut request) = (Arc::new(Semaphore::new(1)), Request::new(full("")));
    *request.method_mut() = Method::CONNECT;
    let pending = upgrades::prepare(&mut request, Some(&permits)).expect("not refused");
    assert!(pending.is_none() && permits.available_permits() == 1);
}
