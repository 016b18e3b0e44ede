//! Connects generate-teaching-aids to `wasi:http`.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(banyan_functions::guest::serve::<generate_teaching_aids::TeachingAids>);

/// The component exports the handler above. Nothing runs it as a program.
fn main() {}
