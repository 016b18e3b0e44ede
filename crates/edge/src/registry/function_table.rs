//! The functions by name. The map is swapped whole, so that a request keeps the entry that it
//! began with.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use arc_swap::ArcSwap;
use banyan_config::Function;

use super::entry::{Code, Entry};
use crate::HostError;

/// The functions by name.
#[derive(Default)]
pub(crate) struct FunctionTable {
    functions: ArcSwap<BTreeMap<String, Entry>>,
    changing: Mutex<()>,
}

/// The right to change the table. One holder at a time has it.
pub(super) struct TableChange<'a> {
    table: &'a FunctionTable,
    _lock: MutexGuard<'a, ()>,
}

impl FunctionTable {
    /// What the name stands for now.
    pub(crate) fn find(&self, name: &str) -> Option<Entry> {
        self.functions.load().get(name).cloned()
    }

    /// The policy and the code of a function. Each request asks for them, so nothing else is
    /// cloned.
    pub(crate) fn lookup(&self, name: &str) -> Option<(Arc<Function>, Code)> {
        self.functions.load().get(name).map(|entry| (Arc::clone(&entry.policy), entry.code.clone()))
    }

    /// Whether a function can be called without waiting for a compilation.
    pub(crate) fn is_ready(&self, name: &str) -> bool {
        self.functions.load().get(name).is_none_or(|entry| !matches!(entry.code, Err(HostError::NotReady)))
    }

    /// Every function.
    pub(crate) fn all(&self) -> Arc<BTreeMap<String, Entry>> {
        self.functions.load_full()
    }

    /// How many functions can be called.
    pub(crate) fn callable(&self) -> usize {
        self.functions.load().values().filter(|entry| entry.code.is_ok()).count()
    }

    /// The functions whose component cannot be loaded.
    pub(crate) fn broken(&self) -> Vec<String> {
        let functions = self.functions.load();
        let broken =
            functions.iter().filter(|(_, entry)| entry.code.as_ref().is_err_and(|answer| answer.is_broken()));
        broken.map(|(name, _)| name.clone()).collect()
    }

    /// How many components are to be compiled before they are served.
    pub(crate) fn pending(&self) -> usize {
        self.functions.load().values().filter(|entry| entry.pending.is_some()).count()
    }

    /// Waits until nobody else changes the table. A change that panicked left it whole.
    pub(super) fn change(&self) -> TableChange<'_> {
        let lock = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        TableChange { table: self, _lock: lock }
    }
}

impl TableChange<'_> {
    /// Gives the name another meaning, or none.
    pub(super) fn set(&self, name: &str, entry: Option<Entry>) {
        self.table.functions.rcu(|functions| {
            let mut next = BTreeMap::clone(functions);
            match &entry {
                Some(entry) => next.insert(name.to_owned(), entry.clone()),
                None => next.remove(name),
            };
            next
        });
    }
}
