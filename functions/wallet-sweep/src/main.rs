//! Connects wallet-sweep to `wasi:http`.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(async |call| {
    banyan_functions::guest::call(call, banyan_functions::handler::BODY_LIMIT, wallet_sweep::sweep).await
});

/// The component exports the handler above. Nothing runs it as a program.
fn main() {}
