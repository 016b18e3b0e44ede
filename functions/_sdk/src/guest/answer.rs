//! An answer on its way out.

use std::io;

use futures_util::future::Either;
use http::header::CONTENT_LENGTH;
use http::response::Parts;
use http::{HeaderName, HeaderValue, Response};
use serde_json::{Value, json};
use wstd::__internal::wasip2::http::types::{
    ErrorCode, Fields, HeaderError, OutgoingBody, OutgoingResponse, ResponseOutparam,
};
use wstd::__internal::wasip2::io::streams::StreamError;
use wstd::http::server::Responder;
use wstd::http::{Body, Error};
use wstd::runtime::AsyncPollable;

use crate::log;

/// An answer of a function. A function that never streams contains no code for streams, so its
/// instances start with less work.
pub trait Answer {
    /// Sends it; ready once the host has it all, or the client has left.
    fn send(self, to: ResponseOutparam) -> impl Future<Output = ()>;
}

/// Sends the answer in one piece, with its true length in the head.
impl Answer for Response<Vec<u8>> {
    async fn send(self, to: ResponseOutparam) {
        let (mut head, bytes) = self.into_parts();
        tell_length(&mut head, bytes.len());
        match outgoing(&head) {
            Ok(response) => note(send_whole(response, &bytes, to).await),
            Err(error) => Responder::new(to).fail(error.into()),
        }
    }
}

/// Piece by piece.
impl Answer for Response<Body> {
    async fn send(self, to: ResponseOutparam) {
        note(Responder::new(to).respond(self).await.map_err(NotSent::of));
    }
}

/// One or the other.
impl<A: Answer, B: Answer> Answer for Either<A, B> {
    async fn send(self, to: ResponseOutparam) {
        match self {
            Self::Left(answer) => answer.send(to).await,
            Self::Right(answer) => answer.send(to).await,
        }
    }
}

/// Why an answer did not reach its end.
enum NotSent {
    /// Nobody is to blame.
    ClientLeft,
    /// Errors of the host or of the function's own stream.
    BrokeOff(String),
}

impl NotSent {
    fn of(error: Error) -> Self {
        let left = error.downcast_ref::<io::Error>();
        if left.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionReset) {
            return Self::ClientLeft;
        }
        Self::BrokeOff(format!("{error:#}"))
    }
}

impl From<StreamError> for NotSent {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::Closed => Self::ClientLeft,
            StreamError::LastOperationFailed(error) => Self::BrokeOff(error.to_debug_string()),
        }
    }
}

impl From<ErrorCode> for NotSent {
    fn from(error: ErrorCode) -> Self {
        Self::BrokeOff(format!("{error:?}"))
    }
}

fn note(sent: Result<(), NotSent>) {
    match sent {
        Ok(()) => {}
        Err(NotSent::ClientLeft) => log::info("the client left before the end of the answer", &Value::Null),
        Err(NotSent::BrokeOff(error)) => log::error("the answer broke off", &json!({"error": error})),
    }
}

/// Without bytes the function's own header stays, as in an answer to HEAD.
fn tell_length(head: &mut Parts, length: usize) {
    if length == 0 {
        return;
    }
    let told = head.headers.insert(CONTENT_LENGTH, length.into());
    if told.is_some_and(|told| Some(&told) != head.headers.get(CONTENT_LENGTH)) {
        log::error("the function told another length than its answer has", &json!({"answer.length": length}));
    }
}

/// The head as the host takes it: in one call, whatever the number of headers.
fn outgoing(head: &Parts) -> Result<OutgoingResponse, HeaderError> {
    let text = |(name, value): (&HeaderName, &HeaderValue)| (name.to_string(), value.as_bytes().to_vec());
    let fields: Vec<_> = head.headers.iter().map(text).collect();
    let response = OutgoingResponse::new(Fields::from_list(&fields)?);
    response.set_status_code(head.status.as_u16()).expect("`http` knows no status that is none");
    Ok(response)
}

async fn send_whole(
    response: OutgoingResponse,
    mut bytes: &[u8],
    to: ResponseOutparam,
) -> Result<(), NotSent> {
    let is_empty = bytes.is_empty();
    let body = response.body().expect("asked for once");
    ResponseOutparam::set(to, Ok(response));
    let stream = body.write().expect("asked for once");
    while !bytes.is_empty() {
        match usize::try_from(stream.check_write()?).unwrap_or(usize::MAX).min(bytes.len()) {
            0 => AsyncPollable::new(stream.subscribe()).wait_for().await,
            room => {
                let (now, later) = bytes.split_at(room);
                stream.write(now)?;
                bytes = later;
            }
        }
    }
    drop(stream);
    match OutgoingBody::finish(body, None) {
        // It answers HEAD, and the length is that of what it does not send.
        Err(ErrorCode::HttpResponseBodySize(_)) if is_empty => Ok(()),
        finished => Ok(finished?),
    }
}
