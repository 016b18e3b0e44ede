//! The WebAssembly side: `wasi:http` in, `wasi:http` out.

use http::{Request, Response};
use std::time::Duration;
use wstd::http::{Body, BodyExt as _, Client};

use crate::door::{self, BODY_LIMIT, Incoming};
use crate::env::Env;
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
pub struct HostBody(
    wstd::http::body::util::combinators::UnsyncBoxBody<wstd::http::body::Bytes, wstd::http::Error>,
);

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

/// Reads a request that came in; a body over the limit is left unread.
///
/// # Errors
/// What the host reports when the body breaks off.
pub async fn receive(request: Request<Body>) -> Result<Incoming, wstd::http::Error> {
    let (head, body) = request.into_parts();
    let mut chunks = HostBody(body.into_boxed_body());
    let mut bytes = Some(Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| wstd::http::Error::msg(error.to_string()))?;
        bytes = bytes.filter(|read| read.len() + chunk.len() <= BODY_LIMIT);
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

fn connection(error: &wstd::http::Error) -> TransportError {
    TransportError::Connection(error.to_string())
}

/// Answers a call of a tool: the wallet, the settings and the model are those of the environment.
///
/// # Errors
/// What the host reports when the request's body breaks off.
pub async fn serve<T: Tool>(request: Request<Body>) -> Result<Response<Body>, wstd::http::Error> {
    let incoming = receive(request).await?;
    let (host, env, now) = (Host::new(), Env::read(), Host::unix_time());
    let handler = async |incoming: &Incoming| {
        let wallet = RestClient::from_env(&host, &env)?;
        service::generate::<T>(incoming, &host, &wallet, &Settings::from_env(&env), now).await
    };
    Ok(answer(door::serve(incoming, handler).await))
}
