//! The `banyan` binary.

/// `gen types`: the types of an API, from its catalog.
mod gen_types;

fn main() {}
