//! From the bytes of a component to machine code.

/// Compiling in a process of its own.
mod subprocess;

use rayon_core::ThreadPoolBuilder;
use wasmparser::{Parser, Payload};
use wasmtime::Engine;

pub use self::subprocess::compile_if_asked;
use crate::{engine, memory_trim};

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
}
