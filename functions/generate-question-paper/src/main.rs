//! The `wasi:http` door of generate-question-paper.

#[cfg(target_arch = "wasm32")]
use {
    banyan_functions::door::{self, Incoming},
    banyan_functions::{env::Env, guest, rest::RestClient},
    generate_question_paper::{Settings, generate},
    wstd::http::{Body, Error, Request, Response},
};

#[cfg(target_arch = "wasm32")]
#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    let incoming = guest::receive(request).await?;
    let (host, env, now) = (guest::Host::new(), Env::read(), guest::Host::unix_time());
    let handler = async |incoming: &Incoming| {
        let wallet = RestClient::from_env(&host, &env)?;
        generate(incoming, &host, &wallet, &Settings::from_env(&env), now).await
    };
    Ok(guest::answer(door::serve(incoming, handler).await))
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
