//! Whose turn it is to be compiled: first what a hook of auth names, since sign-ins wait for it, then the smallest. One
//! compilation keeps all processors busy, so there is one at a time; a hook may begin beside what is none, and a component beside
//! a larger one, also before a hook that has to wait. So while it is alone, a larger one keeps no smaller one waiting.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Compilations at a time.
const AT_ONCE: usize = 2;

/// What is being compiled, by its function.
#[derive(Default)]
pub(crate) struct Turns(Mutex<BTreeMap<String, Rank>>);

/// What decides on a turn.
#[derive(Clone, Copy)]
struct Rank {
    is_hook: bool,
    bytes: u64,
}

/// A function whose component is to be compiled.
pub(crate) struct Waiting {
    pub(crate) function: String,
    /// Whether auth asks it before it acts.
    pub(crate) is_hook: bool,
    /// Bytes of the component.
    pub(crate) bytes: u64,
}

impl Rank {
    fn of(waiting: &Waiting) -> Self {
        Self { is_hook: waiting.is_hook, bytes: waiting.bytes }
    }

    fn may_begin_beside(self, compiling: Self) -> bool {
        self.bytes < compiling.bytes || (self.is_hook && !compiling.is_hook)
    }
}

/// The right to compile a function, until it is dropped, by a panic as well.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    pub(crate) function: String,
}

impl Turns {
    /// The turn of the first of those that may begin; nothing where all have to wait for what is being compiled. `waiting` is
    /// asked once what ended before has told of it.
    pub(crate) fn next(&self, waiting: impl FnOnce() -> Vec<Waiting>) -> Option<Turn<'_>> {
        let mut compiling = self.lock();
        let may_begin = |waiting: &Waiting| {
            let rank = Rank::of(waiting);
            compiling.len() < AT_ONCE
                && !compiling.contains_key(&waiting.function)
                && compiling.values().all(|before| rank.may_begin_beside(*before))
        };
        let open = waiting().into_iter().filter(may_begin);
        let first = open.min_by_key(|waiting| (!waiting.is_hook, waiting.bytes))?;
        compiling.insert(first.function.clone(), Rank::of(&first));
        Some(Turn { turns: self, function: first.function })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Rank>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.lock().remove(&self.function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next<'a>(turns: &'a Turns, waiting: &[(&str, u64)]) -> Option<Turn<'a>> {
        let of = |(function, bytes): &(&str, u64)| Waiting {
            function: (*function).to_owned(),
            is_hook: function.starts_with("hook"),
            bytes: *bytes,
        };
        turns.next(|| waiting.iter().map(of).collect())
    }

    #[test]
    fn functions_function_not_ready_a_smaller_component_begins_beside_a_larger_one_and_an_equal_one_waits() {
        let turns = Turns::default();
        let waiting = [("large", 9), ("other", 9), ("small", 2)];
        let small = next(&turns, &waiting).expect("nothing is compiled");
        assert_eq!(small.function, "small");
        assert!(next(&turns, &waiting[..2]).is_none(), "those wait for a smaller one");
        drop(small);
        let large = next(&turns, &waiting[..2]).expect("its turn");
        assert_eq!(large.function, "large");
        assert!(next(&turns, &waiting[..2]).is_none(), "one of them keeps all processors busy");
        let small = next(&turns, &waiting).expect("beside the large one");
        assert!(next(&turns, &[("tiny", 1)]).is_none(), "two are enough");
        drop(small);
        assert!(next(&turns, &[("tiny", 1)]).is_some());
    }

    #[test]
    fn functions_function_not_ready_what_sign_ins_wait_for_begins_first_and_beside_what_nobody_does() {
        let turns = Turns::default();
        let waiting = [("hook", 9), ("hook-too", 8), ("small", 2)];
        let small = next(&turns, &waiting[2..]).expect("nothing is compiled");
        let hook = next(&turns, &waiting).expect("beside the small one");
        assert_eq!(hook.function, "hook-too");
        drop((small, hook));
        let hook = next(&turns, &waiting).expect("nothing is compiled");
        assert_eq!(hook.function, "hook-too");
        assert!(next(&turns, &waiting[..2]).is_none(), "a larger hook waits");
        let small = next(&turns, &waiting).expect("not behind the hook that waits");
        assert_eq!(small.function, "small");
        drop(hook);
        assert_eq!(next(&turns, &waiting[..1]).expect("beside the small one").function, "hook");
    }

    #[test]
    fn functions_function_not_ready_a_compilation_that_panics_gives_its_turn_on() {
        let turns = Turns::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _turn = next(&turns, &[("broken", 1)]).expect("its turn");
            panic!("the compiler");
        }));
        assert!(panicked.is_err());
        assert!(next(&turns, &[("after", 1)]).is_some());
    }
}
