//! A service that listens, and clients of it.

/// A client of the service, as realtime-js is one.
mod client;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use banyan_config::Config;
use banyan_identity::{ApiKeys, Clock, Credentials, Identified, Keyring, Verifier, VerifierPolicy};
use banyan_realtime::{Opening, Patience, State};
use banyan_testkit::{Service, TestDatabase};
use http::{HeaderMap, Request, Uri};
use http_body_util::BodyExt as _;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rand::{SeedableRng, rngs::StdRng};
use time::OffsetDateTime;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

pub(crate) use self::client::{Client, Closed, Sent};

/// Nodes so far: no two have the same randomness.
static NODES: AtomicU64 = AtomicU64::new(0);

/// Key of role `anon`.
pub(crate) fn anon() -> String {
    banyan_testkit::config().keys.anon_key
}

/// A service that listens on a port of its own, with a database of its own.
pub(crate) struct Realtime {
    pub(crate) address: SocketAddr,
    pub(crate) stopping: CancellationToken,
    pub(crate) state: State,
    pub(crate) database: TestDatabase,
    _listener: AbortOnDropHandle<()>,
    beside: AbortOnDropHandle<()>,
}

impl Realtime {
    /// A service that is as a project without settings has it.
    pub(crate) async fn start() -> Self {
        Self::start_with(banyan_testkit::config(), Patience::default()).await
    }

    /// A service with these settings, which waits for its clients so long.
    pub(crate) async fn start_with(config: Config, patience: Patience) -> Self {
        let database = banyan_testkit::platform_database().await;
        let state = State::new(&config, &database, Clock::system(), rng()).with_patience(patience);
        let stopping = CancellationToken::new();
        let beside = AbortOnDropHandle::new(tokio::spawn(state.clone().run(stopping.clone())));
        let door = Arc::new(Door::new(state.clone(), &config, stopping.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let listening = AbortOnDropHandle::new(tokio::spawn(listen(listener, door)));
        Self { address, stopping, state, database, _listener: listening, beside }
    }

    /// What runs beside the sockets ends as in a crash. The sockets stay open.
    pub(crate) fn die(&self) {
        self.beside.abort();
    }

    /// The service, for requests of HTTP.
    pub(crate) fn service(&self) -> Service {
        Service::at(self.address)
    }

    /// A client with the key of role `anon`, of version 2.
    pub(crate) async fn client(&self) -> Client {
        self.client_of(&format!("apikey={}&vsn=2.0.0", anon())).await
    }

    /// A client of version 1.
    pub(crate) async fn old_client(&self) -> Client {
        self.client_of(&format!("apikey={}&vsn=1.0.0", anon())).await
    }

    /// A client that opens its socket with this query.
    pub(crate) async fn client_of(&self, query: &str) -> Client {
        Client::open(self.address, query).await.unwrap_or_else(|status| panic!("refused with {status}"))
    }
}

fn rng() -> StdRng {
    StdRng::seed_from_u64(NODES.fetch_add(1, Ordering::Relaxed))
}

/// What the gateway does for the service: it finds the caller.
struct Door {
    state: State,
    verifier: Arc<Verifier>,
    stopping: CancellationToken,
}

impl Door {
    fn new(state: State, config: &Config, stopping: CancellationToken) -> Self {
        let keyring = Arc::new(Keyring::new(&config.keys).expect("the demo keys are valid"));
        let policy = VerifierPolicy::of_gateway(ApiKeys::new(&config.keys, false));
        Self { state, verifier: Arc::new(Verifier::new(keyring, policy)), stopping }
    }

    fn opening(&self, request: Request<Incoming>) -> Opening {
        let (headers, uri) = (request.headers().clone(), request.uri().clone());
        let (now, verifier) = (Clock::system().now(), Arc::clone(&self.verifier));
        Opening {
            caller: identify(&verifier, (&headers, &uri), None, now),
            check_token: Arc::new(move |token, now| identify(&verifier, (&headers, &uri), Some(token), now)),
            request: request.map(|body| body.map_err(Into::into).boxed_unsync()),
            stopping: self.stopping.clone(),
            now,
        }
    }
}

fn identify(
    verifier: &Verifier,
    (headers, uri): (&HeaderMap, &Uri),
    token: Option<&str>,
    now: OffsetDateTime,
) -> Identified {
    let credentials = Credentials::of_socket(headers, uri.query().unwrap_or_default())?;
    match token {
        None => verifier.caller(&credentials, now),
        Some(token) => verifier.caller(&credentials.with_access_token(token), now),
    }
}

async fn listen(listener: TcpListener, door: Arc<Door>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, Arc::clone(&door)));
    }
}

async fn serve(stream: TcpStream, door: Arc<Door>) {
    stream.set_nodelay(true).expect("a socket of TCP");
    let answer = service_fn(|request| {
        let (state, opening) = (door.state.clone(), door.opening(request));
        async move { Ok::<_, std::convert::Infallible>(banyan_realtime::handle(&state, opening).await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
    drop(connection.with_upgrades().await);
}
