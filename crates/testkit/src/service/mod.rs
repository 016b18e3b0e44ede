//! A service under test, asked as the gateway or a client would ask it.

/// A request, made step by step.
mod call;

/// What came back.
mod answer;

use std::{borrow::Borrow, net::SocketAddr, sync::Arc};

use banyan_web::Body;
use futures_util::future::BoxFuture;
use http::{Method, Request, Response};
use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{Builder, Client},
    rt::TokioExecutor,
};
use serde_json::Value;

pub use self::{answer::Answer, call::Call};

type Handler = dyn Fn(Request<Body>) -> BoxFuture<'static, Response<Body>> + Send + Sync;

/// A service and the way to it: a function of this process, or a socket.
#[derive(Clone)]
pub struct Service(Arc<Handler>);

impl Service {
    /// A service of this process.
    pub fn of<F>(handle: impl Fn(Request<Body>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        Self(Arc::new(move |request| Box::pin(handle(request))))
    }

    /// A service that listens. Requests name it by this address, so that their paths are enough.
    ///
    /// # Panics
    /// At a request that gets no answer.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        Self::by(Client::builder(TokioExecutor::new()), address)
    }

    /// The same, asked by HTTP/2.
    ///
    /// # Panics
    /// At a request that gets no answer.
    #[must_use]
    pub fn at_by_http2(address: SocketAddr) -> Self {
        let mut client = Client::builder(TokioExecutor::new());
        client.http2_only(true);
        Self::by(client, address)
    }

    fn by(client: Builder, address: SocketAddr) -> Self {
        let client = client.build_http();
        Self::of(move |mut request| {
            let uri = format!("http://{address}{}", request.uri());
            *request.uri_mut() = uri.parse().expect("a path makes an address");
            let answer = client.request(request);
            async move { answer.await.expect("an answer").map(|body| body.map_err(Into::into).boxed_unsync()) }
        })
    }

    /// A request by any method.
    pub fn call(&self, method: Method, path: &str) -> Call {
        Call::new(self.clone(), method, path)
    }

    /// A request that reads.
    pub fn get(&self, path: &str) -> Call {
        self.call(Method::GET, path)
    }

    /// A request with a body of JSON.
    pub fn post(&self, path: &str, body: impl Borrow<Value>) -> Call {
        self.call(Method::POST, path).json(body)
    }

    /// A request with a body of JSON.
    pub fn put(&self, path: &str, body: impl Borrow<Value>) -> Call {
        self.call(Method::PUT, path).json(body)
    }

    /// A request with a body of JSON.
    pub fn patch(&self, path: &str, body: impl Borrow<Value>) -> Call {
        self.call(Method::PATCH, path).json(body)
    }

    /// The answer to a request. Its body is still to come.
    pub async fn answer(&self, request: Request<Body>) -> Response<Body> {
        (self.0)(request).await
    }
}
