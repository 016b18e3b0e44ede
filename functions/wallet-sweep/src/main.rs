//! The `wasi:http` door of wallet-sweep.

#[cfg(target_arch = "wasm32")]
use {
    banyan_functions::{door, env::Env, guest},
    wstd::http::{Body, Error, Request, Response},
};

#[cfg(target_arch = "wasm32")]
#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    let incoming = guest::receive(request).await?;
    let host = guest::Host::new();
    let response = door::serve(incoming, async |incoming: &door::Incoming| {
        wallet_sweep::sweep(incoming, &host, &Env::read()).await
    })
    .await;
    Ok(guest::answer(response))
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
