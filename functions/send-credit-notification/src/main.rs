//! The `wasi:http` door of send-credit-notification.

#[cfg(target_arch = "wasm32")]
use {
    banyan_functions::{door, env::Env, guest},
    wstd::http::{Body, Error, Request, Response},
};

#[cfg(target_arch = "wasm32")]
banyan_functions::http_function!(serve);

#[cfg(target_arch = "wasm32")]
async fn serve(request: Request<Body>) -> Result<Response<Body>, Error> {
    let incoming = guest::receive(request, door::BODY_LIMIT).await?;
    let host = guest::Host::new();
    let response = door::serve(incoming, async |incoming: &door::Incoming| {
        send_credit_notification::notify(incoming, &host, &Env::read()).await
    })
    .await;
    Ok(guest::answer(response))
}

/// The component exports its door; nothing runs it as a program.
fn main() {}
