//! What is told of a function: its own lines, and what the platform says of its invocations.

/// What an instance writes.
mod lines;

/// Whose lines they are, and what the platform says.
mod source;

/// How many of them are told of.
mod budget;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use budget::LineBudget;
pub(crate) use lines::Lines;
pub(crate) use source::{Lack, Source};

/// A panic while writing a line leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
