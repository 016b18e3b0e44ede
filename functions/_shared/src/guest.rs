//! The WebAssembly side: `wasi:http` in, `wasi:http` out.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use http::{Request, Response};
use serde_json::Value;
use wstd::__internal::wasip2::http::types::{IncomingRequest, ResponseOutparam};
use wstd::http::server::Responder;
use wstd::http::{Body, BodyExt as _, Client, Error, request};
use wstd::runtime;

use crate::door::{self, BODY_LIMIT, Incoming};
use crate::env::Env;
use crate::error::FunctionError;
use crate::log;
use crate::progress::{Progress, Told};
use crate::rest::RestClient;
use crate::service::{self, Settings, Tool};
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
/// instance, so work that goes on beside the answer comes to its end (decisions.md D09).
#[macro_export]
macro_rules! http_function {
    ($serve:expr) => {
        struct Function;

        impl wstd::__internal::wasip2::exports::http::incoming_handler::Guest for Function {
            fn handle(
                request: wstd::__internal::wasip2::http::types::IncomingRequest,
                response: wstd::__internal::wasip2::http::types::ResponseOutparam,
            ) {
                $crate::guest::run(request, response, $serve);
            }
        }

        wstd::__internal::wasip2::http::proxy::export!(Function with_types_in wstd::__internal::wasip2);
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
async fn receive(request: Request<Body>, limit: usize) -> Result<Incoming, Error> {
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
fn answer(response: Response<Vec<u8>>) -> Response<Body> {
    response.map(Body::from)
}

fn connection(error: &Error) -> TransportError {
    TransportError::Connection(error.to_string())
}

/// Answers a call of a tool: the wallet, the settings and the model are those of the environment.
///
/// # Errors
/// What the host reports when the request's body breaks off.
pub async fn serve<T: Tool + 'static>(request: Request<Body>) -> Result<Response<Body>, Error> {
    let incoming = receive(request, BODY_LIMIT).await?;
    if incoming.wants_events() {
        return Ok(told::<T>(incoming).await);
    }
    let handler = async |incoming: &Incoming| generate::<T>(incoming, &Progress::default()).await;
    Ok(answer(door::serve(incoming, handler).await))
}

/// Answers a call of a function that is no tool, with a body of at most `limit` bytes.
///
/// # Errors
/// What the host reports when the request's body breaks off.
pub async fn call<F>(request: Request<Body>, limit: usize, function: F) -> Result<Response<Body>, Error>
where
    F: AsyncFnOnce(&Incoming, &Host, &Env) -> Result<Value, FunctionError>,
{
    let incoming = receive(request, limit).await?;
    let (host, env) = (Host::new(), Env::read());
    let handler = async |incoming: &Incoming| function(incoming, &host, &env).await;
    Ok(answer(door::serve(incoming, handler).await))
}

async fn generate<T: Tool>(incoming: &Incoming, progress: &Progress) -> Result<Value, FunctionError> {
    let (host, env, now) = (Host::new(), Env::read(), Host::unix_time());
    let wallet = RestClient::from_env(&host, &env)?;
    service::generate_telling::<T>(incoming, &host, &wallet, &Settings::from_env(&env), now, progress).await
}

/// Answers event by event. The work is a task of its own, so it ends whether or not somebody listens to the end; what is
/// refused before there is anything to tell is refused with its status, as without events.
async fn told<T: Tool + 'static>(incoming: Incoming) -> Response<Body> {
    let request_id = incoming.request_id().to_owned();
    let (progress, mut told) = Progress::told();
    let work = async move {
        let result = generate::<T>(&incoming, &progress).await;
        progress.end(result);
    };
    runtime::spawn(work).detach();
    let first = match told.next().await {
        Some(Told::End(Err(error))) => return answer(door::whole(Err(error), &request_id)),
        Some(first) => first,
        None => return answer(door::whole(Err(FunctionError::Busy), &request_id)),
    };
    let events = stream::iter([first]).chain(told).map(move |told| told.event(&request_id));
    door::events().map(|()| Body::from_stream(events))
}
