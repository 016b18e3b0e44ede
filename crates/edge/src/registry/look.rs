//! What lies there is put into effect: components, versions, settings, secrets.

use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    sync::{Arc, PoisonError},
    time::Instant,
};

use super::{
    Registry,
    entry::{Entry, Found, Next},
};
use crate::{
    HostError,
    artefact::Artefact,
    error::LoadError,
    origin::{FileStamp, Origin, Stamp, is_function_name, is_typescript},
    settings::Settings,
};

impl Registry {
    /// Puts what is new or changed into effect, forgets what is gone, and has compiled beside what has to be first; tells whether
    /// all could be seen.
    pub(crate) fn look_and_compile(self: &Arc<Self>) -> bool {
        let seen = self.look();
        self.start_compiling();
        seen
    }

    /// Puts what is new or changed into effect and forgets what is gone; tells whether all could be seen. Where not, nothing is
    /// taken for gone. What has to be compiled first is noted: [`Self::start_compiling`] is to follow.
    pub(crate) fn look(&self) -> bool {
        let _one_at_a_time = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        self.read_secrets();
        let settings = self.settings.load_full();
        let origins = match self.origins(&settings) {
            Ok(origins) => origins,
            Err(error) => {
                tracing::error!(error = %error, "the folders of functions cannot be read; what is served stays");
                return false;
            }
        };
        let gone: Vec<String> =
            self.functions.load().keys().filter(|name| !origins.contains_key(*name)).cloned().collect();
        for name in gone {
            tracing::info!(function = %name, "the function is gone");
            self.publish(&name, None);
        }
        let mut seen = true;
        for (name, origin) in origins {
            seen &= self.look_at(&name, origin, &settings);
        }
        self.cache.sweep(&self.engine, &self.components);
        self.note_compiled();
        seen
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
    fn origins(&self, settings: &Settings) -> io::Result<BTreeMap<String, Origin>> {
        let of_deno = entries(&settings.functions)?.into_iter().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            (is_function_name(&name) && is_typescript(&entry.path())).then_some((name, Origin::TypeScript))
        });
        let configured = settings.policies().map(|(name, _)| (name.clone(), Origin::Nowhere));
        let mut all: BTreeMap<String, Origin> = configured.chain(of_deno).collect();
        all.extend(entries(&self.components)?.into_iter().filter_map(|file| {
            let path = file.path();
            let name = path.file_name()?.to_str()?.strip_suffix(".wasm")?.to_owned();
            is_function_name(&name).then_some((name, Origin::Component(path)))
        }));
        let elsewhere = settings.policies().filter_map(|(name, policy)| {
            let component = policy.component.clone().filter(|path| !path.is_dir())?;
            (!self.shelf.has(name)).then(|| (name.clone(), Origin::Component(component)))
        });
        all.extend(elsewhere);
        all.retain(|name, _| !settings.is_disabled(name));
        Ok(all)
    }

    /// Puts what can be known at once of a function into effect, and notes whether its component is to be compiled. Tells
    /// whether what is known of its versions could be read, or at least is wrong and not out of reach.
    pub(super) fn look_at(&self, name: &str, origin: Origin, settings: &Settings) -> bool {
        let deployed = match self.shelf.find(name) {
            Ok(deployed) => deployed.map(Arc::new),
            Err(error) if is_passing(&error) && self.find(name).is_some() => {
                tracing::error!(function = %name, error = %error, "the versions cannot be read; what is served stays");
                return false;
            }
            Err(error) => {
                self.metadata_failed(name, origin, settings, error);
                return true;
            }
        };
        let file = FileStamp::of(&origin);
        let stamp = Stamp { file, origin, revision: settings.revision, deployed };
        let old = self.find(name);
        if old.as_ref().is_some_and(|old| old.stamp == stamp && !old.lacks_metadata()) {
            return true;
        }
        let old = old.filter(|old| !old.is_of_gone_version(stamp.deployed.as_deref()));
        let found = match (&stamp.origin, old) {
            (Origin::Nowhere, _) => Found::none(HostError::NoCode),
            (Origin::TypeScript, _) => Found::none(HostError::Entrypoint),
            (_, Some(old)) if old.stamp.file == file && old.is_judged() => Found::of(old),
            (Origin::Component(path), old) => self.open(name, path, old),
        };
        self.settle(name, stamp, found, settings);
        true
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
}

/// What lies in a folder; nothing in one that is not there.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Whether the same may be read in a moment: too many files are open, or there is no memory.
fn is_passing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO]
        .contains(&Errno::from_io_error(error).unwrap_or(Errno::INVAL))
}
