//! The host's network, clocks and randomness.

use std::time::{Duration, SystemTime};

use http::{Request, Response};
use wstd::__internal::wasip2::clocks::monotonic_clock;
use wstd::http::body::{Bytes, util::combinators::UnsyncBoxBody};
use wstd::http::{BodyExt as _, Client, Error};

use crate::transport::{Chunks, Transport, TransportError};

/// The host's network, clocks and randomness.
#[derive(Debug)]
pub struct Host {
    client: Client,
}

impl Host {
    /// The host as it is given to a function.
    pub fn new() -> Self {
        Self { client: Client::new() }
    }

    /// Seconds since 1970 by the host's clock.
    pub fn unix_time() -> u64 {
        let now = SystemTime::UNIX_EPOCH.elapsed();
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
        Duration::from_nanos(monotonic_clock::now())
    }

    fn jitter(&self) -> f64 {
        let mut bytes = [0; 4];
        wstd::rand::get_insecure_random_bytes(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }
}

/// A body that the host hands over chunk by chunk.
#[derive(Debug)]
pub struct HostBody(UnsyncBoxBody<Bytes, Error>);

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

fn connection(error: &Error) -> TransportError {
    TransportError::Connection(error.to_string())
}
