//! One request in one instance: a store of its own, which ends with the request (CONTRACT.md W01 to
//! W03). If the function allows it, an instance answers more than one request (H10).

/// The store of an instance.
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
    capacity::{
        busy_threads::{BusyThreads, GuestTask},
        idle::IdleInstance,
        limits::{MemoryRefusal, Metered},
        memory::{MemoryBudget, MemoryReservation},
        slots::{InstanceGrant, InstanceSlot},
    },
    host::{Host, WarmInstance},
    http_mapping::BodyFault,
    logs::{InvocationLog, Lines, log_buffer::LogFields},
    outbound::Outbound,
    outcome::{EndReason, InvocationOutcome, OutcomeGuard},
    registry::PreparedFunction,
};

/// Resources that an instance may keep between two requests, such as clocks and streams.
const MAX_KEPT_RESOURCES: usize = 16;

/// What all instances share.
pub(crate) struct SharedRuntime {
    pub(crate) engine: Engine,
    pub(crate) memory: Arc<MemoryBudget>,
    /// Slots of instances that wait for another request.
    pub(crate) idle_slots: Arc<Semaphore>,
    pub(crate) busy_threads: BusyThreads,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

/// One call of a function, and what it needs.
pub(crate) struct Invocation {
    pub(crate) runtime: Arc<SharedRuntime>,
    pub(crate) function: Arc<PreparedFunction>,
    pub(crate) outbound: Outbound,
    pub(crate) log: Arc<InvocationLog>,
    /// How long the instance may wait for another request afterwards, if its function allows that.
    pub(crate) idle_timeout: Duration,
    /// Given back after the store is gone.
    pub(crate) _slot: InstanceSlot,
    /// The instance counts as running until this is dropped.
    pub(crate) _counted: TaskTrackerToken,
}

type Answer = Result<Response<HyperOutgoingBody>, ErrorCode>;

/// An instance whose answer has not come yet. It runs while this is polled. Once this is dropped,
/// with the answer or without, it runs in a task of its own.
pub(crate) struct Running {
    work: Option<GuestTask>,
    answer: oneshot::Receiver<Answer>,
    is_answered: bool,
    outcome: InvocationOutcome,
    outbound: Outbound,
    log: Arc<InvocationLog>,
}

impl Running {
    /// Waits for the head of the answer. Dropping this future does not stop the instance (W03).
    ///
    /// # Errors
    /// What is wrong with the request's body, even if the function answered; or the wire form of
    /// the function's failure.
    pub(crate) async fn head(
        mut self,
        body: &BodyFault,
    ) -> Result<(Response<HyperOutgoingBody>, InvocationOutcome), HostError> {
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
            Ok(Ok(response)) => return Ok((response, self.outcome.clone())),
            Ok(Err(error)) => {
                self.log.no_answer(format!("{error:?}"));
                HostError::Worker
            }
            Err(_) => self.outcome.error(),
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
            self.outcome.client_left();
        }
        // Without a runtime the process is about to end.
        if let Some(work) = self.work.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(work);
        }
    }
}

/// Gives a request to an instance. The instance goes on after the answer, and without its client,
/// until the function is done or its wall clock runs out.
///
/// # Errors
/// [`HostError::Internal`] when the request cannot be given to a guest.
pub(crate) fn start(
    invocation: Invocation,
    grant: InstanceGrant<WarmInstance>,
    request: Request<WasiBody>,
) -> Result<Running, HostError> {
    let (sender, answer) = oneshot::channel();
    let mut instance = Instance::of(&invocation, grant);
    let internal = |error: wasmtime::Error| {
        tracing::error!(error = %error, "a request cannot be handed to a function");
        HostError::Internal
    };
    let https = request.headers().get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let scheme = if https { Scheme::Https } else { Scheme::Http };
    let host = instance.store.data_mut();
    let incoming = host.http().new_incoming_request(scheme, request).map_err(internal)?;
    let outparam = host.http().new_response_outparam(sender).map_err(internal)?;
    let (meter, cpu_stats) = (Arc::clone(&host.cpu), Arc::clone(&invocation.function.capacity.cpu_stats));
    let busy_threads = invocation.runtime.busy_threads.handle();
    let outcome = invocation.outbound.outcome();
    let (outbound, log) = (invocation.outbound.clone(), Arc::clone(&invocation.log));
    let run = run(invocation, instance, incoming, outparam, outcome.clone());
    let work = Some(GuestTask::new(run, meter, cpu_stats, busy_threads));
    Ok(Running { work, answer, is_answered: false, outcome, outbound, log })
}

/// What a request runs in.
struct Instance {
    store: Store<Host>,
    /// What was instantiated for an earlier request.
    proxy: Option<Proxy>,
    /// Requests that it has answered.
    uses: u32,
    /// Its slot among idle instances, which it keeps once it has one.
    idle_slot: Option<OwnedSemaphorePermit>,
}

impl Instance {
    /// A new instance, or an idle one made ready for this request.
    fn of(invocation: &Invocation, grant: InstanceGrant<WarmInstance>) -> Self {
        match grant {
            InstanceGrant::New(reservation) => {
                Self { store: store(invocation, reservation), proxy: None, uses: 0, idle_slot: None }
            }
            InstanceGrant::Reused(IdleInstance { instance, idle_slot, _memory }) => {
                let WarmInstance { mut store, proxy, uses } = instance;
                renew(&mut store, invocation);
                Self { store, proxy: Some(proxy), uses, idle_slot: Some(idle_slot) }
            }
        }
    }
}

/// Makes an instance and drops it. Returns nothing if that would have to wait or if it fails.
pub(crate) fn instantiation_time(invocation: &Invocation, memory: MemoryReservation) -> Option<Duration> {
    let began = Instant::now();
    let mut store = store(invocation, memory);
    invocation.function.pre.instantiate_async(&mut store).now_or_never()?.ok()?;
    drop(store);
    Some(began.elapsed())
}

enum Failure {
    Boot(wasmtime::Error),
    Trap(wasmtime::Error),
}

async fn run(
    invocation: Invocation,
    instance: Instance,
    incoming: Resource<HostIncomingRequest>,
    outparam: Resource<HostResponseOutparam>,
    outcome: InvocationOutcome,
) {
    let Instance { mut store, proxy, uses, idle_slot } = instance;
    // Dropped before the store. The end of the store closes the answer and its body, which then
    // find the outcome.
    let guard = OutcomeGuard(outcome);
    let cpu = Arc::clone(&store.data().cpu);
    let is_logged = invocation.log.admits_invocation();
    let metered = Metered::new(Arc::clone(&cpu), async {
        let proxy = match proxy {
            Some(proxy) => proxy,
            None => boot(&invocation, &mut store, is_logged).await?,
        };
        let handler = proxy.wasi_http_incoming_handler();
        handler.call_handle(&mut store, incoming, outparam).await.map_err(Failure::Trap)?;
        Ok(proxy)
    });
    let limited = timeout(invocation.function.policy.wall_clock, metered);
    let result = tokio::select! {
        // Most guests are done at the first poll. Those need neither a timer nor the signal to
        // stop.
        biased;
        result = limited => result.map_err(|_| EndReason::WallClockTime),
        () = invocation.runtime.stop.cancelled() => Err(EndReason::TerminationRequested),
    };
    invocation.function.capacity.cpu_stats.record(cpu.spent());
    invocation.function.capacity.memory.record(store.data().limits.needed());
    let reason = reason(&result, store.data());
    let is_body_open = has_open_body(store.data_mut());
    guard.0.set(reason, is_body_open);
    match result {
        Ok(Ok(proxy)) => {
            let memory_used = store.data().limits.largest_memory() as u64;
            tracing::debug!(function = %invocation.log.function, request.id = %invocation.log.request_id, memory_used, "the instance is done");
            if is_logged {
                invocation.log.completed(fields(reason, None, store.data()));
            }
            keep(&invocation, Instance { store, proxy: Some(proxy), uses: uses + 1, idle_slot });
        }
        Ok(Err(Failure::Trap(error))) if guard.0.is_caused_by_client(reason) => {
            tracing::debug!(function = %invocation.log.function, request.id = %invocation.log.request_id, error = ?error, "the instance failed without its client");
            if is_logged {
                invocation.log.client_left(fields(reason, None, store.data()));
            }
        }
        result => {
            let failure = result.ok().and_then(Result::err);
            let setting = reason.setting(&invocation.log, invocation.function.is_bounded_by_node());
            invocation.log.failed(fields(reason, failure, store.data()), setting.as_deref());
        }
    }
}

async fn boot(invocation: &Invocation, store: &mut Store<Host>, is_logged: bool) -> Result<Proxy, Failure> {
    let began = Instant::now();
    let proxy = invocation.function.pre.instantiate_async(store).await.map_err(Failure::Boot)?;
    if is_logged {
        invocation.log.booted(began.elapsed());
    }
    Ok(proxy)
}

/// Keeps an instance for another request, if the function allows reuse, the instance has left
/// nothing of this request behind, and an idle slot and memory are free.
fn keep(invocation: &Invocation, instance: Instance) {
    let Instance { mut store, proxy, uses, idle_slot } = instance;
    let Some(proxy) = proxy.filter(|_| invocation.function.policy.reuse) else { return };
    let left: Vec<_> = store.data_mut().table.iter_mut().collect();
    let is_of_request = |left: &&mut (dyn std::any::Any + Send)| {
        left.is::<HostOutgoingBody>() || left.is::<HostResponseOutparam>()
    };
    if left.len() > MAX_KEPT_RESOURCES || left.iter().any(is_of_request) {
        return;
    }
    drop(left);
    store.data().output.iter().for_each(Lines::finish);
    let idle_slot = idle_slot.or_else(|| Arc::clone(&invocation.runtime.idle_slots).try_acquire_owned().ok());
    let memory = invocation.runtime.memory.reserve_idle(store.data().limits.reservation());
    if let (Some(idle_slot), Some(memory)) = (idle_slot, memory) {
        let instance = WarmInstance { store, proxy, uses };
        let idle = IdleInstance { instance, idle_slot, _memory: memory };
        invocation.function.capacity.idle.add(idle, invocation.idle_timeout);
        invocation.runtime.memory.notify_idle();
    }
}

fn reason<T>(result: &Result<Result<T, Failure>, EndReason>, host: &Host) -> EndReason {
    match result {
        Err(reason) => *reason,
        Ok(Ok(_)) => EndReason::EventLoopCompleted,
        Ok(Err(_)) if host.cpu.was_exceeded() => EndReason::CpuTime,
        Ok(Err(failure)) => match (host.limits.refused(), failure) {
            (Some(MemoryRefusal::Function), _) => EndReason::Memory,
            (Some(MemoryRefusal::Node), _) => EndReason::NodeMemory,
            (None, Failure::Boot(_)) => EndReason::BootFailure,
            (None, Failure::Trap(_)) => EndReason::UncaughtException,
        },
    }
}

/// Whether the guest has a body that it has not finished. A finished body has left the table.
fn has_open_body(host: &mut Host) -> bool {
    host.table.iter_mut().any(|resource| resource.is::<HostOutgoingBody>())
}

fn fields(reason: EndReason, failure: Option<Failure>, host: &Host) -> LogFields {
    LogFields {
        reason: Some(reason.word().to_owned()),
        exception: failure.map(|(Failure::Boot(error) | Failure::Trap(error))| format!("{error:#}")),
        cpu_time_used_ms: Some(u64::try_from(host.cpu.spent().as_millis()).unwrap_or(u64::MAX)),
        memory_used: Some(host.limits.largest_memory() as u64),
        boot_time_ms: None,
    }
}
