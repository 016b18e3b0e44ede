//! What one function may use of the node, and what its requests used lately.

use std::sync::{Arc, atomic::AtomicUsize};

use banyan_config::Function;
use tokio::sync::Semaphore;

use super::{
    busy_threads::CpuStats,
    idle::{IdlePool, Reusable},
    memory::{FunctionMemory, MemoryBudget},
};

/// The capacity of one version of a function. The next version shares what instances of this
/// version still hold: permits, memory and CPU statistics.
pub(crate) struct FunctionCapacity<I> {
    /// Instances that may run at a time.
    pub(super) concurrency: u32,
    /// Whether an instance may answer more than one request.
    pub(super) reuses_instances: bool,
    pub(super) permits: Arc<Semaphore>,
    /// Requests that wait for a permit, for a slot or for memory.
    pub(super) waiting: AtomicUsize,
    pub(crate) memory: FunctionMemory,
    pub(crate) idle: Arc<IdlePool<I>>,
    pub(crate) cpu_stats: Arc<CpuStats>,
}

impl<I: Reusable> FunctionCapacity<I> {
    /// The capacity of a function that no other version ran before.
    pub(crate) fn new(policy: &Function, budget: &MemoryBudget) -> Self {
        let idle = Arc::new(IdlePool::default());
        Self {
            concurrency: policy.concurrency,
            reuses_instances: policy.reuse,
            permits: permits(policy),
            waiting: AtomicUsize::new(0),
            memory: budget.for_function(idle.clone()),
            idle,
            cpu_stats: Arc::default(),
        }
    }

    /// The capacity of the next version of the function, under its own policy.
    pub(crate) fn for_next_version(&self, policy: &Function) -> Self {
        let idle = Arc::new(IdlePool::default());
        let is_same = self.concurrency == policy.concurrency;
        Self {
            concurrency: policy.concurrency,
            reuses_instances: policy.reuse,
            permits: if is_same { Arc::clone(&self.permits) } else { permits(policy) },
            waiting: AtomicUsize::new(0),
            memory: self.memory.for_next_version(idle.clone()),
            idle,
            cpu_stats: Arc::clone(&self.cpu_stats),
        }
    }
}

fn permits(policy: &Function) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(policy.concurrency as usize))
}
