//! The WebAssembly side: `wasi:http` in, `wasi:http` out.

use std::time::Duration;

use http::{Request, Response};
use serde_json::Value;
use wstd::__internal::wasip2::http::types::{IncomingRequest, ResponseOutparam};
use wstd::http::server::Responder;
use wstd::http::{Body, BodyExt as _, Client, Error, request};
use wstd::runtime;

use crate::door::{self, Incoming};
use crate::env::Env;
use crate::error::{Failure, Refusal};
use crate::log;
use crate::transport::{Chunks, Transport, TransportError};

/// The host's network, clocks and randomness.
#[derive(Debug)]
pub struct Host {
    client: Client,
    start: wstd::time::Instant,
}

impl Host {
    /// The host as it is given to a function.
    pub fn new() -> Self {
        Self { client: Client::new(), start: wstd::time::Instant::now() }
    }

    /// Seconds since 1970 by the host's clock.
    pub fn unix_time() -> u64 {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed();
        now.map_or(0, |elapsed| elapsed.as_secs())
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Transport for Host {
    type Body = HostBody;

    async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<HostBody>, TransportError> {
        let response = self.client.send(request).await.map_err(|error| connection(&error))?;
        Ok(response.map(|body| HostBody(body.into_boxed_body())))
    }

    async fn sleep(&self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        wstd::task::sleep(wstd::time::Duration::from_nanos(nanos)).await;
    }

    fn now(&self) -> Duration {
        let elapsed = wstd::time::Instant::now().duration_since(self.start);
        Duration::from_nanos(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
    }

    fn jitter(&self) -> f64 {
        let mut bytes = [0; 4];
        wstd::rand::get_insecure_random_bytes(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }
}

/// A body that the host hands over chunk by chunk.
#[derive(Debug)]
pub struct HostBody(wstd::http::body::util::combinators::UnsyncBoxBody<wstd::http::body::Bytes, Error>);

impl Chunks for HostBody {
    async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
        loop {
            match self.0.frame().await? {
                Ok(frame) => match frame.into_data() {
                    Ok(data) => return Some(Ok(data.to_vec())),
                    Err(_trailers) => {}
                },
                Err(error) => return Some(Err(connection(&error))),
            }
        }
    }
}

/// Makes a function of type `async fn(Request<Body>) -> Result<Response<Body>, Error>` the component's `wasi:http` door.
///
/// It differs from `wstd::http_server` in one thing: a client that leaves while the answer is written does not end the
/// instance, so work that goes on beside the answer comes to its end.
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
pub fn run<F>(request: IncomingRequest, response: ResponseOutparam, serve: F)
where
    F: AsyncFnOnce(Request<Body>) -> Result<Response<Body>, Error>,
{
    let responder = Responder::new(response);
    runtime::block_on(async move {
        let answer = match request::try_from_incoming(request) {
            Ok(request) => serve(request).await,
            Err(error) => Err(error),
        };
        match answer {
            Err(error) => responder.fail(error),
            Ok(answer) => {
                if responder.respond(answer).await.is_err() {
                    log::info("the client left before the end of the answer", &Value::Null);
                }
            }
        }
    });
}

/// Reads a request that came in; a body over `limit` bytes is left unread.
///
/// # Errors
/// What the host reports when the body breaks off.
pub async fn receive(request: Request<Body>, limit: usize) -> Result<Incoming, Error> {
    let (head, body) = request.into_parts();
    let mut chunks = HostBody(body.into_boxed_body());
    let mut bytes = Some(Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| Error::msg(error.to_string()))?;
        bytes = bytes.filter(|read| read.len() + chunk.len() <= limit);
        match bytes.as_mut() {
            Some(read) => read.extend_from_slice(&chunk),
            None => break,
        }
    }
    Ok(Incoming { method: head.method, headers: head.headers, body: bytes })
}

/// The answer as the host takes it.
pub fn answer(response: Response<Vec<u8>>) -> Response<Body> {
    response.map(Body::from)
}

fn connection(error: &Error) -> TransportError {
    TransportError::Connection(error.to_string())
}

/// Answers a call with a body of at most `limit` bytes by `function`, which is given what a guest has of the outside.
///
/// # Errors
/// What the host reports when the request's body breaks off.
pub async fn call<F, E>(request: Request<Body>, limit: usize, function: F) -> Result<Response<Body>, Error>
where
    F: AsyncFnOnce(&Incoming, &Host, &Env) -> Result<Value, E>,
    E: Failure + From<Refusal>,
{
    let incoming = receive(request, limit).await?;
    let (host, env) = (Host::new(), Env::read());
    let handler = async |incoming: &Incoming| function(incoming, &host, &env).await;
    Ok(answer(door::serve(incoming, handler).await))
}
