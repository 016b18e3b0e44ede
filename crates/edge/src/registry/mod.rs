//! The functions of the project, and what they run (CONTRACT.md F02, F05, W01, G05).
//!
//! A change takes effect at once, unless its component has to be compiled first. It is compiled on
//! another thread, and the version before it goes on meanwhile. A broken component leaves the
//! running version in place; without one, the function answers with what is wrong.

/// Compiles what is pending, and publishes it.
mod compiling;

/// Finds what is new or has changed on disk.
mod scan;

/// Publishes what was found.
mod publish;

/// The functions by name.
mod function_table;

/// What a name stands for.
mod entry;

/// Where code comes from, and how a change of it is noticed.
mod origin;

/// The order and the state of compilations.
mod compilations;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use banyan_config::Config;
use banyan_identity::{Clock, Keyring};
use wasmtime::{Engine, component::Linker};

pub(crate) use self::entry::{Entry, PreparedFunction};
use self::{compilations::Compilations, function_table::FunctionTable};
use crate::{
    capacity::memory::MemoryBudget,
    components::loader::ComponentLoader,
    deployments::{Deployments, store::DeploymentStore},
    files::create_private_folder,
    host::Host,
    logs::PlatformLog,
    settings::current::CurrentSettings,
};

/// The functions of the project. Each part owns its state.
pub(crate) struct Registry {
    pub(crate) functions: FunctionTable,
    pub(crate) settings: CurrentSettings,
    pub(crate) deployments: Deployments,
    pub(crate) loader: ComponentLoader,
    pub(crate) log: PlatformLog,
    compilations: Compilations,
    memory: Arc<MemoryBudget>,
}

impl Registry {
    /// A registry without functions: [`Self::scan`] finds them.
    ///
    /// # Errors
    /// The folder of components cannot be made.
    pub(crate) fn new(
        config: &Config,
        keyring: &Arc<Keyring>,
        (engine, linker): (Engine, Linker<Host>),
        memory: Arc<MemoryBudget>,
    ) -> io::Result<Self> {
        let components = config.paths.components();
        // Whoever can put a component there runs it with the project's keys.
        create_private_folder(&components)?;
        Ok(Self {
            functions: FunctionTable::default(),
            settings: CurrentSettings::new(config, keyring, &components),
            deployments: Deployments::new(&components),
            loader: ComponentLoader::new(engine, linker, components),
            log: PlatformLog::new(Clock::system()),
            compilations: Compilations::default(),
            memory,
        })
    }

    /// Folders whose changes matter: the folder of components, those of prebuilt components
    /// elsewhere, and those of sources.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let settings = self.settings.load();
        let elsewhere = settings.policies().filter_map(|(_, policy)| policy.component.as_deref()?.parent());
        let all = elsewhere.map(Path::to_owned).chain([self.loader.folder().to_owned()]);
        let all = all.chain(origin::folders_of_sources(&settings.functions));
        let mut all: Vec<_> = all.collect();
        all.sort();
        all.dedup();
        all
    }

    /// Changes the stored deployments in one step: no scan sees a part of it.
    pub(crate) fn change_deployments<T>(&self, change: impl FnOnce(&DeploymentStore) -> T) -> T {
        let _no_scan = self.functions.change();
        change(&self.deployments.store)
    }
}
