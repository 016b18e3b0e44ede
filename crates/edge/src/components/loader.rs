//! From a component to code that is linked with the host, through the cache of compiled code.

use std::path::{Path, PathBuf};

use wasmtime::{
    Engine,
    component::{Component, Linker},
};
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use super::{
    compiled_cache::{CodeReservation, CompiledCache},
    compiled_component::ComponentBytes,
};
use crate::{capacity::compile_permits::CompilePermits, error::LoadError, host::Host};

/// Loads components for one engine.
pub(crate) struct ComponentLoader {
    engine: Engine,
    linker: Linker<Host>,
    /// The folder of components.
    folder: PathBuf,
    cache: CompiledCache,
    permits: CompilePermits,
}

impl ComponentLoader {
    /// Loads components into `engine`. Compiled code is kept below `folder`.
    pub(crate) fn new(engine: Engine, linker: Linker<Host>, folder: PathBuf) -> Self {
        let cache = CompiledCache::new(folder.join("compiled"));
        Self { engine, linker, folder, cache, permits: CompilePermits::default() }
    }

    /// The folder of components.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads a component.
    pub(crate) fn read(&self, path: &Path) -> Result<ComponentBytes<'static>, LoadError> {
        ComponentBytes::read(&self.engine, path, &self.cache)
    }

    /// The code of a component that was compiled before.
    pub(crate) fn cached(&self, component: &ComponentBytes<'_>) -> Option<Component> {
        component.compiled(&self.engine)
    }

    /// The code of a component. Compiles it if needed.
    pub(crate) fn load(&self, component: &ComponentBytes<'_>) -> Result<Component, LoadError> {
        component.load(&self.engine)
    }

    /// Checks what a component imports and exports.
    pub(crate) fn link(&self, component: &Component) -> Result<ProxyPre<Host>, LoadError> {
        let linked = self.linker.instantiate_pre(component).map_err(LoadError::Link)?;
        ProxyPre::new(linked).map_err(LoadError::NoHandler)
    }

    /// Checks a component for a deployment: loads and links it, one of two at a time. Must be
    /// called on a thread that may block.
    pub(crate) fn try_file(&self, path: &Path) -> Result<(), LoadError> {
        self.try_component(&self.read(path)?)
    }

    /// Checks a component that is in no file yet. Its compiled code stays while the result is
    /// held, so that nothing has to be compiled once the file is there.
    pub(crate) fn try_bytes(&self, component: &[u8]) -> Result<CodeReservation<'_>, LoadError> {
        let (component, reservation) = ComponentBytes::of_bytes(&self.engine, component, &self.cache);
        self.try_component(&component).map(|()| reservation)
    }

    fn try_component(&self, component: &ComponentBytes<'_>) -> Result<(), LoadError> {
        let code = match self.cached(component) {
            Some(code) => code,
            None => self.permits.compile(|| self.load(component))?,
        };
        self.link(&code).map(drop)
    }

    /// Notes that compiled code may have become unused.
    pub(crate) fn note_change(&self) {
        self.cache.note_change();
    }

    /// Removes compiled code that nothing uses.
    pub(crate) fn sweep(&self) {
        self.cache.sweep(&self.engine, &self.folder);
    }
}
