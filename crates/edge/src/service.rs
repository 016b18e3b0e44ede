//! What the server holds: `State` and `handle`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::{
    Body, HostError, StartError, access,
    ending::NODE_MEMORY,
    engine,
    handover::{self, Handover},
    host,
    instance::{self, Common, Launch},
    logs::{Lack, Source},
    memory::Budget,
    outbound::{CallDepth, Dispatch, Gate, Outbound, Resolver},
    passage::{self, Asked},
    places::Places,
    registry::{Prepared, Registry},
    threads::Threads,
};
use banyan_config::Config;
use banyan_identity::{ApiKeys, Identified, Keyring, new_id};
use http::{HeaderMap, HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt, Full};
use serde_json::json;
use time::OffsetDateTime;
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Functions may call functions this deep.
const DEEPEST: u32 = 16;
/// How long is waited; the defaults for a request are those of CONTRACT.md, limits.
#[derive(Debug, Clone, Copy)]
pub struct Timings {
    /// For the first byte of the answer; then 504 IDLE_TIMEOUT.
    pub first_byte: Duration,
    /// For a free slot; then 503 with `Retry-After`.
    pub queue: Duration,
    /// For a `functions serve` to ask again for what it wants; then that is over.
    pub session: Duration,
    /// For another request, where a function's instances are reused: after this, and twice this at most, it ends.
    pub idle: Duration,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(150),
            queue: Duration::from_secs(10),
            session: Duration::from_secs(15),
            idle: Duration::from_secs(30),
        }
    }
}

/// The function host. Made once, shared behind one `Arc`.
///
/// After [`State::new`] the server awaits [`State::look`] once, runs [`State::watch`] and
/// [`crate::schedules::run`] as tasks of its own, and awaits [`State::shut_down`] at the end.
pub struct State {
    common: Arc<Common>,
    registry: Arc<Registry>,
    gate: Arc<Gate>,
    keys: ApiKeys,
    service_key: HeaderValue,
    places: Places,
    timings: Timings,
    stopping: AtomicBool,
    project: String,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("running", &self.common.tasks.len()).finish_non_exhaustive()
    }
}

impl State {
    /// Makes the engine, its threads and the outgoing clients; loads no function yet. Calls of functions to
    /// [`Config::api_url`] go to `dispatch`. It must be called inside the Tokio runtime that serves requests.
    ///
    /// # Errors
    /// [`StartError`] with the part that cannot be made.
    pub fn new(config: &Config, keyring: &Arc<Keyring>, dispatch: Dispatch) -> Result<Self, StartError> {
        let engine = engine::start()?;
        let linker = host::linker(&engine).map_err(StartError::Engine)?;
        let memory = Arc::new(Budget::new(config.edge_runtime.memory));
        let registry = Registry::new(config, keyring, (engine.clone(), linker), Arc::clone(&memory));
        let registry = registry.map_err(StartError::Components)?;
        let common = Common {
            engine,
            memory,
            idle_places: Arc::new(Semaphore::new(engine::IDLE as usize)),
            threads: Threads::start().map_err(StartError::Threads)?,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        Ok(Self {
            common: Arc::new(common),
            registry: Arc::new(registry),
            gate: Arc::new(Gate::new(config.api_url(), dispatch)?),
            keys: ApiKeys::new(&config.keys, false),
            service_key: handover::bearer(secrecy::ExposeSecret::expose_secret(
                &config.keys.service_role_key,
            ))
            .ok_or(StartError::ServiceKey)?,
            places: Places::new(),
            timings: Timings::default(),
            stopping: AtomicBool::new(false),
            project: config.project_id.clone(),
        })
    }

    /// The name of the project that it serves.
    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    /// The same host with other waiting times.
    #[must_use]
    pub fn with_timings(self, timings: Timings) -> Self {
        Self { timings, ..self }
    }

    /// The same host that asks `resolver` for the addresses of names. What it answers is checked like any other answer.
    ///
    /// # Errors
    /// [`StartError::Tls`], as [`State::new`].
    pub fn with_resolver(self, resolver: Resolver) -> Result<Self, StartError> {
        let gate = self.gate.with_resolver(resolver)?;
        Ok(Self { gate: Arc::new(gate), ..self })
    }

    /// Puts another configuration into effect: policies, schedules, secrets and paths of functions. Requests that run keep
    /// theirs. A component that was not compiled before is compiled afterwards.
    pub async fn reconfigure(&self, config: &Config) {
        self.registry.set_config(config);
        self.look().await;
    }

    /// Whether a function answers its own CORS preflights; `path` is that of a request, such as `/hello/x`.
    #[must_use]
    pub fn answers_preflights(&self, path: &str) -> bool {
        self.registry.called(name_in(path)).is_some_and(|(policy, _)| policy.own_preflight)
    }

    /// Puts into effect what is there, or has changed. What has to be compiled first is compiled meanwhile, and until then the
    /// version before it goes on, or the function answers that it is not ready. A broken component is logged and answers
    /// BOOT_ERROR.
    ///
    /// Tells whether all could be seen; where not, what is served stays.
    pub async fn look(&self) -> bool {
        let registry = Arc::clone(&self.registry);
        // Compiling is begun there, too, so that it is also where nobody waits for the look any more.
        let looked = tokio::task::spawn_blocking(move || registry.look_and_compile());
        looked.await.unwrap_or_else(|_| {
            tracing::error!("loading functions panicked");
            true
        })
    }

    /// How many components are being compiled, or wait for it.
    #[must_use]
    pub fn to_compile(&self) -> usize {
        self.registry.to_compile()
    }

    /// Whether every component that was found at the start has been compiled. From then on it stays so: what comes later
    /// keeps nothing else from being served.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.registry.has_begun()
    }

    /// How many functions can be called.
    #[must_use]
    pub fn callable(&self) -> usize {
        self.registry.callable()
    }

    /// The functions whose component cannot be loaded and that answer BOOT_ERROR.
    #[must_use]
    pub fn broken(&self) -> Vec<String> {
        self.registry.broken()
    }

    /// Waits until nothing is left to be compiled. Dropping the future changes nothing.
    pub async fn compiled(&self) {
        self.registry.all_compiled().await;
    }

    /// How long it takes to make an instance of a function and to drop it, without a request; nothing for an unknown one or
    /// where no place is free. For measuring.
    #[must_use]
    pub fn time_of_instance(&self, name: &str) -> Option<Duration> {
        let prepared = self.registry.called(name)?.1.ok()?;
        let (place, memory) = self.places.try_take(&prepared)?;
        let none: Arc<str> = Arc::from("");
        let source = Arc::new(Source {
            function: Arc::clone(&prepared.name),
            request_id: Arc::clone(&none),
            execution_id: none,
            budget: Arc::clone(&prepared.log_budget),
            book: Arc::clone(&self.registry.book),
            began: (OffsetDateTime::UNIX_EPOCH, Instant::now()),
        });
        let launch = Launch {
            common: Arc::clone(&self.common),
            outbound: Outbound::new(&self.gate, &prepared.policy, CallDepth::default(), &source),
            prepared,
            source,
            may_wait: Duration::ZERO,
            _place: place,
            _counted: self.common.tasks.token(),
        };
        instance::time_of_one(&launch, memory)
    }

    /// Takes no new request, lets running ones and their background work go on for `grace`, then ends them (W04).
    pub async fn shut_down(&self, grace: Duration) {
        self.stopping.store(true, Relaxed);
        self.registry.stop_compiling();
        let Common { tasks, stop, .. } = &*self.common;
        tasks.close();
        if timeout(grace, tasks.wait()).await.is_err() {
            tracing::warn!(functions.running = tasks.len(), "functions are still running and are ended");
            stop.cancel();
            tasks.wait().await;
        }
    }

    /// Whether requests are refused since the host is about to end.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }

    pub(crate) fn timings(&self) -> Timings {
        self.timings
    }

    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// `Authorization` of calls that the stack makes by itself.
    pub(crate) fn service_key(&self) -> HeaderValue {
        self.service_key.clone()
    }
}

/// Answers one request to `/<name>[/sub/path][?query]` (CONTRACT.md F01).
///
/// Dropping the future does not end a function that has started (W03).
pub async fn handle(
    state: &State,
    caller: Identified,
    request: Request<Body>,
    now: OffsetDateTime,
) -> Response<Body> {
    if let Some(answer) = internal(state, &request) {
        return answer;
    }
    Box::pin(call(state, &caller, request, now)).await.unwrap_or_else(HostError::response)
}

async fn call(
    state: &State,
    caller: &Identified,
    request: Request<Body>,
    now: OffsetDateTime,
) -> Result<Response<Body>, HostError> {
    if !takes(request.method()) {
        return Err(HostError::Method);
    }
    let found = state.registry.called(name_in(request.uri().path()));
    let (policy, code) = found.ok_or(HostError::UnknownFunction)?;
    access::check(&policy, caller, request.method(), request.headers())?;
    if asks_for_upgrade(request.headers()) {
        return Err(HostError::Upgrade);
    }
    let depth = request.extensions().get::<CallDepth>().copied().unwrap_or_default();
    if depth.0 > DEEPEST {
        return Err(HostError::NestedCalls);
    }
    let prepared = code?;
    if state.is_stopping() {
        return Err(HostError::Busy);
    }
    let handover = Handover::of(&policy, &state.keys, caller, request.headers());
    run(state, prepared, request, (handover, depth, now)).await
}

/// Whether another protocol is asked for. That HTTP/2 would do as well, as some clients say by themselves, asks for nothing.
fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    headers.get_all(header::UPGRADE).iter().any(|asked| !asked.as_bytes().eq_ignore_ascii_case(b"h2c"))
}

/// The function that a path names.
fn name_in(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

async fn run(
    state: &State,
    prepared: Arc<Prepared>,
    request: Request<Body>,
    (handover, depth, now): (Handover, CallDepth, OffsetDateTime),
) -> Result<Response<Body>, HostError> {
    let execution_id = new_id().to_string();
    let asked = Asked {
        method: request.method().clone(),
        execution_id: HeaderValue::from_str(&execution_id).expect("a UUID is a valid header value"),
    };
    let source = Arc::new(Source {
        function: Arc::clone(&prepared.name),
        request_id: request_id(request.headers()).unwrap_or(&execution_id).into(),
        execution_id: execution_id.into(),
        budget: Arc::clone(&prepared.log_budget),
        book: Arc::clone(&state.registry.book),
        began: (now, Instant::now()),
    });
    if says_too_large(request.headers(), prepared.policy.max_body) {
        source.too_large();
        return Err(HostError::BodyTooLarge);
    }
    let taken = state.places.take(&prepared, state.timings.queue).await;
    let (place, room) = taken.map_err(|lack| {
        source.turned_away(lack, &told(lack, &prepared, &source));
        HostError::Busy
    })?;
    let (mut request, fault) = passage::inward(request, &prepared.policy);
    handover.write(request.headers_mut());
    let outbound = Outbound::new(&state.gate, &prepared.policy, depth, &source);
    let (common, counted) = (Arc::clone(&state.common), state.common.tasks.token());
    let (may_wait, asker) = (state.timings.idle, Arc::clone(&source));
    let launch = Launch { common, prepared, outbound, source, may_wait, _place: place, _counted: counted };
    let running = instance::start(launch, room, request)?;
    let head = timeout(state.timings.first_byte, running.head(&fault)).await;
    let head = head.map_err(|_| HostError::IdleTimeout)?;
    if matches!(head, Err(HostError::BodyTooLarge)) {
        asker.too_large();
    }
    let (response, ending) = head?;
    passage::outward(response, &asked, ending)
}

/// Whether a request says itself that its body is larger than its function takes.
fn says_too_large(headers: &HeaderMap, most: Option<u64>) -> bool {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    length.is_some_and(|length: u64| most.is_some_and(|most| length > most))
}

/// Why a function does not run once more, for its log.
fn told(lack: Lack, prepared: &Prepared, source: &Source) -> String {
    match lack {
        Lack::Own => format!(
            "no more than {} run at a time: {}",
            prepared.policy.concurrency,
            source.setting("concurrency")
        ),
        Lack::Node => {
            format!(
                "no place of this server was free, or no memory, of which one function has three quarters at most: {NODE_MEMORY}"
            )
        }
    }
}

fn takes(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS]
        .contains(method)
}

fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("x-request-id").and_then(|value| value.to_str().ok())
}

/// `/_internal/health` and `/_internal/metric` (F08); no function name starts with an underscore.
fn internal(state: &State, request: &Request<Body>) -> Option<Response<Body>> {
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    let body = match request.uri().path() {
        "/_internal/health" if reads => json!({"message": "ok"}),
        "/_internal/metric" if reads => {
            let (all, free) = state.common.memory.megabytes();
            let memory = json!({"all_mb": all, "free_mb": free});
            json!({"slots": engine::SLOTS, "free": state.places.free(), "running": state.common.tasks.len(), "memory": memory})
        }
        _ => return None,
    };
    let body = Full::from(body.to_string()).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Some(response)
}
