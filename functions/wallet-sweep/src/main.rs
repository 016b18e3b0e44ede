//! The `wasi:http` door of wallet-sweep.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(async |call| {
    banyan_functions::guest::call(call, banyan_functions::door::BODY_LIMIT, wallet_sweep::sweep).await
});

/// The component exports its door; nothing runs it as a program.
fn main() {}
