//! An answer on its way out.

use futures_util::future::Either;
use http::header::CONTENT_LENGTH;
use http::response::Parts;
use http::{HeaderName, HeaderValue, Response};
use serde_json::Value;
use wstd::__internal::wasip2::http::types::{
    Fields, HeaderError, OutgoingBody, OutgoingResponse, ResponseOutparam,
};
use wstd::__internal::wasip2::io::streams::StreamError;
use wstd::http::Body;
use wstd::http::server::Responder;
use wstd::runtime::AsyncPollable;

use crate::log;

/// What a function may answer with. One that never streams holds no code for it, so its instances are made sooner.
pub trait Answer {
    /// Sends it; ready once the host has it all, or the client has left.
    fn send(self, to: ResponseOutparam) -> impl Future<Output = ()>;
}

/// In one piece, whose length is told before it.
impl Answer for Response<Vec<u8>> {
    async fn send(self, to: ResponseOutparam) {
        let (head, bytes) = self.into_parts();
        match outgoing(&head, &bytes) {
            Ok(response) => note(send_whole(response, &bytes, to).await.is_ok()),
            Err(error) => Responder::new(to).fail(error.into()),
        }
    }
}

/// Piece by piece.
impl Answer for Response<Body> {
    async fn send(self, to: ResponseOutparam) {
        note(Responder::new(to).respond(self).await.is_ok());
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

fn note(is_sent: bool) {
    if !is_sent {
        log::info("the client left before the end of the answer", &Value::Null);
    }
}

/// The head as the host takes it: in one call, whatever the number of headers.
fn outgoing(head: &Parts, bytes: &[u8]) -> Result<OutgoingResponse, HeaderError> {
    let text = |(name, value): (&HeaderName, &HeaderValue)| (name.to_string(), value.as_bytes().to_vec());
    let mut fields: Vec<_> = head.headers.iter().map(text).collect();
    if !bytes.is_empty() && !head.headers.contains_key(CONTENT_LENGTH) {
        fields.push((CONTENT_LENGTH.to_string(), bytes.len().to_string().into_bytes()));
    }
    let response = OutgoingResponse::new(Fields::from_list(&fields)?);
    response.set_status_code(head.status.as_u16()).expect("`http` knows no status that is none");
    Ok(response)
}

async fn send_whole(
    response: OutgoingResponse,
    mut bytes: &[u8],
    to: ResponseOutparam,
) -> Result<(), StreamError> {
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
    // That the client left is told by writing alone.
    let _ = OutgoingBody::finish(body, None);
    Ok(())
}
