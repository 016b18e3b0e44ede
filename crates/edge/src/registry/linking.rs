//! Components that are deployed are compiled and checked before they are served.

use std::path::Path;

use wasmtime::component::Component;
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use super::Registry;
use crate::{artefact::Artefact, cache::Reserved, error::LoadError, host::Host};

impl Registry {
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

    pub(super) fn link_component(&self, component: &Component) -> Result<ProxyPre<Host>, LoadError> {
        let linked = self.linker.instantiate_pre(component).map_err(LoadError::Link)?;
        ProxyPre::new(linked).map_err(LoadError::NoDoor)
    }
}
