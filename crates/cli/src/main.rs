//! The `banyan` binary.

fn main() {}
