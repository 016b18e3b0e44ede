//! An instance that has answered a request and can answer another one (CONTRACT.md H10).

use wasmtime::Store;
use wasmtime_wasi_http::p2::bindings::Proxy;

use super::Host;
use crate::capacity::idle::Reusable;

/// A store, and what was instantiated in it.
pub(crate) struct WarmInstance {
    pub(crate) store: Store<Host>,
    pub(crate) proxy: Proxy,
    /// Requests that it has answered.
    pub(crate) uses: u32,
}

impl Reusable for WarmInstance {
    fn uses(&self) -> u32 {
        self.uses
    }

    fn release_memory(&mut self) {
        self.store.data_mut().limits.release_memory();
    }
}
