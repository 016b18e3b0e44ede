//! Lines that functions write, and lines of the platform about functions.

/// The output streams of an instance.
mod lines;

/// The log of one invocation.
mod invocation_log;

/// Lines of the platform outside of requests.
mod platform_log;

/// The newest lines of all functions.
pub(crate) mod log_buffer;

/// How many lines are logged.
mod rate_limits;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use invocation_log::{InvocationLog, Shortage};
pub(crate) use lines::Lines;
pub(crate) use platform_log::PlatformLog;
pub(crate) use rate_limits::LogRateLimits;

/// Locks a buffer. A panic while a line is written leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
