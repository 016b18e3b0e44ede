//! From the bytes of a component to machine code.

/// Compiling in a process of its own.
mod subprocess;

use rayon_core::ThreadPoolBuilder;
use wasmparser::{Parser, Payload};
use wasmtime::Engine;

pub use self::subprocess::compile_if_asked;
use crate::{engine, memory_trim};

/// Compiles a component in a process of its own, if the program offers that ([`compile_if_asked`]).
/// That process gives way to requests. Otherwise compiles here, on threads of its own, and gives
/// back the memory that this took.
///
/// # Errors
/// What is wrong with the component, also a function of more than [`LARGEST_FUNCTION`] bytes; or
/// that compiling takes too much.
pub(crate) fn compile(engine: &Engine, component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    refuse_huge_functions(component)?;
    // An engine keeps the memory of its compilations for the next one, so this engine is dropped.
    let own = engine::for_compiling(engine);
    if own.is_some() && subprocess::is_available() {
        return subprocess::compile(component);
    }
    let code = on_threads(own.as_ref().unwrap_or(engine), component);
    drop(own);
    memory_trim::trim_heap();
    code
}

fn on_threads(engine: &Engine, component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    ThreadPoolBuilder::new().build()?.install(|| engine.precompile_component(component))
}

/// The largest function of a component, in bytes. Compiling takes time and memory that grow faster
/// than the function: a function of 2 MB takes gigabytes. A whole engine of JavaScript has no
/// function of 200 KB.
const LARGEST_FUNCTION: usize = 512 << 10;

/// Refuses a component with a huge function. Bytes that cannot be parsed are left to the compiler.
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
    use banyan_testkit::hostile_components::with_module;

    use super::*;

    // rows: X14
    #[test]
    fn a_function_that_would_take_gigabytes_to_compile_is_refused_unread() {
        let of = |steps: usize| {
            let body = "(local.set 0 (i32.add (local.get 0) (i32.const 7)))".repeat(steps);
            let large = format!("(func (param i32) {body})");
            with_module(&format!("{large}(func (export \"handle\") (param i32 i32))"))
        };
        // Seven bytes each.
        refuse_huge_functions(&of(70_000)).unwrap();
        let message = refuse_huge_functions(&of(80_000)).unwrap_err().to_string();
        assert!(message.contains("largest allowed has 512 KB"), "{message}");
        refuse_huge_functions(b"no component").unwrap();
    }
}
