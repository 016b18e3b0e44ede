//! From the bytes of a component to machine code.

/// Compiling in a process of its own.
mod apart;

use rayon_core::ThreadPoolBuilder;
use tokio::{runtime::Handle, sync::Semaphore};
use wasmparser::{Parser, Payload};
use wasmtime::Engine;

pub use self::apart::compile_if_asked;
use crate::{engine, footprint};

/// Deployments that are compiled at a time. Each takes a component's bytes, hundreds of megabytes while it lasts, and as
/// many threads as there are processors.
const AT_ONCE: usize = 2;

/// What keeps many deployments at a time from using up memory and processors. What was found in the folder has turns of its
/// own, so that neither waits for the other.
pub(crate) struct Deployments(Semaphore);

impl Default for Deployments {
    fn default() -> Self {
        Self(Semaphore::new(AT_ONCE))
    }
}

impl Deployments {
    /// Compiles once fewer than two deployments do. To be called where the runtime lets threads wait.
    pub(crate) fn compile<T>(&self, compile: impl FnOnce() -> T) -> T {
        let _place = Handle::current().block_on(self.0.acquire()).expect("it is never closed");
        compile()
    }
}

/// Compiles a component: in a process of its own where the program offers that ([`compile_if_asked`]), which gives way to what
/// answers requests; else here, on threads that wait for no other compilation, and what it took of memory is given back.
///
/// # Errors
/// What is wrong with the component, a function of more than [`LARGEST_FUNCTION`] bytes included, or that compiling it takes
/// too much.
pub(crate) fn compile(engine: &Engine, component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    refuse_huge_functions(component)?;
    // An engine keeps what each of its compilations has allocated for the next one, so this one goes with it.
    let own = engine::for_compiling(engine);
    if own.is_some() && apart::is_offered() {
        return apart::compile(component);
    }
    let code = on_threads(own.as_ref().unwrap_or(engine), component);
    drop(own);
    footprint::give_back_heap();
    code
}

fn on_threads(engine: &Engine, component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    ThreadPoolBuilder::new().build()?.install(|| engine.precompile_component(component))
}

/// The largest function of a component, in bytes. What compiling takes of time and memory grows with it, and faster: a whole
/// engine of JavaScript has none of 200 KB, and one of 2 MB takes gigabytes.
const LARGEST_FUNCTION: usize = 512 << 10;

/// What cannot be read is for the compiler to tell.
fn refuse_huge_functions(component: &[u8]) -> wasmtime::Result<()> {
    let payloads = Parser::new(0).parse_all(component).map_while(Result::ok);
    let bodies = payloads.filter_map(|payload| match payload {
        Payload::CodeSectionEntry(body) => Some(body.range().len()),
        _ => None,
    });
    match bodies.max().filter(|largest| *largest > LARGEST_FUNCTION) {
        Some(largest) => Err(wasmtime::Error::msg(format!(
            "it has a function of {largest} bytes; the largest allowed has 512 KB"
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering::SeqCst},
        },
        time::Duration,
    };

    use banyan_testkit::components::with_module;

    use super::*;

    #[test]
    fn functions_x14_a_function_that_would_take_gigabytes_to_compile_is_refused_unread() {
        let of = |steps: usize| {
            let body = "(local.set 0 (i32.add (local.get 0) (i32.const 7)))".repeat(steps);
            let large = format!("(func (param i32) {body})");
            with_module(&format!("{large}(func (export \"handle\") (param i32 i32))"))
        };
        // Seven bytes each.
        refuse_huge_functions(&of(70_000)).unwrap();
        let told = refuse_huge_functions(&of(80_000)).unwrap_err().to_string();
        assert!(told.contains("largest allowed has 512 KB"), "{told}");
        refuse_huge_functions(b"no component").unwrap();
    }

    #[tokio::test]
    async fn functions_g10_no_more_than_two_deployments_are_compiled_at_a_time() {
        let (deployments, now, most) =
            (Arc::new(Deployments::default()), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let compilations = (0..6).map(|_| {
            let (deployments, now, most) = (Arc::clone(&deployments), Arc::clone(&now), Arc::clone(&most));
            tokio::task::spawn_blocking(move || {
                deployments.compile(|| {
                    most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                    std::thread::sleep(Duration::from_millis(20));
                    now.fetch_sub(1, SeqCst);
                });
            })
        });
        for done in futures_util::future::join_all(compilations).await {
            done.unwrap();
        }
        assert_eq!(most.load(SeqCst), 2);
    }
}
