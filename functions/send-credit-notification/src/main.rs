//! The `wasi:http` door of send-credit-notification.

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(async |call| {
    banyan_functions::guest::call(call, banyan_functions::door::BODY_LIMIT, send_credit_notification::notify)
        .await
});

/// The component exports its door; nothing runs it as a program.
fn main() {}
