//! The `wasi:http` door of generate-communication.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(banyan_functions::guest::serve::<generate_communication::Communication>);

/// The component exports its door; nothing runs it as a program.
fn main() {}
