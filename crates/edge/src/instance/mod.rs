//! One request in one instance: a store of its own, made for it and gone with it (CONTRACT.md W01
//! to W03), unless the function allows that its instances answer more than one (H10).

/// What it runs in.
mod store;

use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::FutureExt;
use http::{Request, Response};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::timeout,
};
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};
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

use store::{renew, store};

use crate::{
    HostError,
    book::Facts,
    ending::{Ending, Reason, Unfinished},
    host::Host,
    idle::Guest,
    limits::{Metered, Refusal},
    logs::{Lines, Source},
    memory::{Budget, Share},
    outbound::Outbound,
    passage::BodyFault,
    places::{Place, Room},
    registry::Prepared,
    threads::{Threads, Work},
};

/// Resources that an instance may hold between two requests: its clocks and streams.
const MOST_LEFT: usize = 16;

/// What all instances share.
pub(crate) struct Common {
    pub(crate) engine: Engine,
    pub(crate) memory: Arc<Budget>,
    /// Places of instances that wait for another request.
    pub(crate) idle_places: Arc<Semaphore>,
    pub(crate) threads: Threads,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

/// What one run needs.
pub(crate) struct Launch {
    pub(crate) common: Arc<Common>,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) outbound: Outbound,
    pub(crate) source: Arc<Source>,
    /// How long it may wait for another request afterwards, where its function allows that.
    pub(crate) may_wait: Duration,
    /// Given back after the store is gone.
    pub(crate) _place: Place,
    /// Until then the instance counts as running.
    pub(crate) _counted: TaskTrackerToken,
}

type Answer = Result<Response<HyperOutgoingBody>, ErrorCode>;

/// A running instance whose answer has not come yet. It runs while it is polled here; once this is dropped, with the answer
/// or without, in a task of its own.
pub(crate) struct Running {
    work: Option<Work>,
    answer: oneshot::Receiver<Answer>,
    is_answered: bool,
    ending: Ending,
    outbound: Outbound,
    source: Arc<Source>,
}

impl Running {
    /// Waits for the head of the answer. Dropping this future does not stop the instance (W03).
    ///
    /// # Errors
    /// What is wrong with the request's body, whatever the function made of it; or what the function's failure is on the wire.
    pub(crate) async fn head(
        mut self,
        body: &BodyFault,
    ) -> Result<(Response<HyperOutgoingBody>, Ending), HostError> {
        let answer = poll_fn(|context| {
            if let Some(work) = &mut self.work
                && Pin::new(work).poll(context).is_ready()
            {
                self.work = None;
            }
            Pin::new(&mut self.answer).poll(context)
        });
        let answer = answer.await;
        self.is_answered = true;
        if let Some(fault) = body.answer() {
            return Err(fault);
        }
        let failure = match answer {
            Ok(Ok(response)) => return Ok((response, self.ending.clone())),
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

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_answered {
            self.ending.client_left();
        }
        // Without a runtime the process is about to end.
        if let Some(work) = self.work.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(work);
        }
    }
}

/// Hands a request to an instance, which goes on after the answer and without the client, until the function is done or
/// its wall clock runs out.
///
/// # Errors
/// [`HostError::Internal`] when the request cannot be handed to a guest.
pub(crate) fn start(launch: Launch, room: Room, request: Request<WasiBody>) -> Result<Running, HostError> {
    let (sender, answer) = oneshot::channel();
    let mut instance = Instance::of(&launch, room);
    let internal = |error: wasmtime::Error| {
        tracing::error!(error = %error, "a request cannot be handed to a function");
        HostError::Internal
    };
    let https = request.headers().get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let scheme = if https { Scheme::Https } else { Scheme::Http };
    let host = instance.store.data_mut();
    let incoming = host.http().new_incoming_request(scheme, request).map_err(internal)?;
    let outparam = host.http().new_response_outparam(sender).map_err(internal)?;
    let (meter, habit) = (Arc::clone(&host.cpu), Arc::clone(&launch.prepared.habit));
    let busy = launch.common.threads.handle();
    let ending = launch.outbound.ending();
    let (outbound, source) = (launch.outbound.clone(), Arc::clone(&launch.source));
    let run = run(launch, instance, incoming, outparam, ending.clone());
    let work = Some(Work::new(run, meter, habit, busy));
    Ok(Running { work, answer, is_answered: false, ending, outbound, source })
}

/// A store, and what was instantiated in it for an earlier request.
struct Instance {
    store: Store<Host>,
    proxy: Option<Proxy>,
    uses: u32,
    place: Option<OwnedSemaphorePermit>,
}

impl Instance {
    /// A fresh one, or one that has waited.
    fn of(launch: &Launch, room: Room) -> Self {
        match room {
            Room::Memory(share) => Self { store: store(launch, share), proxy: None, uses: 0, place: None },
            Room::Instance(Guest { mut store, proxy, uses, place, _memory }) => {
                renew(&mut store, launch);
                Self { store, proxy: Some(proxy), uses, place: Some(place) }
            }
        }
    }
}

/// Makes an instance and drops it; nothing where that needs to wait or fails.
pub(crate) fn time_of_one(launch: &Launch, memory: Share) -> Option<Duration> {
    let began = Instant::now();
    let mut store = store(launch, memory);
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
    let is_told = launch.source.admits_invocation();
    let guest = Metered::new(Arc::clone(&cpu), async {
        let proxy = match proxy {
            Some(proxy) => proxy,
            None => boot(&launch, &mut store, is_told).await?,
        };
        let handler = proxy.wasi_http_incoming_handler();
        handler.call_handle(&mut store, incoming, outparam).await.map_err(Failure::Trap)?;
        Ok(proxy)
    });
    let limited = timeout(launch.prepared.policy.wall_clock, guest);
    let ended = tokio::select! {
        // Most are done at once; those need no timer and nobody to tell them of the stop.
        biased;
        ended = limited => ended.map_err(|_| Reason::WallClockTime),
        () = launch.common.stop.cancelled() => Err(Reason::TerminationRequested),
    };
    launch.prepared.habit.learn(cpu.spent());
    launch.prepared.memory.learn(store.data().limits.needed());
    let reason = reason(&ended, store.data());
    let body_open = has_open_body(store.data_mut());
    unfinished.0.set(reason, body_open);
    match ended {
        Ok(Ok(proxy)) => {
            let memory_used = store.data().limits.largest_memory() as u64;
            tracing::debug!(function = %launch.source.function, request.id = %launch.source.request_id, memory_used, "the instance is done");
            if is_told {
                launch.source.completed(facts(reason, None, store.data()));
            }
            keep(&launch, Instance { store, proxy: Some(proxy), uses: uses + 1, place });
        }
        Ok(Err(Failure::Trap(error))) if unfinished.0.is_of_client(reason) => {
            tracing::debug!(function = %launch.source.function, request.id = %launch.source.request_id, error = ?error, "the instance failed without its client");
            if is_told {
                launch.source.was_left(facts(reason, None, store.data()));
            }
        }
        ended => {
            let failure = ended.ok().and_then(Result::err);
            let setting = reason.setting(&launch.source, launch.prepared.is_bounded_by_node());
            launch.source.ended(facts(reason, failure, store.data()), setting.as_deref());
        }
    }
}

async fn boot(launch: &Launch, store: &mut Store<Host>, is_told: bool) -> Result<Proxy, Failure> {
    let began = Instant::now();
    let proxy = launch.prepared.pre.instantiate_async(store).await.map_err(Failure::Boot)?;
    if is_told {
        launch.source.booted(began.elapsed());
    }
    Ok(proxy)
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
    let place = place.or_else(|| Arc::clone(&launch.common.idle_places).try_acquire_owned().ok());
    let memory = launch.common.memory.let_wait(store.data().limits.share());
    if let (Some(place), Some(memory)) = (place, memory) {
        let guest = Guest { store, proxy, uses, place, _memory: memory };
        launch.prepared.memory.idle().give(guest, launch.may_wait);
        launch.common.memory.note_idle();
    }
}

fn reason<T>(ended: &Result<Result<T, Failure>, Reason>, host: &Host) -> Reason {
    match ended {
        Err(reason) => *reason,
        Ok(Ok(_)) => Reason::EventLoopCompleted,
        Ok(Err(_)) if host.cpu.was_exceeded() => Reason::CpuTime,
        Ok(Err(failure)) => match (host.limits.refused(), failure) {
            (Some(Refusal::Function), _) => Reason::Memory,
            (Some(Refusal::Node), _) => Reason::NodeMemory,
            (None, Failure::Boot(_)) => Reason::BootFailure,
            (None, Failure::Trap(_)) => Reason::UncaughtException,
        },
    }
}

/// A finished body has left the table.
fn has_open_body(host: &mut Host) -> bool {
    host.table.iter_mut().any(|resource| resource.is::<HostOutgoingBody>())
}

fn facts(reason: Reason, failure: Option<Failure>, host: &Host) -> Facts {
    Facts {
        reason: Some(reason.word().to_owned()),
        exception: failure.map(|(Failure::Boot(error) | Failure::Trap(error))| format!("{error:#}")),
        cpu_time_used_ms: Some(u64::try_from(host.cpu.spent().as_millis()).unwrap_or(u64::MAX)),
        memory_used: Some(host.limits.largest_memory() as u64),
        boot_time_ms: None,
    }
}
