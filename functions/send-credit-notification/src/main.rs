//! Connects send-credit-notification to `wasi:http`.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(async |call| {
    banyan_functions::guest::call(
        call,
        banyan_functions::handler::BODY_LIMIT,
        send_credit_notification::notify,
    )
    .await
});

/// The component exports the handler above. Nothing runs it as a program.
fn main() {}
