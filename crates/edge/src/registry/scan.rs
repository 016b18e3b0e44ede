//! Finds what is new or has changed on disk: components, versions, settings, secrets.

use std::{collections::BTreeMap, fs, io, path::Path, sync::Arc, time::Instant};

use super::{
    Registry,
    entry::{Entry, LoadResult, PendingComponent},
    function_table::TableChange,
    origin::{FileStamp, Origin, Stamp, is_typescript},
};
use crate::{HostError, error::LoadError, function_name::is_function_name, settings::Settings};

impl Registry {
    /// Scans, and starts the compilations that the scan found to be needed. Returns whether
    /// everything could be read.
    pub(crate) fn scan_and_compile(self: &Arc<Self>) -> bool {
        let is_complete = self.scan();
        self.start_compiling();
        is_complete
    }

    /// Publishes what is new or has changed, and forgets what is gone. Returns whether everything
    /// could be read; if not, nothing counts as gone. Components that have to be compiled become
    /// pending: [`Self::start_compiling`] must follow.
    pub(crate) fn scan(&self) -> bool {
        let table = self.functions.change();
        self.settings.refresh_secrets();
        let settings = self.settings.load_full();
        let origins = match self.origins(&settings) {
            Ok(origins) => origins,
            Err(error) => {
                tracing::error!(error = %error, "the folders of functions cannot be read; what is served stays");
                return false;
            }
        };
        for name in self.functions.all().keys().filter(|name| !origins.contains_key(*name)) {
            tracing::info!(function = %name, "the function is gone");
            self.set_entry(&table, name, None);
        }
        let mut is_complete = true;
        for (name, origin) in origins {
            is_complete &= self.scan_function(&table, &name, origin, &settings);
        }
        self.loader.sweep();
        self.compilations.note_pending(self.functions.pending());
        is_complete
    }

    /// Name and origin of every enabled function. A component that was deployed wins over a
    /// configured path, and that wins over a component that was built.
    fn origins(&self, settings: &Settings) -> io::Result<BTreeMap<String, Origin>> {
        let of_deno = entries(&settings.functions)?.into_iter().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            (is_function_name(&name) && is_typescript(&entry.path())).then_some((name, Origin::TypeScript))
        });
        let configured = settings.policies().map(|(name, _)| (name.clone(), Origin::Nowhere));
        let mut all: BTreeMap<String, Origin> = configured.chain(of_deno).collect();
        all.extend(entries(self.loader.folder())?.into_iter().filter_map(|file| {
            let path = file.path();
            let name = path.file_name()?.to_str()?.strip_suffix(".wasm")?.to_owned();
            is_function_name(&name).then_some((name, Origin::Component(path)))
        }));
        let elsewhere = settings.policies().filter_map(|(name, policy)| {
            let component = policy.component.clone().filter(|path| !path.is_dir())?;
            (!self.deployments.store.has(name)).then(|| (name.clone(), Origin::Component(component)))
        });
        all.extend(elsewhere);
        all.retain(|name, _| !settings.is_disabled(name));
        Ok(all)
    }

    /// Publishes a function, as far as that needs no compilation. Returns false if the record of
    /// its versions could not be read for a passing reason.
    pub(super) fn scan_function(
        &self,
        table: &TableChange<'_>,
        name: &str,
        origin: Origin,
        settings: &Settings,
    ) -> bool {
        let deployed = match self.deployments.store.find(name) {
            Ok(deployed) => deployed.map(Arc::new),
            Err(error) if is_passing(&error) && self.functions.find(name).is_some() => {
                tracing::error!(function = %name, error = %error, "the versions cannot be read; what is served stays");
                return false;
            }
            Err(error) => {
                self.metadata_failed(table, name, origin, settings, error);
                return true;
            }
        };
        let file = FileStamp::of(&origin);
        let stamp = Stamp { file, origin, revision: settings.revision, deployed };
        let old = self.functions.find(name);
        if old.as_ref().is_some_and(|old| old.stamp == stamp && !old.lacks_metadata()) {
            return true;
        }
        let old = old.filter(|old| !old.runs_removed_version(stamp.deployed.as_deref()));
        let result = match (&stamp.origin, old) {
            (Origin::Nowhere, _) => LoadResult::none(HostError::NoCode),
            (Origin::TypeScript, _) => LoadResult::none(HostError::Entrypoint),
            (_, Some(old)) if old.stamp.file == file && old.is_final() => LoadResult::unchanged(old),
            (Origin::Component(path), old) => self.open(name, path, old),
        };
        self.publish(table, name, stamp, result, settings);
        true
    }

    /// Loads a component without compiling it.
    fn open(&self, name: &str, path: &Path, old: Option<Entry>) -> LoadResult {
        let started = Instant::now();
        let component = match self.loader.read(path) {
            Ok(component) => component,
            Err(error) => return self.failed(name, &error, None, old),
        };
        let digest = Arc::clone(&component.digest);
        let Some(code) = self.loader.cached(&component) else {
            let running = old.and_then(Entry::into_running_code);
            let pending = Some(PendingComponent { path: path.to_owned(), digest: Arc::clone(&digest) });
            let (code, digest) =
                running.map_or((Err(HostError::NotReady), Some(digest)), |(pre, digest)| (Ok(pre), digest));
            return LoadResult { code, digest, pending };
        };
        match self.loader.link(&code) {
            Ok(pre) => self.ready(name, pre, digest, started),
            Err(error) => self.failed(name, &error, Some(digest), old),
        }
    }

    fn metadata_failed(
        &self,
        table: &TableChange<'_>,
        name: &str,
        origin: Origin,
        settings: &Settings,
        error: io::Error,
    ) {
        let (file, revision) = (FileStamp::of(&origin), settings.revision);
        let stamp = Stamp { file, origin, revision, deployed: None };
        if self.functions.find(name).is_some_and(|old| old.stamp == stamp && old.lacks_metadata()) {
            return;
        }
        self.log.load_failed(name, &LoadError::Metadata(error), false);
        let policy = settings.policy(name, None);
        let code = Err(HostError::Metadata);
        let since = self.log.now();
        let entry = Entry { stamp, policy, code, deployed: None, digest: None, pending: None, since };
        self.set_entry(table, name, Some(entry));
    }
}

/// The entries of a folder. A folder that does not exist has none.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Whether reading may work again in a moment: too many files are open, or memory is short.
fn is_passing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO]
        .contains(&Errno::from_io_error(error).unwrap_or(Errno::INVAL))
}
