//! One request in one instance: a store of its own, made for it and gone with it (functions.md W01 to W03), unless the
//! function allows that its instances answer more than one (H10).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::FutureExt;
use http::{Request, Response};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use wasmtime::{Engine, Store, component::Resource};
use wasmtime_wasi_http::{
    WasiBody, WasiHttpView,
    p2::{
        bindings::{
            Proxy,
            http::types::{ErrorCode, Scheme},
        },
        body::{HostOutgoingBody, HyperOutgoingBody},
        types::{HostIncomingRequest, HostResponseOutparam},
    },
};

use crate::{
    HostError,
    book::Facts,
    ending::{Ending, Reason, Unfinished},
    host::{Host, renew, store},
    idle::Guest,
    limits::{CpuMeter, Limits, Metered},
    logs::{Lines, Source},
    outbound::Outbound,
    places::Place,
    registry::Prepared,
};

/// Resources that an instance may hold between two requests: its clocks and streams.
const MOST_LEFT: usize = 16;

/// What one run needs.
pub(crate) struct Launch {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) outbound: Outbound,
    pub(crate) source: Arc<Source>,
    /// Given back after the store is gone.
    pub(crate) _place: Place,
    /// Places of instances that wait for another request.
    pub(crate) idle_places: Arc<Semaphore>,
    pub(crate) stop: CancellationToken,
}

type Answer = Result<Response<HyperOutgoingBody>, ErrorCode>;

/// A running instance whose answer has not come yet.
pub(crate) struct Running {
    answer: oneshot::Receiver<Answer>,
    ending: Ending,
    outbound: Outbound,
    source: Arc<Source>,
}

impl Running {
    /// Waits for the head of the answer. Dropping this future does not stop the instance (W03).
    ///
    /// # Errors
    /// What the function's failure is on the wire.
    pub(crate) async fn head(self) -> Result<(Response<HyperOutgoingBody>, Ending), HostError> {
        let failure = match self.answer.await {
            Ok(Ok(response)) => return Ok((response, self.ending)),
            Ok(Err(error)) => {
                self.source.gave_up(format!("{error:?}"));
                HostError::Worker
            }
            Err(_) => self.ending.error(),
        };
        match failure {
            HostError::Worker if self.outbound.is_used_up() => Err(HostError::OutboundCalls),
            failure => Err(failure),
        }
    }
}

/// Starts an instance in a task of its own, which goes on after the answer and without the client, until the function
/// is done or its wall clock runs out.
///
/// # Errors
/// [`HostError::Internal`] when the request cannot be handed to a guest.
pub(crate) fn start(
    launch: Launch,
    engine: &Engine,
    request: Request<WasiBody>,
    tasks: &TaskTracker,
) -> Result<Running, HostError> {
    let (sender, answer) = oneshot::channel();
    let mut instance = Instance::of(&launch, engine);
    let internal = |error: wasmtime::Error| {
        tracing::error!(error = %error, "a request cannot be handed to a function");
        HostError::Internal
    };
    let https = request.headers().get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let scheme = if https { Scheme::Https } else { Scheme::Http };
    let host = instance.store.data_mut();
    let incoming = host.http().new_incoming_request(scheme, request).map_err(internal)?;
    let outparam = host.http().new_response_outparam(sender).map_err(internal)?;
    let ending = Ending::default();
    let running = Running {
        answer,
        ending: ending.clone(),
        outbound: launch.outbound.clone(),
        source: Arc::clone(&launch.source),
    };
    tasks.spawn(run(launch, instance, incoming, outparam, ending));
    Ok(running)
}

/// A store, and what was instantiated in it for an earlier request.
struct Instance {
    store: Store<Host>,
    proxy: Option<Proxy>,
    uses: u32,
    place: Option<OwnedSemaphorePermit>,
}

impl Instance {
    /// A fresh one, or one that waits.
    fn of(launch: &Launch, engine: &Engine) -> Self {
        let waiting = if launch.prepared.policy.reuse { launch.prepared.idle.take() } else { None };
        match waiting {
            None => Self { store: store(launch, engine), proxy: None, uses: 0, place: None },
            Some(Guest { mut store, proxy, uses, place }) => {
                renew(&mut store, launch);
                Self { store, proxy: Some(proxy), uses, place: Some(place) }
            }
        }
    }
}

/// Makes an instance and drops it; nothing where that needs to wait or fails.
pub(crate) fn time_of_one(launch: &Launch, engine: &Engine) -> Option<Duration> {
    let began = Instant::now();
    let mut store = store(launch, engine);
    launch.prepared.pre.instantiate_async(&mut store).now_or_never()?.ok()?;
    drop(store);
    Some(began.elapsed())
}

enum Failure {
    Boot(wasmtime::Error),
    Trap(wasmtime::Error),
}

async fn run(
    launch: Launch,
    instance: Instance,
    incoming: Resource<HostIncomingRequest>,
    outparam: Resource<HostResponseOutparam>,
    ending: Ending,
) {
    let Instance { mut store, proxy, uses, place } = instance;
    // Dropped before the store, whose end closes the answer and its body.
    let unfinished = Unfinished(ending);
    let cpu = Arc::clone(&store.data().cpu);
    let guest = Metered::new(Arc::clone(&cpu), async {
        let proxy = match proxy {
            Some(proxy) => proxy,
            None => launch.prepared.pre.instantiate_async(&mut store).await.map_err(Failure::Boot)?,
        };
        let handler = proxy.wasi_http_incoming_handler();
        handler.call_handle(&mut store, incoming, outparam).await.map_err(Failure::Trap)?;
        Ok(proxy)
    });
    let limited = timeout(launch.prepared.policy.wall_clock, guest);
    let ended = tokio::select! {
        ended = limited => ended.map_err(|_| Reason::WallClockTime),
        () = launch.stop.cancelled() => Err(Reason::TerminationRequested),
    };
    let reason = reason(&ended, store.data());
    let body_open = has_open_body(store.data_mut());
    unfinished.0.set(reason, body_open);
    match ended {
        Ok(Ok(proxy)) => {
            report(&launch, reason, None, &store.data().limits, &cpu);
            keep(&launch, Instance { store, proxy: Some(proxy), uses: uses + 1, place });
        }
        Ok(Err(failure)) => report(&launch, reason, Some(failure), &store.data().limits, &cpu),
        Err(_) => report(&launch, reason, None, &store.data().limits, &cpu),
    }
}

/// Lets an instance wait for another request where the function allows it, it has left nothing of this one, and there is
/// a place for it.
fn keep(launch: &Launch, instance: Instance) {
    let Instance { mut store, proxy, uses, place } = instance;
    let Some(proxy) = proxy.filter(|_| launch.prepared.policy.reuse) else { return };
    let left: Vec<_> = store.data_mut().table.iter_mut().collect();
    let is_of_request = |left: &&mut (dyn std::any::Any + Send)| {
        left.is::<HostOutgoingBody>() || left.is::<HostResponseOutparam>()
    };
    if left.len() > MOST_LEFT || left.iter().any(is_of_request) {
        return;
    }
    drop(left);
    store.data().output.iter().for_each(Lines::finish);
    let place = place.or_else(|| Arc::clone(&launch.idle_places).try_acquire_owned().ok());
    if let Some(place) = place {
        launch.prepared.idle.give(Guest { store, proxy, uses, place });
    }
}

fn reason<T>(ended: &Result<Result<T, Failure>, Reason>, host: &Host) -> Reason {
    match ended {
        Err(reason) => *reason,
        Ok(Ok(_)) => Reason::EventLoopCompleted,
        Ok(Err(_)) if host.cpu.was_exceeded() => Reason::CpuTime,
        Ok(Err(_)) if host.limits.memory_refused() => Reason::Memory,
        Ok(Err(Failure::Boot(_))) => Reason::BootFailure,
        Ok(Err(Failure::Trap(_))) => Reason::UncaughtException,
    }
}

/// A finished body has left the table.
fn has_open_body(host: &mut Host) -> bool {
    host.table.iter_mut().any(|resource| resource.is::<HostOutgoingBody>())
}

fn report(launch: &Launch, reason: Reason, failure: Option<Failure>, limits: &Limits, cpu: &CpuMeter) {
    let source = &launch.source;
    let cpu_time_used_ms = u64::try_from(cpu.spent().as_millis()).unwrap_or(u64::MAX);
    let memory_used = limits.largest_memory() as u64;
    if reason == Reason::EventLoopCompleted {
        tracing::debug!(function = %source.function, request.id = %source.request_id, ?reason, cpu_time_used_ms, memory_used, "the instance ended");
        return;
    }
    source.ended(Facts {
        reason: Some(format!("{reason:?}")),
        exception: failure.map(|(Failure::Boot(error) | Failure::Trap(error))| format!("{error:#}")),
        cpu_time_used_ms: Some(cpu_time_used_ms),
        memory_used: Some(memory_used),
        boot_time_ms: None,
    });
}
