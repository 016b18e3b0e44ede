//! How an invocation ended, and its wire form (CONTRACT.md W06, E03).

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use crate::{HostError, logs::InvocationLog};

/// How messages name the setting for the memory of all functions.
pub(crate) const NODE_MEMORY: &str = "`memory` of [edge_runtime] in banyan.toml";

/// Why an instance ended, in the words of CONTRACT.md W06.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndReason {
    EventLoopCompleted,
    BootFailure,
    UncaughtException,
    CpuTime,
    Memory,
    /// The node had no more memory, although the instance was within its own limit.
    NodeMemory,
    WallClockTime,
    TerminationRequested,
}

impl EndReason {
    /// How messages name the setting that caused this end. It is the node's setting if that allows
    /// an instance less memory than the function's own.
    pub(crate) fn setting(self, log: &InvocationLog, is_bounded_by_node: bool) -> Option<String> {
        match self {
            Self::CpuTime => Some(log.setting("cpu_ms")),
            Self::Memory if is_bounded_by_node => Some(NODE_MEMORY.to_owned()),
            Self::Memory => Some(log.setting("memory_mb")),
            Self::NodeMemory => Some(NODE_MEMORY.to_owned()),
            Self::WallClockTime => Some(log.setting("wall_clock")),
            Self::EventLoopCompleted
            | Self::BootFailure
            | Self::UncaughtException
            | Self::TerminationRequested => None,
        }
    }

    /// The word for it in the log.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::EventLoopCompleted => "EventLoopCompleted",
            Self::BootFailure => "BootFailure",
            Self::UncaughtException => "UncaughtException",
            Self::CpuTime => "CPUTime",
            Self::Memory | Self::NodeMemory => "Memory",
            Self::WallClockTime => "WallClockTime",
            Self::TerminationRequested => "TerminationRequested",
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct End {
    reason: EndReason,
    has_open_body: bool,
}

/// How an invocation ended. It is known before the instance's store is gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct InvocationOutcome(Arc<OutcomeState>);

#[derive(Debug, Default)]
struct OutcomeState {
    end: OnceLock<End>,
    /// Nobody waits for the answer, or for the rest of it, any more.
    has_client_left: AtomicBool,
}

impl InvocationOutcome {
    /// Whether the instance failed while it still had a body to write.
    pub(crate) fn cut_the_body(&self) -> bool {
        self.0.end.get().is_some_and(|end| end.has_open_body && end.reason != EndReason::EventLoopCompleted)
    }

    /// Notes that the client left, or was told that the answer comes too late.
    pub(crate) fn client_left(&self) {
        self.0.has_client_left.store(true, Relaxed);
    }

    /// Whether the instance failed because its client left. A guest without a client finds that it
    /// cannot write its answer, and many guests then give up (W03).
    pub(crate) fn is_caused_by_client(&self, reason: EndReason) -> bool {
        reason == EndReason::UncaughtException && self.0.has_client_left.load(Relaxed)
    }

    /// The answer for an instance that ended without one.
    pub(crate) fn error(&self) -> HostError {
        match self.0.end.get().map(|end| end.reason) {
            Some(EndReason::BootFailure) => HostError::Boot,
            Some(EndReason::CpuTime | EndReason::Memory | EndReason::WallClockTime) => {
                HostError::ResourceLimit
            }
            Some(EndReason::NodeMemory | EndReason::TerminationRequested) => HostError::Busy,
            Some(EndReason::EventLoopCompleted | EndReason::UncaughtException) => HostError::Worker,
            None => HostError::Internal,
        }
    }

    pub(crate) fn set(&self, reason: EndReason, has_open_body: bool) {
        // The first reason is the true one.
        let _ = self.0.end.set(End { reason, has_open_body });
    }
}

/// Sets the outcome if the task is dropped half-way.
pub(crate) struct OutcomeGuard(pub(crate) InvocationOutcome);

impl Drop for OutcomeGuard {
    fn drop(&mut self) {
        self.0.set(EndReason::TerminationRequested, true);
    }
}
