//! How an instance ended, and what that is on the wire (CONTRACT.md W06, E03).

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use crate::{HostError, logs::Source};

/// The setting of the memory of all functions, as people are told of it.
pub(crate) const NODE_MEMORY: &str = "`memory` of [edge_runtime] in banyan.toml";

/// Why an instance is gone, in the words of CONTRACT.md W06.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    EventLoopCompleted,
    BootFailure,
    UncaughtException,
    CpuTime,
    Memory,
    /// Not its own limit: the node had no more.
    NodeMemory,
    WallClockTime,
    TerminationRequested,
}

impl Reason {
    /// The setting that decides on it, as people are told of it; that of the node where it allows an instance less memory than
    /// the function's own.
    pub(crate) fn setting(self, source: &Source, is_bounded_by_node: bool) -> Option<String> {
        match self {
            Self::CpuTime => Some(source.setting("cpu_ms")),
            Self::Memory if is_bounded_by_node => Some(NODE_MEMORY.to_owned()),
            Self::Memory => Some(source.setting("memory_mb")),
            Self::NodeMemory => Some(NODE_MEMORY.to_owned()),
            Self::WallClockTime => Some(source.setting("wall_clock")),
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
struct Ended {
    reason: Reason,
    body_open: bool,
}

/// How an instance ended, known before its store is gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ending(Arc<State>);

#[derive(Debug, Default)]
struct State {
    ended: OnceLock<Ended>,
    /// Nobody waits for the answer, or for the rest of it, any more.
    is_left: AtomicBool,
}

impl Ending {
    /// Whether the instance ended by a failure while it still had a body to write.
    pub(crate) fn cut_the_body(&self) -> bool {
        self.0.ended.get().is_some_and(|ended| ended.body_open && ended.reason != Reason::EventLoopCompleted)
    }

    /// Notes that the client left, or was told that the answer comes too late.
    pub(crate) fn client_left(&self) {
        self.0.is_left.store(true, Relaxed);
    }

    /// Whether that is why the instance failed: a guest whose client is gone finds that its answer
    /// cannot be written, and many give up then (W03).
    pub(crate) fn is_of_client(&self, reason: Reason) -> bool {
        reason == Reason::UncaughtException && self.0.is_left.load(Relaxed)
    }

    /// The answer for an instance that ended without one.
    pub(crate) fn error(&self) -> HostError {
        match self.0.ended.get().map(|ended| ended.reason) {
            Some(Reason::BootFailure) => HostError::Boot,
            Some(Reason::CpuTime | Reason::Memory | Reason::WallClockTime) => HostError::ResourceLimit,
            Some(Reason::NodeMemory | Reason::TerminationRequested) => HostError::Busy,
            Some(Reason::EventLoopCompleted | Reason::UncaughtException) => HostError::Worker,
            None => HostError::Internal,
        }
    }

    pub(crate) fn set(&self, reason: Reason, body_open: bool) {
        // The first reason is the true one.
        let _ = self.0.ended.set(Ended { reason, body_open });
    }
}

/// Marks the ending when the task is dropped in the middle.
pub(crate) struct Unfinished(pub(crate) Ending);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.set(Reason::TerminationRequested, true);
    }
}
