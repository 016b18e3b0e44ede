//! Name to policy and prepared component (functions.md F02, F05, W01, G05).
//!
//! The map is swapped whole; a request keeps the version it began with. A broken component leaves the running version
//! in place, or answers with what is wrong where there is none. What has changed is in effect at once, save for components
//! that are to be compiled first: that is done beside, in `turns`.

use std::{
    collections::BTreeMap,
    fs, io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use banyan_config::{Config, Function, OutboundHost};
use banyan_identity::{Clock, Keyring};
use secrecy::SecretString;
use time::OffsetDateTime;
use tokio::sync::{Semaphore, watch};
use wasmtime::{
    Engine,
    component::{Component, Linker},
};
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use crate::{
    HostError,
    artefact::Artefact,
    book::{Book, Event, Facts, Level, Line},
    cache::{Cache, Reserved},
    compiler::Deployments,
    environment::Keys,
    error::LoadError,
    host::Host,
    logs::LineBudget,
    memory,
    order::Order,
    origin::{FileStamp, Origin, Stamp, is_typescript, is_valid_name},
    secrets::SecretFile,
    settings::{Session, Settings},
    shelf::{Deployed, Shelf, Version},
    threads::Habit,
    turns::{Turn, Turns, Waiting},
};

/// A function ready to run.
pub(crate) struct Prepared {
    pub(crate) name: Arc<str>,
    pub(crate) policy: Arc<Function>,
    pub(crate) pre: ProxyPre<Host>,
    pub(crate) environment: Arc<[(String, SecretString)]>,
    pub(crate) keys: Keys,
    pub(crate) hosts: Arc<[OutboundHost]>,
    pub(crate) permits: Arc<Semaphore>,
    /// Requests that wait for a permit.
    pub(crate) waiting: AtomicUsize,
    /// Its part in the memory of all.
    pub(crate) memory: memory::Portion,
    /// How much CPU time its requests took lately.
    pub(crate) habit: Arc<Habit>,
    pub(crate) log_budget: Arc<LineBudget>,
}

impl Prepared {
    /// The largest memory of one instance, in bytes.
    pub(crate) fn most_memory(&self) -> usize {
        ((self.policy.memory_mb as usize) << 20).min(self.memory.most())
    }
}

/// What a name stands for.
#[derive(Clone)]
pub(crate) struct Entry {
    stamp: Stamp,
    pub(crate) policy: Arc<Function>,
    /// What is wrong, when the component cannot be loaded and no version before it could.
    pub(crate) code: Result<Arc<Prepared>, HostError>,
    pub(crate) deployed: Option<Arc<Deployed>>,
    /// Digest of the component that the code was made of.
    pub(crate) digest: Option<Arc<str>>,
    /// A component that is to be compiled before it takes its place.
    next: Option<Next>,
    /// When this was found.
    pub(crate) since: OffsetDateTime,
}

impl Entry {
    /// The version whose code this is; none for a component that was built on the spot.
    pub(crate) fn version(&self) -> Option<&Version> {
        self.deployed.as_ref()?.of_digest(self.digest.as_deref()?)
    }

    /// Whether there is more of it than a name: a place for its component, or versions.
    pub(crate) fn is_there(&self) -> bool {
        self.component().is_some() || self.deployed.is_some()
    }

    /// Where its component lies; nothing for one that has none.
    pub(crate) fn component(&self) -> Option<&Path> {
        match &self.stamp.origin {
            Origin::Component(path) => Some(path),
            Origin::TypeScript | Origin::Nowhere => None,
        }
    }

    /// Whether what is known of its versions could not be read.
    fn lacks_metadata(&self) -> bool {
        matches!(self.code, Err(HostError::Metadata))
    }

    /// Whether nothing else would be found in the same file.
    fn is_judged(&self) -> bool {
        match &self.code {
            Ok(_) | Err(HostError::Boot | HostError::NotReady | HostError::NoCode) => true,
            Err(_) => false,
        }
    }

    /// Whether its code is a version of which nothing is known any more: its policy has gone, so it must not go on.
    fn is_of_gone_version(&self, deployed: Option<&Deployed>) -> bool {
        let is_known = |version: &Version| deployed.is_some_and(|it| it.of_digest(&version.sha256).is_some());
        self.version().is_some_and(|version| !is_known(version))
    }

    /// Whether the same component is to be compiled as it was then.
    fn waits_as(&self, then: &Self) -> bool {
        self.next.is_some() && self.next == then.next && self.stamp.file == then.stamp.file
    }

    fn code_that_goes_on(self) -> Option<(ProxyPre<Host>, Option<Arc<str>>)> {
        Some((self.code.ok()?.pre.clone(), self.digest))
    }
}

/// A component that is to be compiled, as it was when its policy was judged.
#[derive(Clone, PartialEq, Eq)]
struct Next {
    path: PathBuf,
    digest: Arc<str>,
}

/// What is found of a component: code, the digest of what it was made of, and what is to be compiled to take its place.
struct Found {
    code: Result<ProxyPre<Host>, HostError>,
    digest: Option<Arc<str>>,
    next: Option<Next>,
}

impl Found {
    fn none(answer: HostError) -> Self {
        Self { code: Err(answer), digest: None, next: None }
    }

    /// The same as before.
    fn of(old: Entry) -> Self {
        Self { code: old.code.map(|prepared| prepared.pre.clone()), digest: old.digest, next: old.next }
    }
}

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
        fs::create_dir_all(&components)?;
        Ok(Self {
            functions: ArcSwap::default(),
            settings: ArcSwap::from_pointee(Settings::new(config, keyring)),
            configured: watch::Sender::default(),
            keyring: Arc::clone(keyring),
            refreshing: Mutex::new(()),
            order: Order::default(),
            deployments: Deployments::default(),
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
        let mut all: Vec<PathBuf> = elsewhere.map(Path::to_owned).chain([self.components.clone()]).collect();
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

    /// Puts another session of `functions serve` into effect at the next refresh.
    pub(crate) fn set_session(&self, session: Session) {
        self.settings.rcu(|settings| settings.with_session(session.clone()));
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

    /// How many components are to be compiled before they take their place.
    pub(crate) fn to_compile(&self) -> usize {
        self.functions.load().values().filter(|entry| entry.next.is_some()).count()
    }

    /// The functions whose component cannot be loaded.
    pub(crate) fn broken(&self) -> Vec<String> {
        let functions = self.functions.load();
        let broken =
            functions.iter().filter(|(_, entry)| entry.code.as_ref().is_err_and(|answer| answer.is_broken()));
        broken.map(|(name, _)| name.clone()).collect()
    }

    /// Whether all that was found at the start has been compiled.
    pub(crate) fn has_begun(&self) -> bool {
        *self.compiled.borrow()
    }

    /// Waits until nothing is left to be compiled.
    pub(crate) async fn all_compiled(&self) {
        let mut compiled = self.compiled.subscribe();
        while self.to_compile() > 0 && compiled.changed().await.is_ok() {}
    }

    /// Begins nothing more that is to be compiled, so that a stop waits for what is being compiled alone.
    pub(crate) fn stop_compiling(&self) {
        self.stopping.store(true, Relaxed);
    }

    /// Has compiled what waits for it, beside. The next look finds what came of it.
    pub(crate) fn start_compiling(self: &Arc<Self>) {
        if self.to_compile() == 0 {
            return;
        }
        let registry = Arc::clone(self);
        // Nobody waits for it, and it ends once nothing waits for a turn.
        drop(tokio::task::spawn_blocking(move || {
            while let Some(turn) = registry.next_turn() {
                registry.use_turn(turn, Self::compile);
            }
        }));
    }

    fn next_turn(&self) -> Option<Turn<'_>> {
        if self.stopping.load(Relaxed) {
            return None;
        }
        self.turns.next(|| {
            let (functions, settings) = (self.functions.load(), self.settings.load());
            let waiting = functions.iter().filter(|(_, entry)| entry.next.is_some());
            let ranked = waiting.map(|(name, entry)| Waiting {
                function: name.clone(),
                is_hook: settings.is_hook(name),
                bytes: entry.stamp.file.length(),
            });
            ranked.collect()
        })
    }

    /// A panic on the way is this function's failure alone, so that others have their turns.
    fn use_turn(&self, turn: Turn<'_>, compile: impl FnOnce(&Self, &str, &Entry)) {
        if let Some(waiting) = self.find(&turn.function) {
            let compile = || compile(self, &turn.function, &waiting);
            if panic::catch_unwind(AssertUnwindSafe(compile)).is_err() {
                self.give_up(&turn.function, &waiting);
            }
        }
        drop(turn);
        self.note_compiled();
    }

    /// What panicked is not tried again until the component changes; a version that runs goes on.
    fn give_up(&self, name: &str, waiting: &Entry) {
        let _one_at_a_time = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(now) = self.find(name).filter(|now| now.waits_as(waiting)) else { return };
        let error = LoadError::Panicked;
        self.note_failure(name, &error, now.code.is_ok());
        let code = now.code.map_err(|_| error.answer());
        self.publish(name, Some(Entry { code, next: None, ..now }));
    }

    fn note_compiled(&self) {
        let is_all = self.to_compile() == 0;
        self.compiled.send_modify(|has_begun| *has_begun |= is_all);
    }

    /// Puts what is new or changed into effect and forgets what is gone. What has to be compiled first is noted:
    /// [`Self::start_compiling`] is to follow.
    pub(crate) fn look(&self) {
        let _one_at_a_time = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        self.read_secrets();
        let settings = self.settings.load_full();
        let origins = self.origins(&settings);
        let gone: Vec<String> =
            self.functions.load().keys().filter(|name| !origins.contains_key(*name)).cloned().collect();
        for name in gone {
            tracing::info!(function = %name, "the function is gone");
            self.publish(&name, None);
        }
        for (name, origin) in origins {
            self.look_at(&name, origin, &settings);
        }
        self.cache.sweep(&self.engine, &self.components);
        self.note_compiled();
    }

    fn compile(&self, name: &str, waiting: &Entry) {
        let Some(next) = &waiting.next else { return };
        let started = Instant::now();
        let linked = Artefact::read(&self.engine, &next.path, &self.cache).map(|artefact| {
            let linked = artefact.load(&self.engine).and_then(|component| self.link_component(&component));
            (linked, artefact.digest)
        });
        let _one_at_a_time = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        // Another component may have come meanwhile, which has a turn of its own, and other settings, which count.
        let Some(now) = self.find(name).filter(|now| now.waits_as(waiting)) else { return };
        let settings = self.settings.load_full();
        let stamp = now.stamp.clone();
        let found = match linked {
            // Other bytes lie there by now, and another policy may belong to them.
            Ok((_, digest)) if digest != next.digest => {
                let origin = stamp.origin.clone();
                let stamp = Stamp { file: FileStamp::NONE, ..stamp };
                self.publish(name, Some(Entry { stamp, next: None, ..now }));
                return self.look_at(name, origin, &settings);
            }
            Ok((Ok(pre), digest)) => self.ready(name, pre, digest, started),
            Ok((Err(error), digest)) => self.failed(name, &error, Some(digest), Some(now)),
            Err(error) => self.failed(name, &error, None, Some(now)),
        };
        self.settle(name, stamp, found, &settings);
        self.cache.sweep(&self.engine, &self.components);
    }

    /// Another configuration or session may come at the same time, and stays.
    fn read_secrets(&self) {
        match self.secrets.read() {
            Ok(read) => {
                self.settings.rcu(|settings| match settings.with_secrets(&read) {
                    Some(changed) => Arc::new(changed),
                    None => Arc::clone(settings),
                });
            }
            Err(error) => {
                tracing::error!(error = %error, "the secrets cannot be read; those known before stay");
            }
        }
    }

    /// Name and origin of every enabled function.
    fn origins(&self, settings: &Settings) -> BTreeMap<String, Origin> {
        let folder = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
        let of_deno = folder(&settings.functions).filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            (is_valid_name(&name) && is_typescript(&entry.path())).then_some((name, Origin::TypeScript))
        });
        let configured = settings.policies().map(|(name, _)| (name.clone(), Origin::Nowhere));
        let mut all: BTreeMap<String, Origin> = configured.chain(of_deno).collect();
        all.extend(folder(&self.components).filter_map(|file| {
            let path = file.path();
            let name = path.file_name()?.to_str()?.strip_suffix(".wasm")?.to_owned();
            is_valid_name(&name).then_some((name, Origin::Component(path)))
        }));
        let elsewhere = settings.policies().filter_map(|(name, policy)| {
            let component = policy.component.clone().filter(|path| !path.is_dir())?;
            (!self.shelf.has(name)).then(|| (name.clone(), Origin::Component(component)))
        });
        all.extend(elsewhere);
        all.retain(|name, _| !settings.is_disabled(name));
        all
    }

    /// Puts what can be known at once of a function into effect, and notes whether its component is to be compiled.
    fn look_at(&self, name: &str, origin: Origin, settings: &Settings) {
        let deployed = match self.shelf.find(name) {
            Ok(deployed) => deployed.map(Arc::new),
            Err(error) => return self.metadata_failed(name, origin, settings, error),
        };
        let file = FileStamp::of(&origin);
        let stamp = Stamp { file, origin, revision: settings.revision, deployed };
        let old = self.find(name);
        if old.as_ref().is_some_and(|old| old.stamp == stamp && !old.lacks_metadata()) {
            return;
        }
        let old = old.filter(|old| !old.is_of_gone_version(stamp.deployed.as_deref()));
        let found = match (&stamp.origin, old) {
            (Origin::Nowhere, _) => Found::none(HostError::NoCode),
            (Origin::TypeScript, _) => Found::none(HostError::Entrypoint),
            (_, Some(old)) if old.stamp.file == file && old.is_judged() => Found::of(old),
            (Origin::Component(path), old) => self.open(name, path, old),
        };
        self.settle(name, stamp, found, settings);
    }

    /// What is found of a component without compiling it.
    fn open(&self, name: &str, path: &Path, old: Option<Entry>) -> Found {
        let started = Instant::now();
        let artefact = match Artefact::read(&self.engine, path, &self.cache) {
            Ok(artefact) => artefact,
            Err(error) => return self.failed(name, &error, None, old),
        };
        let digest = Arc::clone(&artefact.digest);
        let Some(component) = artefact.compiled(&self.engine) else {
            let kept = old.and_then(Entry::code_that_goes_on);
            let next = Some(Next { path: path.to_owned(), digest: Arc::clone(&digest) });
            let (code, digest) =
                kept.map_or((Err(HostError::NotReady), Some(digest)), |(pre, digest)| (Ok(pre), digest));
            return Found { code, digest, next };
        };
        match self.link_component(&component) {
            Ok(pre) => self.ready(name, pre, digest, started),
            Err(error) => self.failed(name, &error, Some(digest), old),
        }
    }

    fn ready(&self, name: &str, pre: ProxyPre<Host>, digest: Arc<str>, started: Instant) -> Found {
        self.note_ready(name, started.elapsed());
        Found { code: Ok(pre), digest: Some(digest), next: None }
    }

    /// After a failure the version that runs goes on.
    fn failed(&self, name: &str, error: &LoadError, digest: Option<Arc<str>>, old: Option<Entry>) -> Found {
        let answer = error.answer();
        let kept = old.filter(|_| answer != HostError::NoCode).and_then(Entry::code_that_goes_on);
        self.note_failure(name, error, kept.is_some());
        let (code, digest) = kept.map_or((Err(answer), digest), |(pre, digest)| (Ok(pre), digest));
        Found { code, digest, next: None }
    }

    /// Publishes what was found. Code that goes on, because what should take its place cannot be loaded or is not compiled
    /// yet, does so under its own policy.
    fn settle(&self, name: &str, stamp: Stamp, found: Found, settings: &Settings) {
        let Found { code, digest, next } = found;
        let deployed = stamp.deployed.clone();
        let known = deployed.as_ref().zip(digest.as_deref());
        let version = known.and_then(|(known, digest)| known.of_digest(digest));
        let policy = settings.policy(name, version.and_then(|version| version.verify_jwt));
        let number = version.map_or(0, |version| version.version);
        let code = code.map(|pre| Arc::new(self.assemble(name, number, &policy, pre, settings)));
        let since = self.clock.now();
        self.publish(name, Some(Entry { stamp, policy, code, deployed, digest, next, since }));
    }

    /// Compiles a component for who deploys it, or maps what was compiled before, and checks what it imports and exports. To
    /// be called where the runtime lets threads wait.
    pub(crate) fn link(&self, path: &Path) -> Result<(), LoadError> {
        self.link_artefact(&Artefact::read(&self.engine, path, &self.cache)?)
    }

    /// The same with one that lies nowhere yet, so that there is nothing to wait for once it does: its code stays while what
    /// is returned is held.
    pub(crate) fn link_bytes(&self, component: &[u8]) -> Result<Reserved<'_>, LoadError> {
        let (artefact, reserved) = Artefact::of_bytes(&self.engine, component, &self.cache);
        self.link_artefact(&artefact).map(|()| reserved)
    }

    fn link_artefact(&self, artefact: &Artefact<'_>) -> Result<(), LoadError> {
        let component = match artefact.compiled(&self.engine) {
            Some(component) => component,
            None => self.deployments.compile(|| artefact.load(&self.engine))?,
        };
        self.link_component(&component).map(drop)
    }

    fn link_component(&self, component: &Component) -> Result<ProxyPre<Host>, LoadError> {
        self.linker.instantiate_pre(component).and_then(ProxyPre::new).map_err(LoadError::Link)
    }

    fn assemble(
        &self,
        name: &str,
        version: u32,
        policy: &Arc<Function>,
        pre: ProxyPre<Host>,
        settings: &Settings,
    ) -> Prepared {
        Prepared {
            name: name.into(),
            environment: settings.variables(name, version, policy).into(),
            keys: settings.environment.keys(),
            hosts: policy.outbound_hosts.clone().into(),
            permits: Arc::new(Semaphore::new(policy.concurrency as usize)),
            waiting: AtomicUsize::new(0),
            memory: self.memory.portion(),
            habit: Arc::default(),
            log_budget: LineBudget::new(),
            policy: Arc::clone(policy),
            pre,
        }
    }

    fn metadata_failed(&self, name: &str, origin: Origin, settings: &Settings, error: io::Error) {
        let (file, revision) = (FileStamp::of(&origin), settings.revision);
        let stamp = Stamp { file, origin, revision, deployed: None };
        if self.find(name).is_some_and(|old| old.stamp == stamp && old.lacks_metadata()) {
            return;
        }
        self.note_failure(name, &LoadError::Metadata(error), false);
        let policy = settings.policy(name, None);
        let code = Err(HostError::Metadata);
        let since = self.clock.now();
        let entry = Entry { stamp, policy, code, deployed: None, digest: None, next: None, since };
        self.publish(name, Some(entry));
    }

    fn note_ready(&self, name: &str, took: Duration) {
        let boot_time_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(function = name, duration_ms = boot_time_ms, "the function is ready");
        let facts = Facts { boot_time_ms: Some(boot_time_ms), ..Facts::default() };
        let message = format!("ready after {boot_time_ms} ms");
        self.note(name, (Level::Info, Event::Boot), message, facts);
    }

    fn note_failure(&self, name: &str, error: &LoadError, kept: bool) {
        let source = std::error::Error::source(error).map(ToString::to_string);
        tracing::error!(function = name, error = %error, source, running_version_kept = kept, "the function cannot be loaded");
        self.note(name, (Level::Error, Event::BootFailure), error.to_string(), Facts::default());
    }

    /// Keeps a line that belongs to no request.
    fn note(&self, name: &str, (level, event): (Level, Event), message: String, facts: Facts) {
        self.book.add(Line {
            id: 0,
            timestamp: self.clock.now(),
            function: name.into(),
            level,
            event,
            message,
            request_id: None,
            execution_id: None,
            facts,
        });
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use banyan_config::Environment;
    use banyan_testkit::components::with_modules;

    use super::*;
    use crate::{engine, host};

    /// A registry that has looked at these components, each with its number of modules, and has compiled none.
    fn looked(toml: &str, components: &[(&str, usize)]) -> (tempfile::TempDir, Arc<Registry>) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("supabase")).unwrap();
        fs::write(folder.path().join("supabase/config.toml"), toml).unwrap();
        let home = folder.path().join("state");
        let environment = Environment::of([("BANYAN_HOME", home.to_str().unwrap())]);
        let config = banyan_config::load(folder.path(), environment, 0).unwrap().config;
        let keyring = Arc::new(Keyring::new(&config.keys).unwrap());
        let engine = engine::start().unwrap();
        let linker = host::linker(&engine).unwrap();
        let memory = Arc::new(memory::Budget::new(None));
        let registry = Registry::new(&config, &keyring, (engine, linker), memory).unwrap();
        for (name, modules) in components {
            let path = config.paths.components().join(format!("{name}.wasm"));
            fs::write(path, with_modules(*modules)).unwrap();
        }
        registry.look();
        (folder, Arc::new(registry))
    }

    #[test]
    fn functions_boot_error_a_panic_on_the_way_to_code_is_one_functions_failure_and_is_not_tried_again() {
        let (_folder, registry) = looked("", &[("small", 1), ("large", 9)]);
        let turn = registry.next_turn().expect("something waits");
        assert_eq!(turn.function, "small");
        registry.use_turn(turn, |registry, name, _| {
            let _one_at_a_time = registry.refreshing.lock();
            panic!("{name} as it is settled");
        });
        let answer = registry.find("small").unwrap().code.map(drop);
        assert_eq!((answer, registry.to_compile()), (Err(HostError::Boot), 1));
        assert!(!registry.has_begun());
        registry.look();
        let turn = registry.next_turn().expect("the other one waits");
        assert_eq!(turn.function, "large");
        registry.use_turn(turn, Registry::compile);
        assert!(registry.find("large").unwrap().next.is_none() && registry.has_begun());
    }

    #[test]
    fn functions_function_not_ready_what_a_hook_of_auth_names_is_compiled_before_others() {
        let toml = "[auth.hook.send_email]\nenabled = true\nuri = \"functions:///mailer\"\n";
        let (_folder, registry) = looked(toml, &[("small", 1), ("mailer", 9)]);
        assert_eq!(registry.next_turn().expect("something waits").function, "mailer");
    }
}
