//! The WebAssembly side: `wasi:http` in, `wasi:http` out.
//!
//! The handler uses the bindings themselves, so a call that waits for nothing crosses to the host
//! only some dozen times. Code that waits, here or in a function, uses wstd's reactor.

/// A call as it comes in.
mod call;

/// An answer on its way out.
mod answer;

/// The host's network, clocks and randomness.
mod host;

use http::Response;
use serde_json::Value;
use wstd::__internal::wasip2::http::types::{IncomingRequest as WasiRequest, ResponseOutparam};
use wstd::http::Error;
use wstd::http::server::Responder;
use wstd::runtime;

pub use answer::Answer;
pub use call::Call;
pub use host::{Host, HostBody};

use crate::env::Env;
use crate::error::{Failure, FunctionRefusal};
use crate::handler::{self, IncomingRequest};

/// Exports a function of type `async fn(Call) -> Result<impl Answer, Error>` as the component's
/// `wasi:http` handler.
///
/// A client that leaves while the answer is written does not end the instance, so work that goes on
/// beside the answer comes to its end.
#[macro_export]
macro_rules! http_function {
    ($serve:expr) => {
        struct Function;

        impl $crate::wstd::__internal::wasip2::exports::http::incoming_handler::Guest for Function {
            fn handle(
                request: $crate::wstd::__internal::wasip2::http::types::IncomingRequest,
                response: $crate::wstd::__internal::wasip2::http::types::ResponseOutparam,
            ) {
                $crate::guest::run(request, response, $serve);
            }
        }

        $crate::wstd::__internal::wasip2::http::proxy::export!(Function with_types_in $crate::wstd::__internal::wasip2);
    };
}

/// Answers one call; returns when all work of it has ended, also what goes on after the answer.
pub fn run<F, A>(request: WasiRequest, response: ResponseOutparam, serve: F)
where
    F: AsyncFnOnce(Call) -> Result<A, Error>,
    A: Answer,
{
    runtime::block_on(async move {
        match serve(Call::new(request)).await {
            Ok(answer) => answer.send(response).await,
            Err(error) => Responder::new(response).fail(error),
        }
    });
}

/// Answers a call with a body of at most `limit` bytes by `function`, which is given what a guest
/// has of the outside.
///
/// # Errors
/// The host's error if the request's body breaks off.
pub async fn call<F, E>(call: Call, limit: usize, function: F) -> Result<Response<Vec<u8>>, Error>
where
    F: AsyncFnOnce(&IncomingRequest, &Host, &Env) -> Result<Value, E>,
    E: Failure + From<FunctionRefusal>,
{
    let incoming = call.receive(limit).await?;
    let (host, env) = (Host::new(), Env::read());
    let handler = async |incoming: &IncomingRequest| function(incoming, &host, &env).await;
    Ok(handler::serve(incoming, handler).await)
}
