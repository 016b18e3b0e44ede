//! Whose turn it is to be compiled. One compilation keeps all processors busy, so there is one at a time; a component that is
//! smaller than what is being compiled may begin beside it, so that one waits for one larger one at most.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Compilations at a time.
const AT_ONCE: usize = 2;

/// What is being compiled, and the bytes of each component.
#[derive(Default)]
pub(crate) struct Turns(Mutex<BTreeMap<String, u64>>);

/// The right to compile a function, until it is dropped, by a panic as well.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    pub(crate) function: String,
}

impl Turns {
    /// The turn of the smallest component of those that wait, each told by its function and bytes; nothing where that has to
    /// wait for what is being compiled. `waiting` is asked once what ended before has told of it.
    pub(crate) fn next(&self, waiting: impl FnOnce() -> Vec<(String, u64)>) -> Option<Turn<'_>> {
        let mut compiling = self.lock();
        let open = waiting().into_iter().filter(|(function, _)| !compiling.contains_key(function));
        let (function, bytes) = open.min_by_key(|(_, bytes)| *bytes)?;
        if compiling.len() >= AT_ONCE || compiling.values().any(|before| *before <= bytes) {
            return None;
        }
        compiling.insert(function.clone(), bytes);
        Some(Turn { turns: self, function })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
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
        turns.next(|| waiting.iter().map(|(function, bytes)| ((*function).to_owned(), *bytes)).collect())
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
