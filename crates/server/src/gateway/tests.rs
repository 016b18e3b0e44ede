//! The gateway with services of the tests' own.

use std::{future::pending, net::SocketAddr, sync::Mutex};

use banyan_config::postgrest::Tokens;
use banyan_identity::{Identified, Keyring, TokenError, Verifier};
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
    time::timeout,
};
use tokio_util::task::TaskTracker;

use super::*;
use crate::{
    connections::Connections,
    cors::CorsRule,
    identification::Identification,
    listeners::Listeners,
    observer::Observer,
    service::{AdmissionClass, BodyLimit, Handler, Preflights, handler},
    sockets::Socket,
    transferred::Transferred,
    upgrades::{Upgradable, UpgradeRule},
};

/// Notes which service answered, and whether the gateway answered a preflight for it.
#[derive(Default)]
struct Notes(Mutex<Vec<(&'static str, bool)>>);

impl Observer for Notes {
    fn observe(&self, answered: &Answered, _: &Response<Body>) {
        self.0.lock().expect("no test panics here").push((answered.service, answered.is_preflight));
    }
}

fn policy(prefix: &'static str, name: &'static str) -> ServicePolicy {
    ServicePolicy {
        prefix,
        name,
        is_on: true,
        cors: CorsRule::AnyOrigin { cookies: false },
        preflights: Preflights::Gateway,
        pages: PageRule::OfProject,
        body: BodyRule::Buffered(BodyLimit { bytes: 10, by_declared_length: true }),
        admission: AdmissionClass::Counted,
        deadline: None,
        transfers: None,
        counts_bytes: false,
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
fn with_one(policy: ServicePolicy, handler: Handler) -> Arc<Gateway> {
    gateway(
        vec![Service { policy: ServicePolicy { prefix: "", ..policy }, handler }],
        CancellationToken::new(),
    )
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
        Service { policy: ServicePolicy { observer, ..policy(prefix, name) }, handler: shows_path() }
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
    let off = ServicePolicy { is_on: false, ..policy("/auth/v1", "auth") };
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
        let gateway = with_one(ServicePolicy { preflights, ..policy("", "x") }, shows_path());
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
    let base = ServicePolicy { refusals: words, ..policy("", "x") };
    let slow = with_one(ServicePolicy { deadline: Some(Duration::ZERO), ..base.clone() }, never());
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
    let gateway = with_one(ServicePolicy { body, ..policy("", "x") }, reads);
    for (length, expected) in [(10, "whole"), (11, "cut")] {
        let request = Request::post("/").header(CONTENT_LENGTH, length).body(full("x".repeat(length)));
        let answer = Arc::clone(&gateway).answer(request.expect("a request"), Peer::Unix).await;
        assert_eq!(text(answer).await, expected);
    }
}

// rows: GW-TRANSFERS GW-BODY GW-TIMEOUT
#[tokio::test]
async fn a_transfer_is_as_long_and_as_large_as_its_service_lets_it_be() {
    let reads = handler((), |(), call| async move {
        if call.request.uri().path() == "/note" {
            return pending().await;
        }
        let read = call.request.into_body().collect().await.expect("whole").to_bytes();
        Response::new(full(read.len().to_string()))
    });
    let short = ServicePolicy {
        deadline: Some(Duration::ZERO),
        transfers: Some(|method, path| method == Method::PUT && path == "/file"),
        ..policy("", "x")
    };
    let gateway = with_one(short, reads);
    let put = |path: &str, bytes| Request::put(path).body(full("x".repeat(bytes))).expect("a request");
    let answer = Arc::clone(&gateway).answer(put("/file", 100_000), Peer::Unix).await;
    assert_eq!(text(answer).await, "100000");
    let late = gateway.answer(put("/note", 10), Peer::Unix).await;
    assert_eq!(late.status(), StatusCode::GATEWAY_TIMEOUT);
}

/// What is told of a request once its last byte has left.
#[derive(Default)]
struct Ends(Mutex<Vec<(StatusCode, Transferred)>>);

impl Observer for Ends {
    fn observe(&self, _: &Answered, _: &Response<Body>) {
        panic!("its bytes are counted");
    }

    fn observe_transferred(&self, answered: &Answered, bytes: Transferred) {
        self.0.lock().expect("no test panics here").push((answered.status, bytes));
    }
}

// rows: GW-LOG
#[tokio::test]
async fn a_request_whose_bytes_are_counted_is_told_at_its_last_byte() {
    let ends = Arc::new(Ends::default());
    let observer: Arc<dyn Observer> = Arc::clone(&ends) as _;
    let reads = handler((), |(), call| async move {
        let _ = call.request.into_body().collect().await;
        Response::new(full("123"))
    });
    let gateway = with_one(ServicePolicy { counts_bytes: true, observer, ..policy("", "x") }, reads);
    let request = Request::post("/").body(full("12345")).expect("a request");
    let answer = gateway.answer(request, Peer::Unix).await;
    assert!(ends.0.lock().expect("ends").is_empty(), "its bytes are still here");
    assert_eq!(text(answer).await, "123");
    let told = ends.0.lock().expect("ends").pop();
    assert_eq!(told, Some((StatusCode::OK, Transferred { received: 5, sent: 3 })));
}

// rows: storage/C02 storage/C04 GW-KEYS
#[tokio::test]
async fn storage_reads_a_token_without_bearer_and_a_signature_of_s3_is_no_token() {
    let config = banyan_testkit::config();
    let keyring = Arc::new(Keyring::new(&config.keys).expect("keys"));
    let api_keys = banyan_identity::ApiKeys::new(&config.keys, false);
    let verifier = Verifier::new(keyring, banyan_identity::VerifierPolicy::of_gateway(api_keys));
    let identification = Identification::of(verifier).or_bare_token();
    let says = handler((), |(), call| async move {
        let caller = call.caller.map(|caller| (caller.role().to_owned(), caller.proof()));
        Response::new(full(format!("{caller:?}")))
    });
    let gateway = with_one(ServicePolicy { identification, ..policy("", "x") }, says);
    let anon = config.keys.anon_key.as_str();
    for (value, expected) in [
        (anon, "Ok((\"anon\", Authorization))"),
        ("", "Ok((\"anon\", None))"),
        ("Bearer ", "Err(Empty)"),
        ("AWS4-HMAC-SHA256 Credential=a/b", "Err(Scheme)"),
    ] {
        let request = Request::get("/").header(http::header::AUTHORIZATION, value).body(full(""));
        let answer = Arc::clone(&gateway).answer(request.expect("a request"), Peer::Unix).await;
        assert_eq!(text(answer).await, expected, "{value}");
    }
}

// rows: GW-REQUEST-ID storage/C10
#[test]
fn a_harmless_request_id_is_kept_and_any_other_replaced() {
    let id = |name: &HeaderName, value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).expect("a header value"));
        request_id(&headers).to_str().expect("text").to_owned()
    };
    for name in [REQUEST_ID, SB_REQUEST_ID] {
        assert_eq!(id(&name, "abc-123"), "abc-123");
        assert_ne!(id(&name, "with space"), "with space");
        assert_eq!(id(&name, &"x".repeat(65)).len(), 36);
    }
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
                    // It has still to write down that the connection has ended.
                    for _ in 0..100 {
                        tokio::task::yield_now().await;
                    }
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

/// Allows one connection at a time to change its protocol.
fn one_upgrade() -> UpgradeRule {
    UpgradeRule { protocols: &["echo"], connections: Arc::new(Connections::from_anywhere().at_most(1)) }
}

/// A server with one place for a connection of HTTP, and what may change its protocol.
struct Server {
    address: SocketAddr,
    listeners: Listeners,
    upgrades: UpgradeRule,
}

impl Server {
    /// Services that may change protocols, politely, not, and never in time, and two that may not,
    /// one of which does so all the same.
    fn start(drain: Duration) -> Self {
        let mut listeners = Listeners::new(drain);
        let upgrades = one_upgrade();
        let upgrading = |prefix| ServicePolicy { upgrades: Some(upgrades.clone()), ..policy(prefix, "echo") };
        let services = vec![
            Service { policy: upgrading("/echo/v1"), handler: echo(true) },
            Service { policy: upgrading("/deaf/v1"), handler: echo(false) },
            Service {
                policy: ServicePolicy { deadline: Some(Duration::ZERO), ..upgrading("/slow/v1") },
                handler: handler((), |(), _| pending()),
            },
            Service {
                policy: policy("/forced/v1", "forced"),
                handler: handler((), |(), _| async { switching_protocols() }),
            },
            Service { policy: policy("", "plain"), handler: echo(true) },
        ];
        let gateway = gateway(services, listeners.stopping());
        let (socket, address) = Socket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
        listeners.listen((socket, Connections::from_anywhere().at_most(1)), &gateway, Gateway::answer);
        Self { address, listeners, upgrades }
    }

    /// Asks for another protocol; the connection and the head of the answer.
    async fn ask(&self, path: &str) -> (TcpStream, String) {
        self.ask_for("echo", path).await
    }

    async fn ask_for(&self, protocol: &str, path: &str) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(self.address).await.expect("connected");
        let asks = format!("connection: upgrade\r\nupgrade: {protocol}");
        let head = format!("GET {path} HTTP/1.1\r\nhost: a\r\n{asks}\r\n\r\n");
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

// rows: GW-UPGRADES realtime/X2
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
    assert!(server.upgrades.connections.permit(&Peer::Unix).is_some(), "it has ended");
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
    assert!(server.upgrades.connections.permit(&Peer::Unix).is_some(), "its handler has ended");
    let mut rest = Vec::new();
    // It may be reset.
    let _ = in_time(stream.read_to_end(&mut rest)).await;
    assert!(rest.is_empty());
}

// rows: GW-UPGRADES
#[tokio::test]
async fn a_protocol_that_the_service_does_not_speak_is_not_asked_for() {
    let server = Server::start(Duration::ZERO);
    let (_, head) = server.ask_for("h2c", "/echo/v1").await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let (_, head) = server.ask_until_answered("/echo/v1").await;
    assert!(head.starts_with("HTTP/1.1 101 "), "no permit was taken: {head}");
}

// rows: GW-UPGRADES
#[tokio::test]
async fn a_deadline_that_passes_gives_the_permit_back() {
    let server = Server::start(Duration::ZERO);
    let (stream, head) = server.ask("/slow/v1").await;
    assert!(head.starts_with("HTTP/1.1 504 "), "{head}");
    assert!(server.upgrades.connections.permit(&Peer::Unix).is_some());
    drop(stream);
}

/// Whether a request of this kind gets a permit to change its protocol.
fn may_upgrade(method: Method, caller: Identified, rule: &UpgradeRule, peer: &Peer) -> Result<bool, Refusal> {
    let mut request = Request::builder().method(method).header(UPGRADE, "x, Echo").body(full("")).unwrap();
    let upgrade = hyper::upgrade::on(&mut request);
    request.extensions_mut().insert(upgrade);
    Upgradable::new(&TaskTracker::new(), &CancellationToken::new()).attach_to(&mut request);
    let pending = upgrades::prepare(&mut request, Some(rule), (&caller, peer))?;
    assert_eq!(request.extensions().get::<OnUpgrade>().is_some(), pending.is_some());
    Ok(pending.is_some())
}

// rows: GW-UPGRADES
#[test]
fn neither_a_tunnel_nor_a_caller_who_is_refused_may_upgrade() {
    let (rule, anyone) = (one_upgrade(), || Ok(Caller::anonymous()));
    assert_eq!(may_upgrade(Method::GET, anyone(), &rule, &Peer::Unix), Ok(true));
    assert_eq!(may_upgrade(Method::CONNECT, anyone(), &rule, &Peer::Unix), Ok(false));
    assert_eq!(may_upgrade(Method::GET, Err(TokenError::Repeated), &rule, &Peer::Unix), Ok(false));
}

// rows: GW-UPGRADES
#[test]
fn one_address_upgrades_its_share_and_leaves_the_rest_to_others() {
    let connections = Arc::new(Connections::of_each_address(1, Vec::new()).at_most(2));
    let rule = UpgradeRule { connections: Arc::clone(&connections), ..one_upgrade() };
    let [first, second] =
        [[203, 0, 113, 7], [203, 0, 113, 8]].map(|address| Peer::Tcp((address, 40_000).into()));
    let _held = connections.permit(&first).expect("one of two");
    let asks = |peer| may_upgrade(Method::GET, Ok(Caller::anonymous()), &rule, peer);
    assert_eq!(asks(&first), Err(Refusal::Busy));
    assert_eq!(asks(&second), Ok(true));
}

/// Answers who calls, and who does once a message brought a token.
fn shows_caller() -> Handler {
    handler((), |(), call| async move {
        let (headers, uri) = (call.request.headers(), call.request.uri());
        let renewed = call.identification.identify_again(headers, uri, "newer", call.now).expect("asked");
        let role = |caller: Identified| caller.map_or("refused".to_owned(), |it| it.role().to_owned());
        Response::new(full(format!("{}, then {}", role(call.caller), role(renewed))))
    })
}

/// Refuses every token, and knows who brings none.
fn without_keys() -> Identification {
    let role_claim = "$.role".to_owned();
    let tokens = Tokens { secret: None, audience: None, role_claim, cache_entries: 0 };
    Identification::of(Verifier::of_data_api(&tokens, Some("anon")).expect("a path to the role"))
}

// rows: GW-SOCKET-KEYS
#[tokio::test]
async fn a_policy_says_whether_a_token_in_the_query_counts() {
    let mounted = |prefix, identification| Service {
        policy: ServicePolicy { identification, ..policy(prefix, "x") },
        handler: shows_caller(),
    };
    let services = vec![mounted("/realtime/v1", without_keys().or_query()), mounted("", without_keys())];
    let gateway = gateway(services, CancellationToken::new());
    for (target, expected) in [
        ("/realtime/v1/socket?access_token=t", "refused, then refused"),
        ("/realtime/v1/socket", "anon, then refused"),
        ("/socket?access_token=t", "anon, then refused"),
    ] {
        let request = Request::get(target).body(full("")).expect("a request");
        let answer = Arc::clone(&gateway).answer(request, Peer::Unix).await;
        assert_eq!(text(answer).await, expected, "{target}");
    }
}

// rows: GW-PATHS
#[tokio::test]
async fn a_service_knows_the_target_as_the_client_sent_it() {
    let shows_target =
        handler((), |(), call| async move { Response::new(full(call.original_uri.to_string())) });
    let services = vec![
        Service { policy: policy("/storage/v1", "storage"), handler: shows_target },
        Service { policy: policy("", "site"), handler: shows_path() },
    ];
    let request = Request::get("/storage/v1/s3/a%20b?list-type=2").body(full("")).expect("a request");
    let answer = gateway(services, CancellationToken::new()).answer(request, Peer::Unix).await;
    assert_eq!(text(answer).await, "/storage/v1/s3/a%20b?list-type=2");
}
