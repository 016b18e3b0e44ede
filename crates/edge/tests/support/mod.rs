//! A host on a port of its own, the components, and a server outside of it.

mod guests;
mod outside;

use std::{
    net::SocketAddr,
    ops::Deref,
    path::PathBuf,
    sync::{Arc, OnceLock, Weak},
    time::Duration,
};

use banyan_config::{Config, Environment};
use banyan_edge::{State, Timings, handle};
use banyan_identity::{ApiKeys, Clock, Keyring, Verifier, VerifierPolicy};
use banyan_testkit::{Answer, Service};
use banyan_web::{Body, full};
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body::Body as _;
use http_body_util::{BodyExt, StreamBody};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use secrecy::ExposeSecret;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};

pub(crate) use guests::component;
pub(crate) use outside::Outside;

/// A function host with its own project folder.
pub(crate) struct World {
    pub(crate) state: Arc<State>,
    pub(crate) config: Config,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) address: SocketAddr,
    service: Service,
    _folder: TempDir,
}

/// Answers of the platform itself.
pub(crate) trait OfThePlatform {
    /// Asserts status, `sb-error-code`, body code and the header that marks answers of the
    /// platform.
    fn is_platform_error(&self, status: u16, header_code: &str, code: &str);
}

impl OfThePlatform for Answer {
    #[track_caller]
    fn is_platform_error(&self, status: u16, header_code: &str, code: &str) {
        assert_eq!((self.status, self.header("sb-error-code")), (status, Some(header_code)), "{self:?}");
        assert_eq!(self.header("x-relay-error"), Some("true"), "{self:?}");
        assert_eq!(self.json()["code"], code, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
    }
}

impl Deref for World {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

impl World {
    /// A world whose functions need no token and have the policy lines given, such as `cpu_ms =
    /// 100`.
    pub(crate) async fn open(functions: &[(&str, &str)], policy: &str) -> Self {
        let config: String =
            functions.iter().map(|(name, _)| format!("[functions.{name}]\nverify_jwt = false\n")).collect();
        let banyan: String =
            functions.iter().map(|(name, _)| format!("[functions.{name}]\n{policy}\n")).collect();
        Self::start(functions, &config, &banyan, Timings::default()).await
    }

    /// A world with `probe` alone.
    pub(crate) async fn probe(policy: &str) -> Self {
        Self::open(&[("probe", "probe")], policy).await
    }

    /// A world with these functions (name and guest) and configuration files.
    pub(crate) async fn start(
        functions: &[(&str, &str)],
        toml: &str,
        banyan: &str,
        timings: Timings,
    ) -> Self {
        Self::with(functions, toml, banyan, |state| state.with_timings(timings)).await
    }

    /// A world whose host is changed before it serves.
    pub(crate) async fn with(
        functions: &[(&str, &str)],
        toml: &str,
        banyan: &str,
        change: impl FnOnce(State) -> State,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let supabase = folder.path().join("supabase");
        std::fs::create_dir(&supabase).unwrap();
        std::fs::write(supabase.join("config.toml"), toml).unwrap();
        std::fs::write(supabase.join("banyan.toml"), banyan).unwrap();
        let home = folder.path().join("state");
        let environment = Environment::of([("BANYAN_HOME", home.to_str().unwrap())]);
        let config = banyan_config::load(folder.path(), environment, 0).unwrap().config;
        guests::install(&config.paths.components(), functions);
        Self::of(folder, config, change).await
    }

    /// The same project in another host, as after a restart.
    pub(crate) async fn restarted(self) -> Self {
        let Self { config, _folder: folder, .. } = self;
        Self::of(folder, config, |state| state).await
    }

    async fn of(folder: TempDir, config: Config, change: impl FnOnce(State) -> State) -> Self {
        let keyring = Arc::new(Keyring::new(&config.keys).unwrap());
        let this = Arc::new(OnceLock::<Weak<State>>::new());
        let state = State::new(&config, &keyring, dispatch(Arc::clone(&this))).unwrap();
        let state = Arc::new(change(state));
        this.set(Arc::downgrade(&state)).unwrap();
        load(&state).await;
        guests::keep(&config.paths.components());
        let address = serve(Arc::clone(&state), &config, Arc::clone(&keyring)).await;
        Self { state, config, keyring, address, service: Service::at(address), _folder: folder }
    }

    /// Another host on the same folders, as after a restart. It does not serve.
    pub(crate) fn another_host(&self) -> State {
        State::new(&self.config, &self.keyring, dispatch(Arc::default())).unwrap()
    }

    /// The path of `<name>.wasm`.
    pub(crate) fn component_path(&self, name: &str) -> PathBuf {
        self.config.paths.components().join(format!("{name}.wasm"))
    }

    /// Installs a component as a build does: renames a whole file into place.
    pub(crate) async fn install(&self, name: &str, content: &[u8]) {
        let path = self.component_path(name);
        let draft = path.with_extension("draft");
        std::fs::write(&draft, content).unwrap();
        std::fs::rename(draft, path).unwrap();
        load(&self.state).await;
    }

    /// Sends a management command, as the server does once it has checked the token.
    pub(crate) async fn manage(
        &self,
        method: Method,
        path: &str,
        kind: &str,
        body: impl Into<Bytes>,
    ) -> Answer {
        let body = full(body);
        self.manage_with(method, path, kind, body).await
    }

    /// Sends one with a body of another kind.
    pub(crate) async fn manage_with(&self, method: Method, path: &str, kind: &str, body: Body) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(format!("/v1/projects/school{path}"))
            .header("content-type", kind)
            .body(body)
            .unwrap();
        let now = Clock::system().now();
        Answer::read(banyan_edge::management::handle(&self.state, request, now).await).await
    }

    /// The configuration as it would be read again with another config.toml.
    pub(crate) fn config_with(&self, toml: &str) -> Config {
        std::fs::write(self.config.paths.supabase().join("config.toml"), toml).unwrap();
        let home = self.config.paths.state.to_str().unwrap().to_owned();
        let environment = Environment::of([("BANYAN_HOME", home.as_str())]);
        banyan_config::load(&self.config.paths.project, environment, 0).unwrap().config
    }

    /// The same host, asked by HTTP/2.
    pub(crate) fn by_http2(&self) -> Service {
        Service::at_by_http2(self.address)
    }

    /// A connection for tests that speak HTTP byte by byte.
    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    pub(crate) fn service_key(&self) -> String {
        format!("Bearer {}", self.config.keys.service_role_key.expose_secret())
    }
}

/// Publishes what is new or has changed, and waits until it is compiled.
pub(crate) async fn load(state: &State) {
    state.scan().await;
    state.wait_until_compiled().await;
}

/// The stack's own API: functions are functions, any other path answers with what it was asked.
fn dispatch(state: Arc<OnceLock<Weak<State>>>) -> banyan_edge::Dispatch {
    Arc::new(move |mut request: Request<Body>| {
        let state = state.get().and_then(Weak::upgrade);
        Box::pin(async move {
            let path = request.uri().path_and_query().unwrap().as_str().to_owned();
            if let (Some(inner), Some(state)) = (path.strip_prefix("/functions/v1"), state) {
                *request.uri_mut() = inner.parse().unwrap();
                let caller = Ok(banyan_identity::Caller::anonymous());
                return handle(&state, caller, request, Clock::system().now()).await;
            }
            let host = request.headers().get("host").map(|host| host.to_str().unwrap().to_owned());
            let text = format!("own API: {} {path} for {}", request.method(), host.unwrap_or_default());
            Response::new(full(text))
        })
    })
}

async fn serve(state: Arc<State>, config: &Config, keyring: Arc<Keyring>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let policy = VerifierPolicy::of_gateway(ApiKeys::new(&config.keys, false));
    let verifier = Arc::new(Verifier::new(keyring, policy));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (state, verifier) = (Arc::clone(&state), Arc::clone(&verifier));
            let service = service_fn(move |request: Request<Incoming>| {
                let (state, verifier) = (Arc::clone(&state), Arc::clone(&verifier));
                async move {
                    let now = Clock::system().now();
                    let caller = verifier.identify(request.headers(), now);
                    let request = request.map(drained);
                    Ok::<_, std::convert::Infallible>(handle(&state, caller, request, now).await)
                }
            });
            tokio::spawn(async move {
                // Some tests break off a connection on purpose.
                let _ = auto::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    address
}

/// A body as the server passes it on: bytes that nobody reads are discarded.
fn drained(mut body: Incoming) -> Body {
    if body.is_end_stream() {
        return body.map_err(Into::into).boxed_unsync();
    }
    let (sender, mut frames) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        while let Some(frame) = body.frame().await {
            // Without a reader the bytes go nowhere.
            let _ = sender.send(frame.map_err(Into::into)).await;
        }
    });
    StreamBody::new(futures_util::stream::poll_fn(move |context| frames.poll_recv(context))).boxed_unsync()
}

/// Waits until `what` holds; fails after half a minute, which a busy machine needs to compile.
pub(crate) async fn eventually(name: &str, mut what: impl AsyncFnMut() -> bool) {
    for _ in 0..600 {
        if what().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{name} did not happen within half a minute");
}
