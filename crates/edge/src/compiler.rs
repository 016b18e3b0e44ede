//! From the bytes of a component to machine code.

use rayon_core::ThreadPoolBuilder;
use wasmtime::Engine;

/// How far compiling gives way to what answers requests.
const NICE: i32 = 10;

/// Compiles a component on threads of its own, which give way to those that answer requests: the server answers meanwhile. Those
/// that wasmtime shares among all compilations do not.
pub(crate) fn compile(engine: &Engine, component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let threads =
        ThreadPoolBuilder::new().thread_name(|_| "compiler".to_owned()).start_handler(|_| give_way());
    match threads.build() {
        Ok(threads) => threads.install(|| engine.precompile_component(component)),
        Err(error) => {
            tracing::warn!(error = %error, "a component is compiled without threads of its own");
            engine.precompile_component(component)
        }
    }
}

fn give_way() {
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(error = %error, "compiling does not give way to others");
    }
}
