//! A request, made step by step.

use std::{borrow::Borrow, future::IntoFuture, net::IpAddr};

use banyan_identity::{Caller, Identified, Peer};
use banyan_web::{Body, full};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Method, Request, Response};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use super::{Answer, Service};

/// What a URL cannot hold as it is, so that tests write paths as people read them.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A request before it is sent. Awaiting it sends it.
#[must_use = "a request is sent by awaiting it"]
pub struct Call {
    service: Service,
    request: http::request::Builder,
    body: Bytes,
}

impl Call {
    pub(super) fn new(service: Service, method: Method, path: &str) -> Self {
        let path = utf8_percent_encode(path, ESCAPED).to_string();
        let peer = Peer::Tcp(([192, 0, 2, 1], 40_000).into());
        let request = Request::builder().method(method).uri(path).extension(peer);
        Self { service, request, body: Bytes::new() }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: impl AsRef<str>) -> Self {
        self.request = self.request.header(name, value.as_ref());
        self
    }

    /// Adds `Authorization: Bearer`.
    pub fn bearer(self, token: &str) -> Self {
        self.header("authorization", format!("Bearer {token}"))
    }

    /// Adds something that the gateway found out about the request.
    pub fn extension(mut self, known: impl Clone + Send + Sync + 'static) -> Self {
        self.request = self.request.extension(known);
        self
    }

    /// Comes from this address.
    pub fn from(self, address: impl Into<IpAddr>) -> Self {
        self.extension(Peer::Tcp((address.into(), 40_000).into()))
    }

    /// Comes from a function of the stack.
    pub fn by_function(self, name: &str) -> Self {
        self.extension(Peer::Function(name.into()))
    }

    /// Comes from this caller, where the service is told who calls.
    pub fn by(self, caller: Caller) -> Self {
        self.identified(Ok(caller))
    }

    /// Comes from whom the gateway identified, or could not.
    pub fn identified(self, caller: Identified) -> Self {
        self.extension(caller)
    }

    /// Carries JSON.
    pub fn json(self, body: impl Borrow<Value>) -> Self {
        self.body("application/json", body.borrow().to_string())
    }

    /// Carries a body of this type.
    pub fn body(self, content_type: &str, body: impl Into<Bytes>) -> Self {
        self.header("content-type", content_type).bytes(body)
    }

    /// Carries a body without naming its type.
    pub fn bytes(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// The answer, whose body is still to come.
    ///
    /// # Panics
    /// Where the request cannot be written as HTTP.
    pub async fn response(self) -> Response<Body> {
        self.service.answer(self.request.body(full(self.body)).expect("a request")).await
    }
}

impl IntoFuture for Call {
    type Output = Answer;
    type IntoFuture = BoxFuture<'static, Answer>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async { Answer::read(self.response().await).await })
    }
}
