//! Changes of one function come one after another, in the order in which they were asked for: what is deployed, compiled for
//! long and then deleted is gone. Changes of different functions wait for each other only while one is put into effect.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

/// Who waits to change which function.
#[derive(Default)]
pub(crate) struct Order {
    queues: Mutex<BTreeMap<String, Arc<Queue<()>>>>,
    effect: Mutex<()>,
}

/// The right to change some functions, until it is dropped.
pub(crate) struct Changing {
    _held: Vec<OwnedMutexGuard<()>>,
}

impl Order {
    /// Waits until the changes of these functions that were asked for before are done. Dropping the future gives the place
    /// up.
    pub(crate) async fn turn(&self, functions: impl IntoIterator<Item = String>) -> Changing {
        // In an order that is the same for all, so that no two wait for each other.
        let functions: BTreeSet<String> = functions.into_iter().collect();
        let mut held = Vec::new();
        for function in functions {
            held.push(self.of(function).lock_owned().await);
        }
        Changing { _held: held }
    }

    /// The right to put a change into effect, so that each finds what the one before it made of the functions. What is to be
    /// compiled for it is compiled before, so that none waits for the component of another.
    pub(crate) fn effect(&self) -> MutexGuard<'_, ()> {
        self.effect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, function: String) -> Arc<Queue<()>> {
        let mut all = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody changes now.
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

    #[test]
    fn functions_g10_changes_of_a_function_wait_for_each_other_and_for_no_other() {
        let order = Order::default();
        let both = order.turn(names(&["b", "a", "b"])).now_or_never().expect("nobody changes them");
        assert!(order.turn(names(&["c"])).now_or_never().is_some());
        let mut second = Box::pin(order.turn(names(&["a"])));
        let mut third = Box::pin(order.turn(names(&["a"])));
        assert!(second.as_mut().now_or_never().is_none() && third.as_mut().now_or_never().is_none());
        drop(both);
        assert!(third.as_mut().now_or_never().is_none(), "the one before it has its turn");
        drop(second.as_mut().now_or_never().expect("its turn"));
        drop(third.as_mut().now_or_never().expect("its turn"));
        drop(order.turn(names(&["x"])).now_or_never());
        assert_eq!(order.queues.lock().unwrap().len(), 1, "nothing is kept of those that are done");
    }
}
