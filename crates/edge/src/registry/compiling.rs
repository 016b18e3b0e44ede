//! Compiles pending components, on threads that may block, and publishes them.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::Arc,
    time::Instant,
};

use super::{
    Registry,
    entry::Entry,
    origin::{FileStamp, Stamp},
};
use crate::{
    capacity::compile_queue::{Candidate, CompileJob},
    error::LoadError,
};

impl Registry {
    /// How many components are to be compiled before they are served.
    pub(crate) fn pending_compilations(&self) -> usize {
        self.functions.pending()
    }

    /// Whether everything that was found at the start has been compiled.
    pub(crate) fn is_startup_done(&self) -> bool {
        self.compilations.is_startup_done()
    }

    /// Waits until nothing is left to be compiled.
    pub(crate) async fn wait_until_compiled(&self) {
        let mut compiled = self.compilations.subscribe();
        while self.pending_compilations() > 0 && compiled.changed().await.is_ok() {}
    }

    /// Starts no more compilations, so that a stop waits only for those that run.
    pub(crate) fn stop_compiling(&self) {
        self.compilations.stop();
    }

    /// Compiles what is pending, on a thread of its own.
    pub(crate) fn start_compiling(self: &Arc<Self>) {
        if self.pending_compilations() == 0 {
            return;
        }
        let registry = Arc::clone(self);
        // Nobody waits for the task. It ends once no component may start to compile.
        drop(tokio::task::spawn_blocking(move || {
            while let Some(job) = registry.next_job() {
                registry.run_job(job, Self::compile);
            }
        }));
    }

    fn next_job(&self) -> Option<CompileJob<'_>> {
        self.compilations.next(|| {
            let (functions, settings) = (self.functions.all(), self.settings.load());
            let pending = functions.iter().filter(|(_, entry)| entry.pending.is_some());
            let candidates = pending.map(|(name, entry)| Candidate {
                function: name.clone(),
                is_hook: settings.is_hook(name),
                bytes: entry.stamp.file.length(),
            });
            candidates.collect()
        })
    }

    /// Runs a job. A panic is the failure of this function alone, so that others are compiled.
    fn run_job(&self, job: CompileJob<'_>, compile: impl FnOnce(&Self, &str, &Entry)) {
        if let Some(entry) = self.functions.find(&job.function) {
            let compile = || compile(self, &job.function, &entry);
            if panic::catch_unwind(AssertUnwindSafe(compile)).is_err() {
                self.give_up(&job.function, &entry);
            }
        }
        drop(job);
        self.compilations.note_pending(self.functions.pending());
    }

    /// After a panic the component is not tried again until it changes. A running version goes on.
    fn give_up(&self, name: &str, before: &Entry) {
        let table = self.functions.change();
        let Some(now) = self.functions.find(name).filter(|now| now.is_pending_as(before)) else { return };
        let error = LoadError::Panicked;
        self.log.load_failed(name, &error, now.code.is_ok());
        let code = now.code.map_err(|_| error.answer());
        self.set_entry(&table, name, Some(Entry { code, pending: None, ..now }));
    }

    fn compile(&self, name: &str, before: &Entry) {
        let Some(pending) = &before.pending else { return };
        let started = Instant::now();
        let linked = self.loader.read(&pending.path).map(|component| {
            let linked = self.loader.load(&component).and_then(|code| self.loader.link(&code));
            (linked, component.digest)
        });
        let table = self.functions.change();
        // If another component came meanwhile, it gets a job of its own. If the settings changed,
        // the new ones count.
        let Some(now) = self.functions.find(name).filter(|now| now.is_pending_as(before)) else { return };
        let settings = self.settings.load_full();
        let stamp = now.stamp.clone();
        let result = match linked {
            // The file holds other bytes now, and another policy may belong to them.
            Ok((_, digest)) if digest != pending.digest => {
                let origin = stamp.origin.clone();
                let stamp = Stamp { file: FileStamp::NONE, ..stamp };
                self.set_entry(&table, name, Some(Entry { stamp, pending: None, ..now }));
                self.scan_function(&table, name, origin, &settings);
                return;
            }
            Ok((Ok(pre), digest)) => self.ready(name, pre, digest, started),
            Ok((Err(error), digest)) => self.failed(name, &error, Some(digest), Some(now)),
            Err(error) => self.failed(name, &error, None, Some(now)),
        };
        self.publish(&table, name, stamp, result, &settings);
        self.loader.sweep();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use banyan_config::Environment;
    use banyan_identity::Keyring;
    use banyan_testkit::hostile_components::with_modules;

    use super::*;
    use crate::{HostError, capacity::memory::MemoryBudget, engine, host};

    /// A registry that has scanned these components, each with its number of modules, and has
    /// compiled none.
    fn scanned(toml: &str, components: &[(&str, usize)]) -> (tempfile::TempDir, Arc<Registry>) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("supabase")).unwrap();
        fs::write(folder.path().join("supabase/config.toml"), toml).unwrap();
        let home = folder.path().join("state");
        let environment = Environment::of([("BANYAN_HOME", home.to_str().unwrap())]);
        let config = banyan_config::load(folder.path(), environment, 0).unwrap().config;
        let keyring = Arc::new(Keyring::new(&config.keys).unwrap());
        let engine = engine::start().unwrap();
        let linker = host::linker(&engine).unwrap();
        let memory = Arc::new(MemoryBudget::new(None));
        let registry = Registry::new(&config, &keyring, (engine, linker), memory).unwrap();
        for (name, modules) in components {
            let path = config.paths.components().join(format!("{name}.wasm"));
            fs::write(path, with_modules(*modules)).unwrap();
        }
        registry.scan();
        (folder, Arc::new(registry))
    }

    // rows: BOOT_ERROR
    #[test]
    fn a_panic_while_loading_is_one_functions_failure_and_is_not_tried_again() {
        let (_folder, registry) = scanned("", &[("small", 1), ("large", 9)]);
        let job = registry.next_job().expect("something waits");
        assert_eq!(job.function, "small");
        registry.run_job(job, |registry, name, _| {
            let _table = registry.functions.change();
            panic!("{name} as it is published");
        });
        let answer = registry.functions.find("small").unwrap().code.map(drop);
        assert_eq!((answer, registry.functions.pending()), (Err(HostError::Boot), 1));
        assert!(!registry.is_startup_done());
        registry.scan();
        let job = registry.next_job().expect("the other one waits");
        assert_eq!(job.function, "large");
        registry.run_job(job, Registry::compile);
        assert!(registry.functions.find("large").unwrap().pending.is_none() && registry.is_startup_done());
    }

    // rows: FUNCTION_NOT_READY
    #[test]
    fn what_a_hook_of_auth_names_is_compiled_before_others() {
        let toml = "[auth.hook.send_email]\nenabled = true\nuri = \"functions:///mailer\"\n";
        let (_folder, registry) = scanned(toml, &[("small", 1), ("mailer", 9)]);
        assert_eq!(registry.next_job().expect("something waits").function, "mailer");
    }
}
