//! Checks whether a component can be served, for those who build it. Its code is not compiled.

use std::ops::Range;

use wasmtime::component::Component;

use super::compiled_component::{COMPONENT, MAX_COMPONENT_BYTES, begins_as_component};
use crate::{engine, error::LoadError, host};

/// The export that answers requests.
const HANDLER_EXPORT: &[u8] = b"wasi:http/incoming-handler@0.2.";

/// Sections of a component by their id.
const CORE_MODULE: u8 = 1;
const IMPORT: u8 = 10;
const EXPORT: u8 = 11;

/// Why a component cannot be served.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct NotServable(#[from] LoadError);

/// Checks that a component exports the HTTP handler, and that it imports only what the host offers.
/// Nothing of its code is compiled, so this takes milliseconds, and a fault in the code is found
/// only when the component is served. One exception: if imports stand behind code, as in components
/// that were joined, everything is compiled.
///
/// # Errors
/// [`NotServable`] with the reason that the log would give.
pub fn check(component: &[u8]) -> Result<(), NotServable> {
    begins_as_component(component)?;
    if component.len() as u64 > MAX_COMPONENT_BYTES {
        return Err(LoadError::TooLarge(component.len() as u64).into());
    }
    let sections = sections(component);
    let imports = sections.as_deref().and_then(imports_alone).map_or(component, |range| &component[range]);
    check_imports(imports)?;
    if sections.is_some_and(|sections| !exports_handler(component, &sections)) {
        let reason = "it exports no `wasi:http/incoming-handler@0.2`";
        return Err(LoadError::NoHandler(wasmtime::Error::msg(reason)).into());
    }
    Ok(())
}

/// Checks that the host offers everything that a component imports. The bytes may end behind the
/// imports.
fn check_imports(component: &[u8]) -> Result<(), LoadError> {
    let engine = engine::for_inspection().map_err(LoadError::Compile)?;
    let linker = host::linker(&engine).map_err(LoadError::Compile)?;
    let component = Component::new(&engine, component).map_err(LoadError::Compile)?;
    linker.instantiate_pre(&component).map(drop).map_err(LoadError::Link)
}

fn exports_handler(component: &[u8], sections: &[(u8, Range<usize>)]) -> bool {
    let names_handler = |range: &Range<usize>| {
        component[range.clone()].windows(HANDLER_EXPORT.len()).any(|name| name == HANDLER_EXPORT)
    };
    sections.iter().any(|(id, range)| *id == EXPORT && names_handler(range))
}

/// The part of a component before its code, if that part holds all of its imports.
fn imports_alone(sections: &[(u8, Range<usize>)]) -> Option<Range<usize>> {
    let code = sections.iter().position(|(id, _)| *id == CORE_MODULE)?;
    let (before, after) = sections.split_at(code);
    let holds_all = after.iter().all(|(id, _)| *id != IMPORT);
    holds_all.then(|| 0..before.last().map_or(COMPONENT.len(), |(_, range)| range.end))
}

/// The sections of a component, without those of nested components. Returns nothing if they do not
/// end where the component ends.
fn sections(component: &[u8]) -> Option<Vec<(u8, Range<usize>)>> {
    let (mut sections, mut at) = (Vec::new(), COMPONENT.len());
    while at < component.len() {
        let (length, start) = number(component, at + 1)?;
        let end = start.checked_add(length).filter(|end| *end <= component.len())?;
        sections.push((component[at], start..end));
        at = end;
    }
    Some(sections)
}

/// A number of at most 32 bits in LEB128, and the position behind it.
fn number(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.get(at..)?.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, at + index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use banyan_testkit::hostile_components::{with_import, with_module};

    use super::*;
    use crate::components::compiled_component::MODULE;

    const HANDLE: &str = "(func (export \"handle\") (param i32 i32))";

    fn refused(component: &[u8]) -> String {
        check(component).unwrap_err().to_string()
    }

    #[test]
    fn a_component_is_judged_by_its_imports_without_its_code() {
        check(&with_module(HANDLE)).unwrap();
        // Damaged code, which the check does not read.
        let mut damaged = with_module(HANDLE);
        let code = sections(&damaged).unwrap().into_iter().find(|(id, _)| *id == CORE_MODULE).unwrap().1;
        damaged[code.start + 8..code.end].fill(0xff);
        check(&damaged).unwrap();
        let sockets = "(import \"wasi:sockets/instance-network@0.2.0\" (instance (export \"network\" (type (sub resource)))))";
        let message = refused(&with_import(sockets));
        assert!(
            message.contains("does not offer") && message.contains("wasi:sockets/instance-network@0.2.0"),
            "{message}"
        );
    }

    #[test]
    fn an_import_behind_the_code_is_found() {
        let late = "(core module) (import \"evil:host/escape@1.0.0\" (func))";
        let message = refused(&with_import(late));
        assert!(message.contains("evil:host/escape@1.0.0"), "{message}");
    }

    #[test]
    fn other_bytes_and_a_component_without_a_handler_are_named() {
        assert_eq!(refused(b"junk"), "the bytes are no WebAssembly component");
        assert!(refused(MODULE).starts_with("it is a WebAssembly module and no component"));
        let message = refused(COMPONENT);
        assert!(message.contains("http_function!"), "{message}");
        let message = refused(&[COMPONENT, b"junk of no section"].concat());
        assert!(
            message.starts_with("the component does not compile: ") && !message.contains('\n'),
            "{message}"
        );
        let cut = with_module(HANDLE);
        check(&cut[..cut.len() - 1]).unwrap_err();
    }
}
