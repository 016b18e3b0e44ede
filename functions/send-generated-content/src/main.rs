//! Connects send-generated-content to `wasi:http`.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(async |call| {
    banyan_functions::guest::call(call, send_generated_content::BODY_LIMIT, send_generated_content::send)
        .await
});

/// The component exports the handler above. Nothing runs it as a program.
fn main() {}
