//! The store of an instance, within the limits of its function.

use std::sync::Arc;

use wasmtime::{Store, UpdateDeadline};

use super::Invocation;
use crate::{
    capacity::{
        limits::{CpuMeter, HOSTCALL_BYTES, InstanceLimits, Tick},
        memory::MemoryReservation,
    },
    host::{Host, Variables},
};

/// Makes the store for one instance.
pub(super) fn store(invocation: &Invocation, reservation: MemoryReservation) -> Store<Host> {
    let Invocation { function, outbound, log, .. } = invocation;
    let variables = Variables {
        shared: Arc::clone(&function.environment),
        jwks: function.jwks.clone(),
        execution_id: Arc::clone(&log.execution_id),
    };
    let limits = InstanceLimits::new(function.max_memory(), reservation);
    let cpu = CpuMeter::new(function.policy.cpu);
    let mut store =
        Store::new(&invocation.runtime.engine, Host::new(variables, outbound.clone(), limits, cpu, log));
    store.limiter(|host| &mut host.limits);
    store.set_hostcall_fuel(HOSTCALL_BYTES);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|context| {
        Ok(match context.data().cpu.tick() {
            Tick::Stop => UpdateDeadline::Interrupt,
            // Tokio's own yield lets the thread serve timers and other tasks first. A plain wake-up
            // would let busy guests hold the thread for dozens of ticks.
            Tick::Yield => UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())),
            Tick::GoOn => UpdateDeadline::Continue(1),
        })
    });
    store
}

/// Makes the store of an idle instance ready for another request.
pub(super) fn renew(store: &mut Store<Host>, invocation: &Invocation) {
    let cpu = CpuMeter::new(invocation.function.policy.cpu);
    store.data_mut().renew(invocation.outbound.clone(), cpu, &invocation.log);
    store.set_epoch_deadline(1);
}
