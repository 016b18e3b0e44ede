//! Name to policy and prepared component (functions.md F02, F05, W01, G05).
//!
//! The map is swapped whole; a request keeps the version it began with. A broken component leaves the running version
//! in place, or answers BOOT_ERROR where there is none.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use arc_swap::ArcSwap;
use banyan_config::{Config, Function, OutboundHost};
use banyan_identity::Keyring;
use secrecy::SecretString;
use tokio::sync::Semaphore;
use wasmtime::{Engine, component::Linker};
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use crate::{
    artefact,
    environment::{Environment, Keys},
    error::LoadError,
    instance::Host,
    logs::Budget,
};

/// A function ready to run.
pub(crate) struct Prepared {
    pub(crate) name: Arc<str>,
    pub(crate) policy: Arc<Function>,
    pub(crate) pre: ProxyPre<Host>,
    pub(crate) environment: Vec<(String, SecretString)>,
    pub(crate) keys: Keys,
    pub(crate) hosts: Arc<[OutboundHost]>,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) log_budget: Arc<Budget>,
}

/// What a name stands for.
#[derive(Clone)]
pub(crate) struct Entry {
    stamp: Stamp,
    pub(crate) policy: Arc<Function>,
    /// Nothing when the component cannot be loaded and no version before it could.
    pub(crate) prepared: Option<Arc<Prepared>>,
}

/// Tells a changed file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

/// The functions of the project.
pub(crate) struct Registry {
    functions: ArcSwap<BTreeMap<String, Entry>>,
    refreshing: Mutex<()>,
    engine: Engine,
    linker: Linker<Host>,
    environment: Environment,
    policies: BTreeMap<String, Arc<Function>>,
    components: PathBuf,
    enabled: bool,
}

impl Registry {
    pub(crate) fn new(
        config: &Config,
        keyring: &Arc<Keyring>,
        engine: Engine,
        linker: Linker<Host>,
    ) -> io::Result<Self> {
        let components = config.paths.components();
        fs::create_dir_all(&components)?;
        Ok(Self {
            functions: ArcSwap::default(),
            refreshing: Mutex::new(()),
            engine,
            linker,
            environment: Environment::new(config, keyring),
            policies: config
                .functions
                .iter()
                .map(|(name, policy)| (name.clone(), Arc::new(policy.clone())))
                .collect(),
            components,
            enabled: config.edge_runtime.enabled,
        })
    }

    /// What the name stands for now.
    pub(crate) fn find(&self, name: &str) -> Option<Entry> {
        self.functions.load().get(name).cloned()
    }

    /// Folders whose changes matter: that of the components, and those of prebuilt ones elsewhere.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let elsewhere = self.policies.values().filter_map(|policy| policy.component.as_deref()?.parent());
        let mut all: Vec<PathBuf> = elsewhere.map(Path::to_owned).chain([self.components.clone()]).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Functions with a schedule, and their interval.
    pub(crate) fn schedules(&self) -> Vec<(String, banyan_config::Schedule)> {
        let enabled = self.policies.iter().filter(|(_, policy)| self.enabled && policy.enabled);
        enabled.filter_map(|(name, policy)| Some((name.clone(), policy.schedule?))).collect()
    }

    /// Loads what is new or changed and forgets what is gone. Compiles, so it belongs on the blocking pool; every
    /// function is published as soon as it is ready.
    pub(crate) fn refresh(&self) {
        let _one_at_a_time = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let sources = self.sources();
        let gone: Vec<String> =
            self.functions.load().keys().filter(|name| !sources.contains_key(*name)).cloned().collect();
        for name in gone {
            tracing::info!(function = %name, "the function is gone");
            self.publish(&name, None);
        }
        for (name, path) in sources {
            self.refresh_one(&name, &path);
        }
    }

    /// Name and component of every enabled function.
    fn sources(&self) -> BTreeMap<String, PathBuf> {
        if !self.enabled {
            return BTreeMap::new();
        }
        let found = fs::read_dir(&self.components).into_iter().flatten().flatten().filter_map(|file| {
            let path = file.path();
            let name = path.file_name()?.to_str()?.strip_suffix(".wasm")?.to_owned();
            is_valid_name(&name).then_some((name, path))
        });
        let elsewhere =
            self.policies.iter().filter_map(|(name, policy)| Some((name.clone(), policy.component.clone()?)));
        let mut all: BTreeMap<String, PathBuf> = found.chain(elsewhere).collect();
        all.retain(|name, _| self.policies.get(name).is_none_or(|policy| policy.enabled));
        all
    }

    fn refresh_one(&self, name: &str, path: &Path) {
        let stamp = Stamp::of(path);
        let old = self.find(name);
        if old.as_ref().is_some_and(|old| old.stamp == stamp) {
            return;
        }
        let started = std::time::Instant::now();
        let policy = self.policies.get(name).cloned().unwrap_or_default();
        let prepared = match self.prepare(name, path, Arc::clone(&policy)) {
            Ok(prepared) => {
                let duration_ms = started.elapsed().as_millis();
                tracing::info!(function = name, duration_ms, "the function is ready");
                Some(Arc::new(prepared))
            }
            Err(error) => {
                let kept = old.and_then(|old| old.prepared);
                tracing::error!(function = name, error = %error, source = error_source(&error), running_version_kept = kept.is_some(), "the function cannot be loaded");
                kept
            }
        };
        self.publish(name, Some(Entry { stamp, policy, prepared }));
    }

    fn prepare(&self, name: &str, path: &Path, policy: Arc<Function>) -> Result<Prepared, LoadError> {
        let component = artefact::load(&self.engine, path, &self.components.join("compiled"))?;
        let pre = self.linker.instantiate_pre(&component).and_then(ProxyPre::new).map_err(LoadError::Link)?;
        Ok(Prepared {
            name: name.into(),
            environment: self.environment.of(name, &policy),
            keys: self.environment.keys(),
            hosts: policy.outbound_hosts.clone().into(),
            permits: Arc::new(Semaphore::new(policy.concurrency as usize)),
            log_budget: Budget::new(),
            pre,
            policy,
        })
    }

    fn publish(&self, name: &str, entry: Option<Entry>) {
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

fn error_source(error: &LoadError) -> Option<String> {
    std::error::Error::source(error).map(ToString::to_string)
}

/// `^[A-Za-z][A-Za-z0-9_-]*$` (F02).
pub(crate) fn is_valid_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

impl Stamp {
    /// A file that cannot be read has a stamp of its own, so that its return is noticed.
    fn of(path: &Path) -> Self {
        match fs::metadata(path) {
            Ok(found) => Self { modified: found.modified().ok(), length: found.len(), inode: found.ino() },
            Err(_) => Self { modified: None, length: 0, inode: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_valid_name;

    #[test]
    fn functions_f02_names_follow_the_pattern() {
        for good in ["hello", "a", "Send-mail_2"] {
            assert!(is_valid_name(good), "{good}");
        }
        for bad in ["", "_shared", "1st", "a.b", "a/b", "ä", "-a"] {
            assert!(!is_valid_name(bad), "{bad}");
        }
    }
}
