//! Components that are to be compiled before they take their place have their turns, beside.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::{Arc, PoisonError, atomic::Ordering::Relaxed},
    time::Instant,
};

use super::{Registry, entry::Entry};
use crate::{
    artefact::Artefact,
    error::LoadError,
    origin::{FileStamp, Stamp},
    turns::{Turn, Waiting},
};

impl Registry {
    /// How many components are to be compiled before they take their place.
    pub(crate) fn to_compile(&self) -> usize {
        self.functions.load().values().filter(|entry| entry.next.is_some()).count()
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
                self.look_at(name, origin, &settings);
                return;
            }
            Ok((Ok(pre), digest)) => self.ready(name, pre, digest, started),
            Ok((Err(error), digest)) => self.failed(name, &error, Some(digest), Some(now)),
            Err(error) => self.failed(name, &error, None, Some(now)),
        };
        self.settle(name, stamp, found, &settings);
        self.cache.sweep(&self.engine, &self.components);
    }

    pub(super) fn note_compiled(&self) {
        let is_all = self.to_compile() == 0;
        self.compiled.send_modify(|has_begun| *has_begun |= is_all);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use banyan_config::Environment;
    use banyan_identity::Keyring;
    use banyan_testkit::components::with_modules;

    use super::*;
    use crate::{HostError, engine, host, memory};

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
