//! The locks that put changes in order. Changes of one function run one after another, in the order
//! in which they were asked for: a function that is deployed, compiled for long and then deleted is
//! gone. Changes of different functions wait for each other only while one is activated.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

/// A lock for each function, and one for activations.
#[derive(Default)]
pub(crate) struct ChangeLocks {
    functions: Mutex<BTreeMap<String, Arc<Queue<()>>>>,
    activation: Mutex<()>,
}

/// The right to change some functions, until it is dropped.
pub(crate) struct ChangeGuard {
    _locks: Vec<OwnedMutexGuard<()>>,
}

impl ChangeLocks {
    /// Waits until earlier changes of these functions are done. Dropping the future gives up the
    /// place in the queue.
    pub(crate) async fn lock(&self, functions: impl IntoIterator<Item = String>) -> ChangeGuard {
        // All callers lock in the same order, so that no two wait for each other.
        let functions: BTreeSet<String> = functions.into_iter().collect();
        let mut locks = Vec::new();
        for function in functions {
            locks.push(self.of(function).lock_owned().await);
        }
        ChangeGuard { _locks: locks }
    }

    /// The right to activate a change, so that each change finds what the one before it made of the
    /// functions. Whatever has to be compiled is compiled before, so that no activation waits for
    /// the compilation of another function.
    pub(crate) fn activation(&self) -> MutexGuard<'_, ()> {
        self.activation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, function: String) -> Arc<Queue<()>> {
        let mut all = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        // Locks that nobody uses any more.
        all.retain(|_, queue| Arc::strong_count(queue) > 1);
        Arc::clone(all.entry(function).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    // rows: G10
    #[test]
    fn changes_of_a_function_wait_for_each_other_and_for_no_other() {
        let locks = ChangeLocks::default();
        let both = locks.lock(names(&["b", "a", "b"])).now_or_never().expect("nobody changes them");
        assert!(locks.lock(names(&["c"])).now_or_never().is_some());
        let mut second = Box::pin(locks.lock(names(&["a"])));
        let mut third = Box::pin(locks.lock(names(&["a"])));
        assert!(second.as_mut().now_or_never().is_none() && third.as_mut().now_or_never().is_none());
        drop(both);
        assert!(third.as_mut().now_or_never().is_none(), "the one before it has its turn");
        drop(second.as_mut().now_or_never().expect("its turn"));
        drop(third.as_mut().now_or_never().expect("its turn"));
        drop(locks.lock(names(&["x"])).now_or_never());
        assert_eq!(locks.functions.lock().unwrap().len(), 1, "nothing is kept of those that are done");
    }
}
