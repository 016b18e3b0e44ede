//! Outgoing HTTP calls of functions, behind `wasi:http/outgoing-handler` (CONTRACT.md H02 to H07).

/// Which hosts a function may call.
mod allow;

/// The pooled client and how it connects.
mod client;

/// Which addresses a function may reach by a name.
mod address;

/// From names to addresses by the system's resolver.
mod lookup;

/// Bodies of outgoing calls.
mod body;

/// Long paths of calls that are on their way.
mod paths;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use banyan_config::Function;
use banyan_identity::Peer;
use banyan_web::Body;
use futures_util::future::BoxFuture;
use http::{HeaderName, Request, Response, Uri, header, uri::PathAndQuery};
use http_body_util::BodyExt;
use tokio::{runtime::Handle, sync::Semaphore, task::JoinSet, time::timeout};
use wasmtime_wasi_http::{DEFAULT_FORBIDDEN_HEADERS, Error, RequestOptions, WasiBody, WasiHttpHooks};

pub(crate) use allow::Target;
use allow::Verdict;
use body::outgoing;
use client::HttpClient;
pub use lookup::Resolver;
use paths::SentPaths;

use crate::{
    StartError,
    capacity::busy_threads,
    http_mapping::{self, idle_timeout::IdleTimeoutBody},
    logs::InvocationLog,
    memory_trim,
    outcome::InvocationOutcome,
};

/// Outgoing calls of one instance at a time (H09).
const MAX_CONCURRENT_CALLS: usize = 32;
/// A request with so many bodies sends hardly any of them: it fills the host's memory.
const MANY_BODIES: u32 = 128;
/// Longest wait for the head of an answer, unless the guest asks for less.
const FIRST_BYTE: Duration = Duration::from_secs(300);
/// Longest pause between two chunks of an answer, unless the guest asks for less.
const BETWEEN_BYTES: Duration = Duration::from_secs(150);

/// Answers a call to the stack's own API in process. Gets the whole path, such as
/// `/rest/v1/lessons` (T08, H05).
pub type Dispatch = Arc<dyn Fn(Request<Body>) -> BoxFuture<'static, Response<Body>> + Send + Sync>;

/// What all functions share: the clients, and the way to the stack's own API.
pub(crate) struct OutboundClients {
    /// For hosts that are listed by name. Connects to public addresses only.
    public: HttpClient,
    /// For addresses that a function lists literally. It has a pool of its own, so that no other
    /// function finds a connection to a private address in it by a name.
    listed: HttpClient,
    own: Target,
    dispatch: Dispatch,
    /// The threads that serve requests.
    servers: Handle,
}

impl OutboundClients {
    pub(crate) fn new(own_url: &str, dispatch: Dispatch) -> Result<Self, StartError> {
        let own = own_url
            .parse()
            .ok()
            .and_then(|uri| Target::of(&uri))
            .ok_or_else(|| StartError::Origin(own_url.to_owned()))?;
        let resolver = lookup::system();
        let public = client::public(Arc::clone(&resolver));
        Ok(Self { public, listed: client::listed(resolver), own, dispatch, servers: Handle::current() })
    }

    /// The same clients with another resolver.
    pub(crate) fn with_resolver(&self, resolver: Resolver) -> Self {
        let public = client::public(Arc::clone(&resolver));
        let listed = client::listed(resolver);
        let (own, dispatch) = (self.own.clone(), Arc::clone(&self.dispatch));
        Self { public, listed, own, dispatch, servers: self.servers.clone() }
    }

    fn client(&self, verdict: Verdict) -> &HttpClient {
        match verdict {
            Verdict::ByAddress => &self.listed,
            _ => &self.public,
        }
    }
}

/// How deep a request is in a chain of functions that call functions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallDepth(pub(crate) u32);

/// The outgoing side of one instance.
#[derive(Clone)]
pub(crate) struct Outbound(Arc<CallState>);

/// What one request may call, and has called.
struct CallState {
    clients: Arc<OutboundClients>,
    policy: Arc<Function>,
    depth: CallDepth,
    at_a_time: Arc<Semaphore>,
    made: AtomicU32,
    /// Bodies that the guest has started, including its answer's.
    bodies: AtomicU32,
    /// Long paths of calls without an answer.
    sent_paths: SentPaths,
    /// How the invocation ended, which its bodies must tell.
    outcome: InvocationOutcome,
    log: Arc<InvocationLog>,
}

impl Drop for CallState {
    /// Gives the memory of many bodies back to the system. The allocator would keep it.
    fn drop(&mut self) {
        if self.bodies.load(Relaxed) >= MANY_BODIES {
            memory_trim::trim_heap_soon();
        }
    }
}

type Answer = Result<(Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>), Error>;

impl Outbound {
    /// Allows the hosts and the number of calls of the policy.
    pub(crate) fn new(
        clients: &Arc<OutboundClients>,
        policy: &Arc<Function>,
        depth: CallDepth,
        log: &Arc<InvocationLog>,
    ) -> Self {
        Self(Arc::new(CallState {
            clients: Arc::clone(clients),
            policy: Arc::clone(policy),
            depth,
            at_a_time: Arc::new(Semaphore::new(MAX_CONCURRENT_CALLS)),
            made: AtomicU32::new(0),
            bodies: AtomicU32::new(0),
            sent_paths: SentPaths::default(),
            outcome: InvocationOutcome::default(),
            log: Arc::clone(log),
        }))
    }

    /// How the invocation of this request ended.
    pub(crate) fn outcome(&self) -> InvocationOutcome {
        self.0.outcome.clone()
    }

    /// Bytes of the long paths of calls on their way.
    pub(crate) fn long_path_bytes(&self) -> usize {
        self.0.sent_paths.bytes()
    }

    /// Whether the function made more calls than one request may.
    pub(crate) fn is_used_up(&self) -> bool {
        self.0.made.load(Relaxed) > self.0.policy.outbound_requests
    }
}

impl CallState {
    /// Counts a call.
    fn count(&self) -> Result<(), Error> {
        let (before, most) = (self.made.fetch_add(1, Relaxed), self.policy.outbound_requests);
        if before == most {
            self.log.call_failed(format!(
                "outgoing calls are denied: one request has made {before}, the {}",
                self.log.setting("outbound_requests")
            ));
        }
        if before < most { Ok(()) } else { Err(Error::ConnectionLimitReached) }
    }

    /// Decides where a request may go. A refusal is logged with function and host alone, and with
    /// the setting that would allow it (H06).
    fn judge(&self, request: &Request<WasiBody>) -> Result<Verdict, Error> {
        let target = Target::of(request.uri()).ok_or(Error::HttpRequestUriInvalid)?;
        match allow::judge(&target, &self.clients.own, &self.policy.outbound_hosts) {
            Verdict::Denied => {
                self.log.call_failed(format!(
                    "an outgoing call was denied: {target} is not in {}",
                    self.log.setting("outbound_hosts")
                ));
                Err(Error::HttpRequestDenied)
            }
            verdict => Ok(verdict),
        }
    }
}

impl WasiHttpHooks for Outbound {
    /// The nine headers that wasmtime names, and two more that are hop-by-hop (H07).
    fn is_forbidden_header(&mut self, name: &HeaderName) -> bool {
        is_forbidden(name)
    }

    fn forbidden_header_filter(&mut self) -> Arc<dyn Fn(&HeaderName) -> bool + Send + Sync> {
        Arc::new(is_forbidden)
    }

    fn p2_outgoing_body_buffer_chunks(&mut self) -> usize {
        1
    }

    /// wasmtime asks once for each body. Chunks wait in the host's memory, so they are small (H09).
    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        chunk(self.0.bodies.fetch_add(1, Relaxed))
    }

    /// The client writes `Host` from the address that was allowed.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Answer> + Send> {
        let request = request.map(|body| outgoing(body, &self.0.outcome));
        let path =
            self.0.sent_paths.count(request.uri().path_and_query().map_or(0, |path| path.as_str().len()));
        let judged = self.0.count().and_then(|()| self.0.judge(&request));
        let calls = Arc::clone(&self.0);
        Box::new(async move {
            let verdict = judged?;
            let options = options.unwrap_or_default();
            let permit = Arc::clone(&calls.at_a_time)
                .acquire_owned()
                .await
                .map_err(|_| Error::ConnectionLimitReached)?;
            let first_byte = options.first_byte_timeout.map_or(FIRST_BYTE, |asked| asked.min(FIRST_BYTE));
            let servers = calls.clients.servers.clone();
            let call = async move {
                match verdict {
                    Verdict::Own => call_own(&calls, request).await,
                    verdict => call_out(calls.clients.client(verdict), request, &calls.log).await,
                }
            };
            let answer = timeout(first_byte, on_threads_of(servers, call));
            let response = answer.await.map_err(|_| Error::HttpResponseTimeout)??;
            drop(path);
            let pause = options.between_bytes_timeout.map_or(BETWEEN_BYTES, |asked| asked.min(BETWEEN_BYTES));
            let response = response.map(|body| {
                let on_timeout = move || {
                    // The call holds its permit until its answer has been read.
                    let _ = &permit;
                    Error::ConnectionReadTimeout
                };
                IdleTimeoutBody::new(body, pause, on_timeout).boxed_unsync()
            });
            let nothing_more: Box<dyn Future<Output = Result<(), Error>> + Send> =
                Box::new(std::future::ready(Ok(())));
            Ok((response, nothing_more))
        })
    }
}

/// Bytes of a chunk of a body after so many others. Two chunks of a body wait in the host's memory.
/// The first bodies, which are the answer and a few calls, have large chunks. An instance that
/// fills all of its handles with bodies takes 8 MB in all.
fn chunk(others: u32) -> usize {
    match others {
        0..8 => 64 << 10,
        8..MANY_BODIES => 16 << 10,
        _ => 4 << 10,
    }
}

fn is_forbidden(name: &HeaderName) -> bool {
    DEFAULT_FORBIDDEN_HEADERS.contains(name) || *name == header::TE || *name == header::TRAILER
}

/// Runs `call` on the server's threads. On the threads of busy functions it would wait for those
/// functions, and connections that others use later would stay there.
async fn on_threads_of<T: Send + 'static>(
    servers: Handle,
    call: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    if !busy_threads::is_busy_thread() {
        return call.await;
    }
    // A call ends with its function.
    let mut task = JoinSet::new();
    task.spawn_on(call, &servers);
    let ended = task.join_next().await;
    ended.and_then(Result::ok).unwrap_or(Err(Error::ConnectionTerminated))
}

/// Answers a call to the stack's own API inside the process (H05, T08).
async fn call_own(calls: &CallState, request: Request<WasiBody>) -> Result<Response<WasiBody>, Error> {
    let (mut parts, body) = request.into_parts();
    if let Some(authority) = parts.uri.authority()
        && let Ok(host) = authority.as_str().parse()
    {
        parts.headers.insert(header::HOST, host);
    }
    parts.uri = own_path(&parts.uri).ok_or(Error::HttpRequestUriInvalid)?;
    parts.extensions.insert(CallDepth(calls.depth.0 + 1));
    parts.extensions.insert(Peer::Function(Arc::clone(&calls.log.function)));
    let body = body.map_err(Into::into).boxed_unsync();
    let response = (calls.clients.dispatch)(Request::from_parts(parts, body)).await;
    Ok(response.map(|body| body.map_err(http_mapping::to_guest_error).boxed_unsync()))
}

/// Path and query of a URI, as a request on the wire has them: `http://host?x=1` asks for `/?x=1`.
fn own_path(uri: &Uri) -> Option<Uri> {
    let asked = uri.path_and_query().map_or("/", |path| path.as_str());
    let slash = if asked.starts_with('/') { "" } else { "/" };
    format!("{slash}{asked}").parse::<PathAndQuery>().ok().map(Uri::from)
}

async fn call_out(
    client: &HttpClient,
    request: Request<WasiBody>,
    log: &InvocationLog,
) -> Result<Response<WasiBody>, Error> {
    let host = request.uri().host().unwrap_or_default().to_owned();
    match lookup::CALLING_FUNCTION.scope(Arc::clone(&log.function), client.request(request)).await {
        Ok(response) => Ok(response.map(|body| body.map_err(Error::Hyper).boxed_unsync())),
        Err(error) => {
            let cause = client::cause(&error);
            log.call_failed(format!("an outgoing call to {host} failed: {cause}"));
            Err(cause)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Mutex, time::Instant};

    use http_body_util::Empty;
    use time::OffsetDateTime;

    use super::*;
    use crate::logs::{LogRateLimits, log_buffer::LogBuffer};

    // rows: LIMIT_LOOKUPS H12
    #[tokio::test]
    async fn a_name_is_looked_up_for_the_function_that_calls_it() {
        let none: Arc<str> = Arc::from("");
        let log = InvocationLog {
            function: Arc::from("asks"),
            request_id: Arc::clone(&none),
            execution_id: none,
            rate_limits: LogRateLimits::new(),
            log_buffer: LogBuffer::new(),
            began: (OffsetDateTime::UNIX_EPOCH, Instant::now()),
        };
        let asking = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&asking);
        let resolver: Resolver = Arc::new(move |_, _| {
            *seen.lock().unwrap() = lookup::CALLING_FUNCTION.try_with(Arc::clone).ok();
            Box::pin(std::future::ready(Ok(Vec::new())))
        });
        let client = client::public(resolver);
        let body = Empty::new().map_err(|never| match never {}).boxed_unsync();
        let request = Request::get("https://api.example.com/").body(body).unwrap();
        call_out(&client, request, &log).await.unwrap_err();
        assert_eq!(asking.lock().unwrap().as_deref(), Some("asks"));
    }
}
