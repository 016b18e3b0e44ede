//! The store of an instance, within the limits of its function.

use std::sync::Arc;

use wasmtime::{Store, UpdateDeadline};

use super::Launch;
use crate::{
    host::{Host, Variables},
    limits::{CpuMeter, HANDED_OVER, Limits, Tick},
    memory::Share,
};

/// A store of its own for one instance.
pub(super) fn store(launch: &Launch, share: Share) -> Store<Host> {
    let Launch { prepared, outbound, source, .. } = launch;
    let variables = Variables {
        shared: Arc::clone(&prepared.environment),
        keys: prepared.keys.clone(),
        execution_id: Arc::clone(&source.execution_id),
    };
    let limits = Limits::new(prepared.most_memory(), share);
    let cpu = CpuMeter::new(prepared.policy.cpu);
    let mut store =
        Store::new(&launch.common.engine, Host::new(variables, outbound.clone(), limits, cpu, source));
    store.limiter(|host| &mut host.limits);
    store.set_hostcall_fuel(HANDED_OVER);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|context| {
        Ok(match context.data().cpu.tick() {
            Tick::Stop => UpdateDeadline::Interrupt,
            // Tokio's own yield lets the thread look at its timers and at others before it comes back here; a plain
            // wake-up would let busy guests hold it for dozens of ticks.
            Tick::Yield => UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())),
            Tick::GoOn => UpdateDeadline::Continue(1),
        })
    });
    store
}

/// Lets an instance that has waited answer another request.
pub(super) fn renew(store: &mut Store<Host>, launch: &Launch) {
    let cpu = CpuMeter::new(launch.prepared.policy.cpu);
    store.data_mut().renew(launch.outbound.clone(), cpu, &launch.source);
    store.set_epoch_deadline(1);
}
