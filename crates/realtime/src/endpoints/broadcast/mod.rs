//! `POST /api/broadcast` and `POST /api/broadcast/<topic>/events/<event>`: messages over HTTP
//! (CONTRACT.md H1 to H9).

/// Many messages.
mod batch;

/// One message, named by the path.
mod single;

/// What is wrong with a request, and how it is told.
mod refusal;

use std::{sync::Arc, time::Instant};

use banyan_identity::Caller;
use banyan_web::{Body, BodyError, empty, read_body};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header::HeaderName};

use self::refusal::Refusal;
use super::websocket;
use crate::{
    authorization::{Asking, AuthorizationError, Extension},
    context::{Opening, ServiceContext},
    limits::Rate,
    model::{Broadcast, Topic},
};

/// Most bytes of a body (CONTRACT.md H8).
const LARGEST_BODY: usize = 8_000_000;

/// Sends many messages.
pub(crate) async fn batch(service: &Arc<ServiceContext>, opening: Opening) -> Response<Body> {
    let answer = async {
        let (sender, body) = Sender::begin(service, opening).await?;
        sender.send_all(batch::read(&body, service.limits.settings.max_payload)?).await
    };
    respond(&service.limits.messages, answer.await)
}

/// Sends the one message that a path names; none where it names none.
pub(crate) async fn single(service: &Arc<ServiceContext>, opening: Opening) -> Option<Response<Body>> {
    let target = single::Target::read(opening.request.uri())?;
    let answer = async {
        let form = single::Form::of(opening.request.headers())?;
        let (sender, body) = Sender::begin(service, opening).await?;
        sender.send_one(target.message(form, body, service.limits.settings.max_payload)?).await
    };
    Some(respond(&service.limits.messages, answer.await))
}

/// Who sends, and by what headers the policies know the request.
struct Sender<'s> {
    service: &'s ServiceContext,
    caller: Caller,
    headers: Box<str>,
}

impl<'s> Sender<'s> {
    /// Checks who asks, and reads the body.
    async fn begin(service: &'s ServiceContext, opening: Opening) -> Result<(Self, Bytes), Refusal> {
        let (parts, body) = opening.request.into_parts();
        let caller = websocket::caller(&opening.caller, &parts.headers, &parts.uri, opening.now);
        let caller = caller.map_err(|_| Refusal::Unauthorized)?;
        if service.limits.messages.is_exceeded(Instant::now()) {
            return Err(Refusal::TooManyMessages);
        }
        let body = read_body(body, LARGEST_BODY).await.map_err(|error| match error {
            BodyError::TooLarge => Refusal::BodyTooLarge,
            _ => Refusal::NoJson,
        })?;
        let headers = websocket::headers_of_policies(&parts.headers);
        Ok((Self { service, caller, headers }, body))
    }

    /// Sends what the policies allow, and drops the rest (CONTRACT.md H2).
    async fn send_all(&self, messages: Vec<Broadcast>) -> Result<(), Refusal> {
        let rate = &self.service.limits.messages;
        if rate.average(Instant::now()) + messages.len() as f64 > f64::from(rate.limit()) {
            return Err(Refusal::BatchTooLarge);
        }
        let mut asked: Vec<(Topic, bool)> = Vec::new();
        for message in messages {
            let known = asked.iter().find(|(topic, _)| *topic == message.topic).map(|(_, answer)| *answer);
            let is_allowed = match known {
                Some(answer) => answer,
                None => {
                    let answer = self.may_send(&message.topic).await.unwrap_or(false);
                    asked.push((message.topic.clone(), answer));
                    answer
                }
            };
            if is_allowed {
                self.send(&message);
            }
        }
        Ok(())
    }

    async fn send_one(&self, message: Broadcast) -> Result<(), Refusal> {
        match self.may_send(&message.topic).await {
            Ok(true) => {
                self.send(&message);
                Ok(())
            }
            Ok(false) => Err(Refusal::Forbidden),
            Err(error) => Err(Refusal::Policies(error)),
        }
    }

    async fn may_send(&self, topic: &Topic) -> Result<bool, AuthorizationError> {
        if !topic.is_private {
            return Ok(true);
        }
        let asking = Asking { caller: &self.caller, topic, headers: &self.headers };
        self.service.authorization.write(asking, Extension::Broadcast).await
    }

    fn send(&self, message: &Broadcast) {
        let delivered = self.service.hub.broadcast(message, None);
        self.service.limits.messages.add(1 + delivered);
        self.service.metrics.channel_events.add(1 + delivered);
    }
}

/// The answer, with what is left of the rate (CONTRACT.md H9).
fn respond(messages: &Rate, answer: Result<(), Refusal>) -> Response<Body> {
    let mut response = match answer {
        Ok(()) => {
            let mut accepted = Response::new(empty());
            *accepted.status_mut() = StatusCode::ACCEPTED;
            accepted
        }
        Err(refusal) => refusal.response(),
    };
    tell_rate(response.headers_mut(), messages.average(Instant::now()) as u32, messages.limit());
    response
}

fn tell_rate(headers: &mut HeaderMap, average: u32, limit: u32) {
    for (name, value) in [
        ("x-rate-rolling", average),
        ("x-rate-limit", limit),
        ("x-rate-limit-remaining", limit.saturating_sub(average)),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
    }
}
