//! Slots for instances that run: those of one function, and those of the node (CONTRACT.md H12,
//! LIMIT_PLACES).

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{
    function_capacity::FunctionCapacity,
    idle::{IdleInstance, Reusable},
    memory::MemoryReservation,
};
use crate::{engine::SLOTS, logs::Shortage};

/// Requests of one function that may wait for each one that may run. Any more are refused at
/// once, because requests that wait take capacity of the server that other functions need.
const WAITING_PER_PERMIT: usize = 4;

/// The slots of the node.
pub(crate) struct InstanceSlots(Arc<Semaphore>);

/// What a request runs in.
pub(crate) enum InstanceGrant<I> {
    /// Memory for a new instance.
    New(MemoryReservation),
    /// An idle instance, with the memory that it has.
    Reused(IdleInstance<I>),
}

/// A permit of the function and a slot of the node. Dropping this frees both.
pub(crate) struct InstanceSlot {
    _permit: OwnedSemaphorePermit,
    _slot: OwnedSemaphorePermit,
}

impl InstanceSlots {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(SLOTS as usize)))
    }

    /// How many slots are free.
    pub(crate) fn free(&self) -> usize {
        self.0.available_permits()
    }

    /// Waits for the function's permit, then for a slot of the node, so that a slow function
    /// cannot take every slot; then for memory, or for an idle instance if one comes first.
    ///
    /// # Errors
    /// What is short, when too many requests wait already or `longest` has passed.
    pub(crate) async fn take<I: Reusable>(
        &self,
        function: &FunctionCapacity<I>,
        longest: Duration,
    ) -> Result<(InstanceSlot, InstanceGrant<I>), Shortage> {
        // Most requests need not wait. Those start neither a queue entry nor a timer.
        if let Some(slot) = self.try_slot(function)
            && let Some(grant) = try_grant(function)
        {
            return Ok((slot, grant));
        }
        let _waits = WaitingRequest::begin(function).ok_or_else(|| self.shortage(function))?;
        let has_permit = AtomicBool::new(false);
        let all = async {
            let permit = Arc::clone(&function.permits).acquire_owned().await?;
            has_permit.store(true, Relaxed);
            let slot = Arc::clone(&self.0).acquire_owned().await?;
            let grant = wait_for_grant(function).await;
            Ok::<_, AcquireError>((InstanceSlot { _permit: permit, _slot: slot }, grant))
        };
        let taken = timeout(longest, all).await;
        let shortage = if has_permit.load(Relaxed) { Shortage::Node } else { self.shortage(function) };
        taken.map_err(|_| shortage)?.map_err(|_| shortage)
    }

    /// A slot and memory for a new instance, if both are free now.
    pub(crate) fn try_take<I: Reusable>(
        &self,
        function: &FunctionCapacity<I>,
    ) -> Option<(InstanceSlot, MemoryReservation)> {
        Some((self.try_slot(function)?, function.memory.try_take()?))
    }

    /// What is short for a request without a permit. The node comes first: where it is full, more
    /// concurrency for the function would not help.
    fn shortage<I>(&self, function: &FunctionCapacity<I>) -> Shortage {
        if self.free() > 0 && function.memory.has_enough() { Shortage::Function } else { Shortage::Node }
    }

    fn try_slot<I>(&self, function: &FunctionCapacity<I>) -> Option<InstanceSlot> {
        let permit = Arc::clone(&function.permits).try_acquire_owned().ok()?;
        let slot = Arc::clone(&self.0).try_acquire_owned().ok()?;
        Some(InstanceSlot { _permit: permit, _slot: slot })
    }
}

/// Takes what is free now. It overtakes neither requests that wait for memory, nor requests of
/// the same function that wait for an instance.
fn try_grant<I: Reusable>(function: &FunctionCapacity<I>) -> Option<InstanceGrant<I>> {
    let may_reuse = function.reuses_instances && function.waiting.load(Relaxed) == 0;
    let idle = may_reuse.then(|| function.idle.take()).flatten();
    idle.map(InstanceGrant::Reused).or_else(|| function.memory.try_take().map(InstanceGrant::New))
}

/// Waits for an idle instance or for memory, whichever comes first.
async fn wait_for_grant<I: Reusable>(function: &FunctionCapacity<I>) -> InstanceGrant<I> {
    let idle = async {
        match function.reuses_instances {
            true => function.idle.next().await,
            false => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        instance = idle => InstanceGrant::Reused(instance),
        reservation = function.memory.take() => InstanceGrant::New(reservation),
    }
}

/// Counts one request that waits, until this is dropped.
struct WaitingRequest<'a>(&'a AtomicUsize);

impl<'a> WaitingRequest<'a> {
    /// Returns nothing if too many requests wait already.
    fn begin<I>(function: &'a FunctionCapacity<I>) -> Option<Self> {
        let before = function.waiting.fetch_add(1, Relaxed);
        let this = Self(&function.waiting);
        let most = WAITING_PER_PERMIT * function.concurrency as usize;
        let is_full = before >= most && function.permits.available_permits() == 0;
        (!is_full).then_some(this)
    }
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
