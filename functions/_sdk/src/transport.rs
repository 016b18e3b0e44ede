//! The world outside as a trait. The guest implements it over `wasi:http`, the tests over TCP.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use http::{Request, Response};

/// Why no (complete) answer came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// No connection, or it broke.
    #[error("connection failed: {0}")]
    Connection(String),
    /// Nothing came within the time allowed.
    #[error("timed out")]
    Timeout,
    /// More bytes came than were asked for.
    #[error("answer too large")]
    TooLarge,
}

/// Sends requests, waits, and knows how much time has passed.
pub trait Transport {
    /// The body of an answer, read chunk by chunk.
    type Body: Chunks;

    /// Sends `request`; ready when the answer's head is there. Dropping the future ends the call.
    fn send(
        &self,
        request: Request<Vec<u8>>,
    ) -> impl Future<Output = Result<Response<Self::Body>, TransportError>>;

    /// Waits.
    fn sleep(&self, duration: Duration) -> impl Future<Output = ()>;

    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;

    /// A number between 0 and 1 for jitter.
    fn jitter(&self) -> f64;
}

/// A body that arrives in pieces.
pub trait Chunks {
    /// The next piece; `None` at the proper end.
    fn next(&mut self) -> impl Future<Output = Option<Result<Vec<u8>, TransportError>>>;
}

/// Runs `future` for at most `limit`.
///
/// # Errors
/// [`TransportError::Timeout`] when the time is over first; `future` is dropped then.
pub async fn within<T: Transport, F: Future>(
    transport: &T,
    limit: Duration,
    future: F,
) -> Result<F::Output, TransportError> {
    match select(pin!(future), pin!(transport.sleep(limit))).await {
        Either::Left((output, _)) => Ok(output),
        Either::Right(((), _)) => Err(TransportError::Timeout),
    }
}

/// Reads a whole body of at most `limit` bytes.
///
/// # Errors
/// Errors of the transport, or [`TransportError::TooLarge`].
pub async fn read_all(body: &mut impl Chunks, limit: usize) -> Result<Vec<u8>, TransportError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk?);
        if bytes.len() > limit {
            return Err(TransportError::TooLarge);
        }
    }
    Ok(bytes)
}

/// A moment after which work is useless.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Duration);

impl Deadline {
    /// `budget` from now.
    pub fn after(transport: &impl Transport, budget: Duration) -> Self {
        Self(transport.now() + budget)
    }

    /// The time left; zero when it is over.
    pub fn remaining(self, transport: &impl Transport) -> Duration {
        self.0.saturating_sub(transport.now())
    }

    /// Returns whether the time is over.
    pub fn is_over(self, transport: &impl Transport) -> bool {
        self.remaining(transport).is_zero()
    }
}
