//! What the server holds: `State` and `handle`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::{
    HostError, StartError,
    callers::{
        access,
        caller_header::{self, CallerHeaders},
    },
    capacity::{busy_threads::BusyThreads, memory::MemoryBudget, slots::InstanceSlots},
    engine, host,
    http_mapping::{self, ResponseContext},
    instance::{self, Invocation, SharedRuntime},
    logs::{InvocationLog, Shortage},
    outbound::{CallDepth, Dispatch, Outbound, OutboundClients, Resolver},
    outcome::NODE_MEMORY,
    registry::{PreparedFunction, Registry},
};
use banyan_config::Config;
use banyan_identity::{ApiKeys, Identified, Keyring, new_id};
use banyan_web::{Body, json_response};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use serde_json::json;
use time::OffsetDateTime;
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How deep functions may call functions.
const MAX_CALL_DEPTH: u32 = 16;
/// Waiting times. The defaults for a request are those of CONTRACT.md, limits.
#[derive(Debug, Clone, Copy)]
pub struct Timings {
    /// For the first byte of the answer; then the answer is 504 IDLE_TIMEOUT.
    pub first_byte: Duration,
    /// For a free slot; then the answer is 503 with `Retry-After`.
    pub queue: Duration,
    /// For `functions serve` to renew its session; then the session ends.
    pub session: Duration,
    /// For another request, if a function's instances are reused. An idle instance ends after this
    /// time, at most after twice this time.
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
/// After [`State::new`] the server awaits [`State::scan`] once, runs [`State::watch`] and
/// [`crate::schedules::run`] as tasks of its own, and awaits [`State::shut_down`] at the end.
pub struct State {
    runtime: Arc<SharedRuntime>,
    registry: Arc<Registry>,
    clients: Arc<OutboundClients>,
    keys: ApiKeys,
    service_key: HeaderValue,
    slots: InstanceSlots,
    timings: Timings,
    stopping: AtomicBool,
    project: String,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("running", &self.runtime.tasks.len()).finish_non_exhaustive()
    }
}

impl State {
    /// Makes the engine, its threads and the outgoing clients. Loads no function yet. Calls of
    /// functions to [`Config::api_url`] go to `dispatch`. Must be called inside the Tokio runtime
    /// that serves requests.
    ///
    /// # Errors
    /// [`StartError`] with the part that cannot be made.
    pub fn new(config: &Config, keyring: &Arc<Keyring>, dispatch: Dispatch) -> Result<Self, StartError> {
        let engine = engine::start()?;
        let linker = host::linker(&engine).map_err(StartError::Engine)?;
        let memory = Arc::new(MemoryBudget::new(config.edge_runtime.memory));
        let registry = Registry::new(config, keyring, (engine.clone(), linker), Arc::clone(&memory));
        let registry = registry.map_err(StartError::Components)?;
        let runtime = SharedRuntime {
            engine,
            memory,
            idle_slots: Arc::new(Semaphore::new(engine::IDLE_INSTANCES as usize)),
            busy_threads: BusyThreads::start().map_err(StartError::Threads)?,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        Ok(Self {
            runtime: Arc::new(runtime),
            registry: Arc::new(registry),
            clients: Arc::new(OutboundClients::new(config.api_url(), dispatch)?),
            keys: ApiKeys::new(&config.keys, false),
            service_key: caller_header::bearer(secrecy::ExposeSecret::expose_secret(
                &config.keys.service_role_key,
            ))
            .ok_or(StartError::ServiceKey)?,
            slots: InstanceSlots::new(),
            timings: Timings::default(),
            stopping: AtomicBool::new(false),
            project: config.project_id.clone(),
        })
    }

    /// The name of the project.
    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    /// The same host with other waiting times.
    #[must_use]
    pub fn with_timings(self, timings: Timings) -> Self {
        Self { timings, ..self }
    }

    /// The same host, which asks `resolver` for the addresses of names. Its answers are checked
    /// like any other answer.
    #[must_use]
    pub fn with_resolver(self, resolver: Resolver) -> Self {
        let clients = self.clients.with_resolver(resolver);
        Self { clients: Arc::new(clients), ..self }
    }

    /// Sets another configuration: policies, schedules, secrets and paths of functions. Running
    /// requests keep theirs. A component that was not compiled before is compiled afterwards.
    pub async fn reconfigure(&self, config: &Config) {
        self.registry.settings.set_config(config);
        self.scan().await;
    }

    /// Whether a function answers its own CORS preflights. `path` is that of a request, such as
    /// `/hello/x`.
    #[must_use]
    pub fn answers_preflights(&self, path: &str) -> bool {
        self.registry.functions.lookup(name_in(path)).is_some_and(|(policy, _)| policy.own_preflight)
    }

    /// Publishes what is new on disk or has changed. A component that has to be compiled is
    /// compiled on another thread. Until then the version before it goes on, or the function
    /// answers that it is not ready. A broken component is logged and answers BOOT_ERROR.
    ///
    /// Returns whether everything could be read. If not, what is served stays.
    pub async fn scan(&self) -> bool {
        let registry = Arc::clone(&self.registry);
        // The same thread starts the compilations, so that they start even if nobody awaits the
        // scan.
        let scanned = tokio::task::spawn_blocking(move || registry.scan_and_compile());
        scanned.await.unwrap_or_else(|_| {
            tracing::error!("loading functions panicked");
            true
        })
    }

    /// How many components are being compiled, or wait for it.
    #[must_use]
    pub fn pending_compilations(&self) -> usize {
        self.registry.pending_compilations()
    }

    /// Whether every component that was found at the start has been compiled. Once true it stays
    /// true: later components keep nothing else from being served.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.registry.is_startup_done()
    }

    /// How many functions can be called.
    #[must_use]
    pub fn callable(&self) -> usize {
        self.registry.functions.callable()
    }

    /// The functions whose component cannot be loaded, and that answer BOOT_ERROR.
    #[must_use]
    pub fn broken(&self) -> Vec<String> {
        self.registry.functions.broken()
    }

    /// Waits until nothing is left to be compiled. Dropping the future changes nothing.
    pub async fn wait_until_compiled(&self) {
        self.registry.wait_until_compiled().await;
    }

    /// Measures how long it takes to make an instance of a function and to drop it, without a
    /// request. Returns nothing for an unknown function, or if no slot is free.
    #[must_use]
    pub fn instantiation_time(&self, name: &str) -> Option<Duration> {
        let function = self.registry.functions.lookup(name)?.1.ok()?;
        let (slot, memory) = self.slots.try_take(&function.capacity)?;
        let none: Arc<str> = Arc::from("");
        let log = Arc::new(InvocationLog {
            function: Arc::clone(&function.name),
            request_id: Arc::clone(&none),
            execution_id: none,
            rate_limits: Arc::clone(&function.log_rate_limits),
            log_buffer: Arc::clone(&self.registry.log.buffer),
            began: (OffsetDateTime::UNIX_EPOCH, Instant::now()),
        });
        let invocation = Invocation {
            runtime: Arc::clone(&self.runtime),
            outbound: Outbound::new(&self.clients, &function.policy, CallDepth::default(), &log),
            function,
            log,
            idle_timeout: Duration::ZERO,
            _slot: slot,
            _counted: self.runtime.tasks.token(),
        };
        instance::instantiation_time(&invocation, memory)
    }

    /// Takes no new requests. Lets running ones and their background work go on for `grace`, then
    /// ends them (W04).
    pub async fn shut_down(&self, grace: Duration) {
        self.stopping.store(true, Relaxed);
        self.registry.stop_compiling();
        let SharedRuntime { tasks, stop, .. } = &*self.runtime;
        tasks.close();
        if timeout(grace, tasks.wait()).await.is_err() {
            tracing::warn!(functions.running = tasks.len(), "functions are still running and are ended");
            stop.cancel();
            tasks.wait().await;
        }
    }

    /// Whether requests are refused because the host is stopping.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }

    pub(crate) fn timings(&self) -> Timings {
        self.timings
    }

    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// `Authorization` of calls that the stack itself makes.
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
    let found = state.registry.functions.lookup(name_in(request.uri().path()));
    let (policy, code) = found.ok_or(HostError::UnknownFunction)?;
    access::check(&policy, caller, request.method(), request.headers())?;
    if asks_for_upgrade(request.headers()) {
        return Err(HostError::Upgrade);
    }
    let depth = request.extensions().get::<CallDepth>().copied().unwrap_or_default();
    if depth.0 > MAX_CALL_DEPTH {
        return Err(HostError::NestedCalls);
    }
    let function = code?;
    if state.is_stopping() {
        return Err(HostError::Busy);
    }
    let caller_headers = CallerHeaders::of(&policy, &state.keys, caller, request.headers());
    run(state, function, request, (caller_headers, depth, now)).await
}

/// Whether a request asks for another protocol. Some clients offer h2c with every request, which
/// asks for nothing.
fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    headers.get_all(header::UPGRADE).iter().any(|context| !context.as_bytes().eq_ignore_ascii_case(b"h2c"))
}

/// The function that a path names.
fn name_in(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

async fn run(
    state: &State,
    function: Arc<PreparedFunction>,
    request: Request<Body>,
    (caller_headers, depth, now): (CallerHeaders, CallDepth, OffsetDateTime),
) -> Result<Response<Body>, HostError> {
    let execution_id = new_id().to_string();
    let context = ResponseContext {
        method: request.method().clone(),
        execution_id: HeaderValue::from_str(&execution_id).expect("a UUID is a valid header value"),
    };
    let log = Arc::new(InvocationLog {
        function: Arc::clone(&function.name),
        request_id: request_id(request.headers()).unwrap_or(&execution_id).into(),
        execution_id: execution_id.into(),
        rate_limits: Arc::clone(&function.log_rate_limits),
        log_buffer: Arc::clone(&state.registry.log.buffer),
        began: (now, Instant::now()),
    });
    if says_too_large(request.headers(), function.policy.max_body) {
        log.body_too_large();
        return Err(HostError::BodyTooLarge);
    }
    let taken = state.slots.take(&function.capacity, state.timings.queue).await;
    let (slot, grant) = taken.map_err(|shortage| {
        log.rejected(shortage, &shortage_message(shortage, &function, &log));
        HostError::Busy
    })?;
    let (mut request, fault) = http_mapping::to_guest_request(request, &function.policy);
    caller_headers.write(request.headers_mut());
    let outbound = Outbound::new(&state.clients, &function.policy, depth, &log);
    let (runtime, counted) = (Arc::clone(&state.runtime), state.runtime.tasks.token());
    let (idle_timeout, request_log) = (state.timings.idle, Arc::clone(&log));
    let invocation =
        Invocation { runtime, function, outbound, log, idle_timeout, _slot: slot, _counted: counted };
    let running = instance::start(invocation, grant, request)?;
    let head = timeout(state.timings.first_byte, running.head(&fault)).await;
    let head = head.map_err(|_| HostError::IdleTimeout)?;
    if matches!(head, Err(HostError::BodyTooLarge)) {
        request_log.body_too_large();
    }
    let (response, outcome) = head?;
    http_mapping::to_client_response(response, &context, outcome)
}

/// Whether the length in a request's headers is larger than its function allows.
fn says_too_large(headers: &HeaderMap, most: Option<u64>) -> bool {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    length.is_some_and(|length: u64| most.is_some_and(|most| length > most))
}

/// Why no more instances of a function run, for its log.
fn shortage_message(shortage: Shortage, function: &PreparedFunction, log: &InvocationLog) -> String {
    match shortage {
        Shortage::Function => format!(
            "no more than {} run at a time: {}",
            function.policy.concurrency,
            log.setting("concurrency")
        ),
        Shortage::Node => {
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

/// Answers `/_internal/health` and `/_internal/metric` (F08). No function name starts with an
/// underscore.
fn internal(state: &State, request: &Request<Body>) -> Option<Response<Body>> {
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    let body = match request.uri().path() {
        "/_internal/health" if reads => json!({"message": "ok"}),
        "/_internal/metric" if reads => {
            let (all, free) = state.runtime.memory.megabytes();
            let memory = json!({"all_mb": all, "free_mb": free});
            json!({"slots": engine::SLOTS, "free": state.slots.free(), "running": state.runtime.tasks.len(), "memory": memory})
        }
        _ => return None,
    };
    Some(json_response(StatusCode::OK, &body))
}
