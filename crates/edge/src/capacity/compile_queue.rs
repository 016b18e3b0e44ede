//! Which component is compiled next: first the functions that hooks of auth name, because sign-ins
//! wait for them, then the smallest component.
//!
//! One compilation keeps all processors busy, so normally one runs at a time. Two exceptions: a
//! hook may start beside a function that is no hook, and a smaller component may start beside a
//! larger one, even before a hook that has to wait. So a large component never keeps a smaller
//! one waiting.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Compilations at a time.
const AT_ONCE: usize = 2;

/// What is being compiled, by function.
#[derive(Default)]
pub(crate) struct CompileQueue(Mutex<BTreeMap<String, Priority>>);

/// What decides which component is next.
#[derive(Clone, Copy)]
struct Priority {
    is_hook: bool,
    bytes: u64,
}

/// A function whose component is to be compiled.
pub(crate) struct Candidate {
    pub(crate) function: String,
    /// Whether auth calls it before it acts.
    pub(crate) is_hook: bool,
    /// Bytes of the component.
    pub(crate) bytes: u64,
}

impl Priority {
    fn of(candidate: &Candidate) -> Self {
        Self { is_hook: candidate.is_hook, bytes: candidate.bytes }
    }

    fn may_start_beside(self, compiling: Self) -> bool {
        self.bytes < compiling.bytes || (self.is_hook && !compiling.is_hook)
    }
}

/// The right to compile a function. Dropping this ends it, also when the compiler panics.
pub(crate) struct CompileJob<'a> {
    queue: &'a CompileQueue,
    pub(crate) function: String,
}

impl CompileQueue {
    /// The first candidate that may start now, or nothing. `candidates` is called under the lock:
    /// a job that ended before has already published its result.
    pub(crate) fn next(&self, candidates: impl FnOnce() -> Vec<Candidate>) -> Option<CompileJob<'_>> {
        let mut compiling = self.lock();
        let may_start = |candidate: &Candidate| {
            let priority = Priority::of(candidate);
            compiling.len() < AT_ONCE
                && !compiling.contains_key(&candidate.function)
                && compiling.values().all(|running| priority.may_start_beside(*running))
        };
        let startable = candidates().into_iter().filter(may_start);
        let first = startable.min_by_key(|candidate| (!candidate.is_hook, candidate.bytes))?;
        compiling.insert(first.function.clone(), Priority::of(&first));
        Some(CompileJob { queue: self, function: first.function })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Priority>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CompileJob<'_> {
    fn drop(&mut self) {
        self.queue.lock().remove(&self.function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next<'a>(queue: &'a CompileQueue, waiting: &[(&str, u64)]) -> Option<CompileJob<'a>> {
        let of = |(function, bytes): &(&str, u64)| Candidate {
            function: (*function).to_owned(),
            is_hook: function.starts_with("hook"),
            bytes: *bytes,
        };
        queue.next(|| waiting.iter().map(of).collect())
    }

    // rows: FUNCTION_NOT_READY
    #[test]
    fn a_smaller_component_starts_beside_a_larger_one_and_an_equal_one_waits() {
        let queue = CompileQueue::default();
        let waiting = [("large", 9), ("other", 9), ("small", 2)];
        let small = next(&queue, &waiting).expect("nothing is compiled");
        assert_eq!(small.function, "small");
        assert!(next(&queue, &waiting[..2]).is_none(), "those wait for a smaller one");
        drop(small);
        let large = next(&queue, &waiting[..2]).expect("its turn");
        assert_eq!(large.function, "large");
        assert!(next(&queue, &waiting[..2]).is_none(), "one of them keeps all processors busy");
        let small = next(&queue, &waiting).expect("beside the large one");
        assert!(next(&queue, &[("tiny", 1)]).is_none(), "two are enough");
        drop(small);
        assert!(next(&queue, &[("tiny", 1)]).is_some());
    }

    // rows: FUNCTION_NOT_READY
    #[test]
    fn a_hook_starts_first_and_beside_a_function_that_is_no_hook() {
        let queue = CompileQueue::default();
        let waiting = [("hook", 9), ("hook-too", 8), ("small", 2)];
        let small = next(&queue, &waiting[2..]).expect("nothing is compiled");
        let hook = next(&queue, &waiting).expect("beside the small one");
        assert_eq!(hook.function, "hook-too");
        drop((small, hook));
        let hook = next(&queue, &waiting).expect("nothing is compiled");
        assert_eq!(hook.function, "hook-too");
        assert!(next(&queue, &waiting[..2]).is_none(), "a larger hook waits");
        let small = next(&queue, &waiting).expect("not behind the hook that waits");
        assert_eq!(small.function, "small");
        drop(hook);
        assert_eq!(next(&queue, &waiting[..1]).expect("beside the small one").function, "hook");
    }

    // rows: FUNCTION_NOT_READY
    #[test]
    fn a_compilation_that_panics_lets_the_next_one_start() {
        let queue = CompileQueue::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _job = next(&queue, &[("broken", 1)]).expect("its turn");
            panic!("the compiler");
        }));
        assert!(panicked.is_err());
        assert!(next(&queue, &[("after", 1)]).is_some());
    }
}
