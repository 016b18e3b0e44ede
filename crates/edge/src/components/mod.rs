//! From a component's file to code that is ready to run (CONTRACT.md H11).

// From top to bottom: each part knows those below it.

/// Whether a component can be served, for those who build it.
mod check;

/// Loads a component and links it with the host.
pub(crate) mod loader;

/// The bytes of a component, and its compiled code.
pub(crate) mod compiled_component;

/// The folder of compiled code.
pub(crate) mod compiled_cache;

/// From the bytes of a component to machine code.
mod compiler;

pub use self::{
    check::{NotServable, check},
    compiler::compile_if_asked,
};
