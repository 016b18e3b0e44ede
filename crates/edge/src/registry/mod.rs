//! Name to policy and prepared component (CONTRACT.md F02, F05, W01, G05).
//!
//! The map is swapped whole; a request keeps the version it began with. A broken component leaves the running version
//! in place, or answers with what is wrong where there is none. What has changed is in effect at once, save for components
//! that are to be compiled first: that is done beside, in `turns`.

/// What a name stands for.
mod entry;

/// What lies there.
mod look;

/// What takes its place.
mod settle;

/// What is compiled beside.
mod compiling;

/// What is deployed.
mod linking;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    time::Duration,
};

use arc_swap::ArcSwap;
use banyan_config::{Config, Function};
use banyan_identity::{Clock, Keyring};
use tokio::sync::watch;
use wasmtime::{Engine, component::Linker};

pub(crate) use entry::{Code, Entry, Prepared};

use crate::{
    HostError,
    book::Book,
    cache::Cache,
    compiler::Deployments,
    files::make_private,
    host::Host,
    memory,
    order::Order,
    origin,
    secrets::SecretFile,
    settings::{Session, Settings},
    shelf::Shelf,
    turns::Turns,
};

/// The functions of the project.
pub(crate) struct Registry {
    functions: ArcSwap<BTreeMap<String, Entry>>,
    settings: ArcSwap<Settings>,
    configured: watch::Sender<()>,
    keyring: Arc<Keyring>,
    refreshing: Mutex<()>,
    /// Whose turn it is to change a function.
    pub(crate) order: Order,
    turns: Turns,
    deployments: Deployments,
    /// How many sessions of `functions serve` were set; held while one takes the place of another.
    sessions: Mutex<u64>,
    stopping: AtomicBool,
    /// Told of every component that has been compiled; whether all that were found at the start have been.
    compiled: watch::Sender<bool>,
    engine: Engine,
    linker: Linker<Host>,
    components: PathBuf,
    cache: Cache,
    clock: Clock,
    memory: Arc<memory::Budget>,
    pub(crate) shelf: Shelf,
    pub(crate) secrets: SecretFile,
    pub(crate) book: Arc<Book>,
}

impl Registry {
    pub(crate) fn new(
        config: &Config,
        keyring: &Arc<Keyring>,
        (engine, linker): (Engine, Linker<Host>),
        memory: Arc<memory::Budget>,
    ) -> io::Result<Self> {
        let components = config.paths.components();
        // Whoever can put a component there runs it with the project's keys.
        make_private(&components)?;
        Ok(Self {
            functions: ArcSwap::default(),
            settings: ArcSwap::from_pointee(Settings::new(config, keyring)),
            configured: watch::Sender::default(),
            keyring: Arc::clone(keyring),
            refreshing: Mutex::new(()),
            order: Order::default(),
            deployments: Deployments::default(),
            sessions: Mutex::new(0),
            stopping: AtomicBool::new(false),
            turns: Turns::default(),
            compiled: watch::Sender::new(false),
            engine,
            linker,
            shelf: Shelf::new(&components),
            secrets: SecretFile::new(&components),
            book: Book::new(),
            clock: Clock::system(),
            cache: Cache::new(components.join("compiled")),
            memory,
            components,
        })
    }

    /// What the name stands for now.
    pub(crate) fn find(&self, name: &str) -> Option<Entry> {
        self.functions.load().get(name).cloned()
    }

    /// The policy and the code of a function that is called, and no more: each request asks for them.
    pub(crate) fn called(&self, name: &str) -> Option<(Arc<Function>, Code)> {
        self.functions.load().get(name).map(|entry| (Arc::clone(&entry.policy), entry.code.clone()))
    }

    /// Whether a function need not be compiled before it can be called.
    pub(crate) fn is_ready(&self, name: &str) -> bool {
        self.functions.load().get(name).is_none_or(|entry| !matches!(entry.code, Err(HostError::NotReady)))
    }

    /// Every function there is.
    pub(crate) fn all(&self) -> Arc<BTreeMap<String, Entry>> {
        self.functions.load_full()
    }

    /// Folders whose changes matter: that of the components, and those of prebuilt ones elsewhere.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let settings = self.settings.load();
        let elsewhere = settings.policies().filter_map(|(_, policy)| policy.component.as_deref()?.parent());
        let all = elsewhere.map(Path::to_owned).chain([self.components.clone()]);
        let all = all.chain(origin::folders_of_sources(&settings.functions));
        let mut all: Vec<PathBuf> = all.collect();
        all.sort();
        all.dedup();
        all
    }

    /// The policy of a function whose version has this word of its own.
    pub(crate) fn policy(&self, name: &str, verify_jwt: Option<bool>) -> Arc<Function> {
        self.settings.load().policy(name, verify_jwt)
    }

    /// Functions that have a schedule.
    pub(crate) fn scheduled(&self) -> Vec<String> {
        let settings = self.settings.load();
        let policies = settings.policies().map(|(name, _)| name);
        policies.filter(|name| settings.schedule(name).is_some()).cloned().collect()
    }

    /// How often a function is called by the stack itself.
    pub(crate) fn schedule(&self, name: &str) -> Option<Duration> {
        self.settings.load().schedule(name)
    }

    /// Tells of each configuration that comes after this call.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.configured.subscribe()
    }

    /// Puts another session of `functions serve` into effect at the next refresh; its number, and whether it says anything
    /// else than the one before.
    pub(crate) fn set_session(&self, session: &Session) -> (u64, bool) {
        let mut number = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        (*number, self.replace_session(session))
    }

    /// Ends a session unless another one was set since; tells whether it did, which the next refresh puts into effect.
    pub(crate) fn end_session(&self, number: u64) -> bool {
        let newest = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        *newest == number && self.replace_session(&Session::default())
    }

    fn replace_session(&self, session: &Session) -> bool {
        let changes = !self.settings.load().session.says(session);
        if changes {
            self.settings.rcu(|settings| settings.with_session(session.clone()));
        }
        changes
    }

    /// Puts another configuration into effect at the next refresh.
    pub(crate) fn set_config(&self, config: &Config) {
        self.settings.rcu(|settings| settings.with_config(config, &self.keyring));
        self.configured.send_replace(());
    }

    /// Changes what lies on the shelf in one step: no refresh sees a part of it.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&Shelf) -> T) -> T {
        let _one_at_a_time = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        change(&self.shelf)
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

    fn publish(&self, name: &str, entry: Option<Entry>) {
        self.cache.note_change();
        self.functions.rcu(|functions| {
            let mut next = BTreeMap::clone(functions);
            match &entry {
                Some(entry) => next.insert(name.to_owned(), entry.clone()),
                None => next.remove(name),
            };
            next
        });
    }
}
