//! Name to policy and prepared component (functions.md F02, F05, W01, G05).
//!
//! The map is swapped whole; a request keeps the version it began with. A broken component leaves the running version
//! in place, or answers with what is wrong where there is none.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

use arc_swap::ArcSwap;
use banyan_config::{Config, Function, OutboundHost};
use banyan_identity::{Clock, Keyring};
use secrecy::SecretString;
use tokio::sync::{Semaphore, watch};
use wasmtime::{Engine, component::Linker};
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use crate::{
    HostError, artefact,
    book::{Book, Event, Facts, Level, Line},
    cache::Cache,
    environment::Keys,
    error::LoadError,
    host::Host,
    idle::Idle,
    logs::Budget,
    memory,
    origin::{FileStamp, Origin, Stamp, is_typescript, is_valid_name},
    secrets::SecretFile,
    settings::{Session, Settings},
    shelf::{self, Deployed, Shelf, Version},
    threads::Habit,
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
    pub(crate) log_budget: Arc<Budget>,
    /// Instances that may answer once more, where the policy lets them.
    pub(crate) idle: Idle,
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
    /// Digest of the component that the code was made of, for a function that was deployed.
    digest: Option<Arc<str>>,
}

impl Entry {
    /// The version whose code this is; none for a component that was built on the spot.
    pub(crate) fn version(&self) -> Option<&Version> {
        self.deployed.as_ref()?.of_digest(self.digest.as_deref()?)
    }
}

/// Code, and the digest of the component that it was made of.
type Code = (Result<ProxyPre<Host>, HostError>, Option<Arc<str>>);

/// The functions of the project.
pub(crate) struct Registry {
    functions: ArcSwap<BTreeMap<String, Entry>>,
    settings: ArcSwap<Settings>,
    configured: watch::Sender<()>,
    keyring: Arc<Keyring>,
    refreshing: Mutex<()>,
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

    /// Loads what is new or changed and forgets what is gone. Compiles, so it belongs on the blocking pool; every
    /// function is published as soon as it is ready.
    pub(crate) fn refresh(&self) {
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
            self.refresh_one(&name, origin, &settings);
        }
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

    fn refresh_one(&self, name: &str, origin: Origin, settings: &Settings) {
        let deployed = match self.shelf.find(name) {
            Ok(deployed) => deployed.map(Arc::new),
            Err(error) => return self.metadata_failed(name, origin, settings, error),
        };
        let file = FileStamp::of(&origin);
        let stamp = Stamp { file, origin, revision: settings.revision, deployed: deployed.clone() };
        let old = self.find(name);
        if old.as_ref().is_some_and(|old| old.stamp == stamp) {
            return;
        }
        let (pre, digest) = match (&stamp.origin, old) {
            (Origin::Nowhere, _) => (Err(HostError::NoCode), None),
            (Origin::TypeScript, _) => (Err(HostError::Entrypoint), None),
            (_, Some(Entry { stamp: before, code: Ok(prepared), digest, .. })) if before.file == file => {
                (Ok(prepared.pre.clone()), digest)
            }
            (Origin::Component(path), old) => self.load(name, path, deployed.is_some(), old),
        };
        // Code that goes on, because what should take its place cannot be loaded, does so under its own policy.
        let known = deployed.as_ref().zip(digest.as_deref());
        let version = known.and_then(|(known, digest)| known.of_digest(digest));
        let policy = settings.policy(name, version.and_then(|version| version.verify_jwt));
        let number = version.map_or(0, |version| version.version);
        let code = pre.map(|pre| Arc::new(self.assemble(name, number, &policy, pre, settings)));
        self.publish(name, Some(Entry { stamp, policy, code, deployed, digest }));
    }

    /// The code of a component; after a failure that of the version that runs.
    fn load(&self, name: &str, path: &Path, is_deployed: bool, old: Option<Entry>) -> Code {
        let digest = || fs::read(path).ok().map(|component| Arc::from(shelf::digest(&component)));
        let digest = if is_deployed { digest() } else { None };
        let started = std::time::Instant::now();
        let error = match self.link(path) {
            Ok(pre) => {
                self.note_ready(name, started.elapsed());
                return (Ok(pre), digest);
            }
            Err(error) => error,
        };
        let answer = error.answer();
        let old = old.filter(|_| answer != HostError::NoCode);
        let kept = old.and_then(|old| Some((old.code.ok()?.pre.clone(), old.digest)));
        self.note_failure(name, &error, kept.is_some());
        kept.map_or((Err(answer), digest), |(pre, digest)| (Ok(pre), digest))
    }

    /// Compiles a component, or maps what was compiled before, and checks what it imports and exports.
    pub(crate) fn link(&self, path: &Path) -> Result<ProxyPre<Host>, LoadError> {
        let component = artefact::load(&self.engine, path, &self.cache)?;
        self.linker.instantiate_pre(&component).and_then(ProxyPre::new).map_err(LoadError::Link)
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
            log_budget: Budget::new(),
            idle: Idle::default(),
            policy: Arc::clone(policy),
            pre,
        }
    }

    fn metadata_failed(&self, name: &str, origin: Origin, settings: &Settings, error: io::Error) {
        self.note_failure(name, &LoadError::Metadata(error), false);
        let stamp = Stamp { file: FileStamp::of(&origin), origin, revision: 0, deployed: None };
        let policy = settings.policy(name, None);
        let code = Err(HostError::Metadata);
        self.publish(name, Some(Entry { stamp, policy, code, deployed: None, digest: None }));
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
